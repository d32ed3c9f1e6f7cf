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
	HowTo                 bool    // how to restart the dashboard's own unit
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

// Hidden is a value a form carries.
type Hidden struct{ Name, Value string }

func verdict(status api.Status, path string) Verdict {
	v := Verdict{Level: status.Verdict.Level, Title: status.Verdict.Title}
	for _, item := range status.Verdict.Items {
		v.Todos = append(v.Todos, todo(item, path))
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

func todo(item api.VerdictItem, path string) Todo {
	t := Todo{Key: item.Code + " " + item.Target, Level: item.Level, What: item.What, Why: item.Why, Command: item.Command}
	button := func(do, field string) {
		t.Action = &Action{Path: path, Do: do, Label: item.Action, Name: item.Action}
		if field != "" {
			t.Action.Field = []Hidden{{field, item.Target}}
		}
	}
	switch item.Kind {
	case "restart_unit":
		if item.Target == self {
			t.HowTo = true
			break
		}
		button("restart", "unit")
	case "start_unit":
		button("start", "unit")
	case "confirm":
		button("confirm", "")
	case "adopt":
		button("adopt", "field")
	case "resume":
		button("resume", "")
	case "link":
		t.Href, t.Label = place(item, path), first(item.Action, "Show")
	}
	return t
}

// places are where on its page an item is told in full.
var places = map[string]string{
	"disk_full": "#disk", "memory_full": "#memory", "desired_invalid": "#conditions", "stalled": "#plan",
	"journaling_off": "#conditions", "drift": "#drift", "suspended": "#suspend", "unknown": "#services",
}

// place is the address an item links to, short when it is on this page.
func place(item api.VerdictItem, path string) string {
	if item.Target == path && places[item.Code] != "" {
		return places[item.Code]
	}
	return item.Target + places[item.Code]
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
