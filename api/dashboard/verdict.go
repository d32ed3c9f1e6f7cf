package dashboard

import (
	"fmt"
	"slices"

	"corehost/api"
)

// self is the unit that serves these pages: it cannot restart itself and
// answer, so its restart is explained instead.
const self = "core-dashboard"

// Verdict is the answer on every page: is my host well, what must I do.
type Verdict struct {
	Level string // healthy, attention, broken
	Title string
	Note  string // one sentence when there is nothing to do
	Todos []Todo
}

// Todo is one thing to do and the way to do it.
type Todo struct {
	Key, Level, What, Why string
	Action                *Action // a button; nil: none
	Href, Label           string  // a link instead; empty: none
	HowTo                 *HowTo  // how to restart the dashboard's own unit; nil: it is not about that
	Command               string  // the same as a command; empty: none
}

// Action is a form of one button.
type Action struct {
	Path  string // page the form goes to
	Do    string
	Field []Hidden
	Label string // a verb
	Name  string // the same with its object, for who hears it out of context
	Main  bool
	Plain bool
}

// HowTo is how a person restarts the dashboard, which cannot do it itself.
type HowTo struct {
	Text    string
	Command string // empty: there is none
}

// howTo depends on who started the dashboard: where no service manager is
// seen, it was somebody by hand.
func howTo(stats api.SystemStats) *HowTo {
	for _, unit := range stats.Units {
		if unit.Name == self && unit.Known && unit.State == api.UnitActive {
			return &HowTo{
				Text:    "The dashboard cannot restart the unit it runs in and tell you how it went. Run this on the host; this page comes back by itself, and nothing else stops.",
				Command: "sudo systemctl restart " + self,
			}
		}
	}
	return &HowTo{Text: "This dashboard was started by hand, not as the unit " + self + ". End it and start it again the same way; this page comes back by itself, and nothing else stops."}
}

// Hidden is a value a form carries.
type Hidden struct{ Name, Value string }

func verdict(status api.Status, stats api.SystemStats, path string) Verdict {
	v := Verdict{Level: status.Verdict.Level, Title: status.Verdict.Title}
	for _, item := range status.Verdict.Items {
		v.Todos = append(v.Todos, todo(item, howTo(stats), path))
	}
	if len(v.Todos) == 0 {
		v.Note = atRest(status)
	}
	for i := range v.Todos {
		if v.Todos[i].Action != nil {
			v.Todos[i].Action.Main = true // the first button is the main one, and only that
			break
		}
	}
	return v
}

func atRest(status api.Status) string {
	if status.Converged {
		return fmt.Sprintf("Nothing to do. The host is as desired.yaml says, revision %d.", status.Revision)
	}
	return fmt.Sprintf("Nothing to do. Revision %d is being put into effect.", status.Revision)
}

func todo(item api.VerdictItem, how *HowTo, path string) Todo {
	t := Todo{Key: item.Code + " " + item.Target, Level: item.Level, What: item.What, Why: item.Why, Command: item.Command}
	button := func(do, field string) {
		t.Action = &Action{Path: path, Do: do, Label: item.Action, Name: item.Action}
		if field != "" {
			t.Action.Field = []Hidden{{field, item.Target}}
		}
	}
	switch item.Kind {
	case api.DoRestart:
		if item.Target == self {
			t.HowTo = how
			break
		}
		button("restart", "unit")
	case api.DoStart:
		button("start", "unit")
	case api.DoConfirm:
		button("confirm", "")
	case api.DoAdopt:
		button("adopt", "field")
	case api.DoResume:
		button("resume", "")
	case api.DoLink:
		t.Href, t.Label = link(item, path)
	}
	return t
}

// place is where on its page an item is told in full.
type place struct{ anchor, label, page string } // page: when it is not the one the item names

var places = map[string]place{
	"disk_full": {anchor: "#disk", label: "Show the disk"}, "memory_full": {anchor: "#memory", label: "Show the memory"},
	"no_service_manager": {anchor: "#services", label: "Show the services"}, "unit_missing": {anchor: "#services", label: "Show the services"},
	"unknown": {anchor: "#main", label: "Show what is unknown"}, "desired_invalid": {anchor: "#conditions"}, "stalled": {anchor: "#plan"},
	"restart_required": {anchor: "#running", label: "Show what runs", page: "/model"}, "journaling_off": {anchor: "#conditions", label: "Show the conditions"}, "drift": {anchor: "#drift"}, "suspended": {anchor: "#suspend"},
}

// link is where an item leads, short when that is on this page.
func link(item api.VerdictItem, path string) (href, label string) {
	at := places[item.Code]
	page := first(at.page, item.Target)
	href = page + at.anchor
	if page == path && at.anchor != "" {
		href = at.anchor
	}
	return href, first(item.Action, at.label, "Show it")
}

// waitingUnits are the units that still run an old value.
func waitingUnits(status api.Status) []string {
	var list []string
	for _, notice := range status.Restart {
		if !slices.Contains(list, notice.Unit) {
			list = append(list, notice.Unit)
		}
	}
	return list
}

// openDrift counts the drifted values nobody has decided on.
func openDrift(status api.Status) int {
	n := 0
	for _, d := range status.Drift {
		if d.IgnoredUntil == nil {
			n++
		}
	}
	return n
}
