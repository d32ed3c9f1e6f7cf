package dashboard

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/api"
	"corehost/desired"
	"corehost/reconcilers"
)

func TestTodoOffersTheWay(t *testing.T) {
	how := &HowTo{Text: "by hand"}
	for _, c := range []struct {
		name string
		item api.VerdictItem
		want Todo
	}{
		{"restart", api.VerdictItem{Kind: "restart_unit", Target: "core-gateway", Action: "Restart gateway"},
			Todo{Action: &Action{Path: "/model", Do: "restart", Field: []Hidden{{"unit", "core-gateway"}}, Label: "Restart gateway", Name: "Restart gateway"}}},
		{"its own unit", api.VerdictItem{Kind: "restart_unit", Target: "core-dashboard"}, Todo{HowTo: how}},
		{"adopt", api.VerdictItem{Kind: "adopt", Target: "model.provider", Action: "Adopt"},
			Todo{Action: &Action{Path: "/model", Do: "adopt", Field: []Hidden{{"field", "model.provider"}}, Label: "Adopt", Name: "Adopt"}}},
		{"resume", api.VerdictItem{Kind: "resume", Action: "Resume"}, Todo{Action: &Action{Path: "/model", Do: "resume", Label: "Resume", Name: "Resume"}}},
		{"link elsewhere", api.VerdictItem{Kind: "link", Code: "disk_full", Target: "/"}, Todo{Href: "/#disk", Label: "Show the disk"}},
		{"link here", api.VerdictItem{Kind: "link", Code: "disk_full", Target: "/model"}, Todo{Href: "#disk", Label: "Show the disk"}},
		{"restart by hand", api.VerdictItem{Kind: "link", Code: "restart_required", Target: "/"}, Todo{Href: "#running", Label: "Show what runs"}},
		{"command only", api.VerdictItem{Command: "cli x"}, Todo{Command: "cli x"}},
		{"of a later version", api.VerdictItem{Kind: "dance", Command: "cli dance"}, Todo{Command: "cli dance"}},
	} {
		c.want.Key = c.item.Code + " " + c.item.Target
		if diff := cmp.Diff(c.want, todo(c.item, how, "/model")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestOnlyARunningUnitIsRestartedBySystemd(t *testing.T) {
	stats := healthy(at(noon)).stats
	if howTo(stats).Command != "sudo systemctl restart core-dashboard" {
		t.Error("a running unit has no command")
	}
	stats.Units[1].Known = false
	if got := howTo(stats); got.Command != "" {
		t.Errorf("a dashboard started by hand is told to run %q", got.Command)
	}
}

func TestWhyNamesThePartThatFailed(t *testing.T) {
	warnings := []api.Warning{{Source: "host", Message: "load: no such file"}, {Source: "host", Message: "disk: denied"}, {Source: "units", Message: "no bus"}}
	for part, want := range map[[2]string]string{
		{"host", "load"}: "No such file.", {"host", "memory"}: "It was not read yet.", {"units", ""}: "No bus.", {"vault", ""}: "It was not read yet.",
	} {
		if got := why(warnings, part[0], part[1]); got != want {
			t.Errorf("%v: %q, want %q", part, got, want)
		}
	}
	if got := why([]api.Warning{{Source: "host", Message: "the last reading is from 2026-11-21T10:00:00Z"}}, "host", "disk"); got != "The last reading is from 2026-11-21T10:00:00Z." {
		t.Errorf("a stale reading: %q", got)
	}
}

func TestStateOfAUnit(t *testing.T) {
	how := &HowTo{}
	for _, c := range []struct {
		unit   api.UnitStatus
		pill   Pill
		do     string
		reason string
	}{
		{api.UnitStatus{Name: "core-gateway", State: "ACTIVE", Known: true}, Pill{Word: "ACTIVE", Tone: "good"}, "restart", ""},
		{api.UnitStatus{Name: "core-bridge", State: "DOWN", Known: true, Reason: "stopped"}, Pill{Word: "DOWN", Tone: "bad"}, "start", "Stopped."},
		{api.UnitStatus{Name: "core-bridge", State: "DOWN", Known: true, Reason: "not installed on this host"}, Pill{Word: "DOWN", Tone: "bad"}, "", "Not installed on this host."},
		{api.UnitStatus{Name: "core-bridge", State: "ACTIVE", Known: false, Reason: "the last reading is old"}, Pill{Word: "UNKNOWN"}, "", "The last reading is old."},
		{api.UnitStatus{Name: "core-dashboard", State: "ACTIVE", Known: true}, Pill{Word: "ACTIVE", Tone: "good"}, "", ""},
	} {
		row := unitRow(c.unit, how, clock{noon}, "/")
		do := ""
		if row.Action != nil {
			do = row.Action.Do
		}
		if row.Pill != c.pill || do != c.do || row.Reason != c.reason || (row.HowTo != nil) != (c.unit.Name == "core-dashboard") {
			t.Errorf("%+v: %+v", c.unit, row)
		}
	}
}

func TestPreviewSaysWhatIsWrittenAndWhatRestarts(t *testing.T) {
	f := healthy(at(noon))
	for _, c := range []struct {
		name            string
		provider, model string
		want            Preview
	}{
		{"the same", "", "", Preview{Same: true}},
		{"another model", "anthropic", "claude-haiku-4-5", Preview{Diff: []Difference{{"model.default", "claude-opus-4-7", "claude-haiku-4-5"}}}},
		{"another provider", "openai", "", Preview{Diff: []Difference{{"model.provider", "anthropic", "openai"}, {"model.default", "claude-opus-4-7", ""}}, Note: "Without a model, OpenAI’s default is used: gpt-5.2."}},
		{"one not listed", "openai", "gpt-9", Preview{Diff: []Difference{{"model.provider", "anthropic", "openai"}, {"model.default", "claude-opus-4-7", "gpt-9"}}, Note: "The catalogue does not list this model for OpenAI. It is written as typed."}},
		{"without a key", "p03", "m-1", Preview{Diff: []Difference{{"model.provider", "anthropic", "p03"}, {"model.default", "claude-opus-4-7", "m-1"}}, Note: "Cerebras has no key. Put P03_API_KEY into the .env file of the home, then switch."}},
	} {
		c.want.Restart = "It takes effect when core-gateway and core-dashboard are restarted."
		if diff := cmp.Diff(c.want, switchCard(f.info, f.options, pick{c.provider, c.model}).Preview, cmp.Comparer(func(a, b []Difference) bool {
			return len(a) == len(b) && cmp.Equal(append([]Difference{}, a...), append([]Difference{}, b...))
		})); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestProvidersOneCanUseComeFirst(t *testing.T) {
	f := healthy(at(noon))
	f.options.Providers[0], f.options.Providers[5] = f.options.Providers[5], f.options.Providers[0]
	rows := switchCard(f.info, f.options, pick{}).Providers
	if rows[0].Slug != "anthropic" || rows[1].Slug != "openai" || rows[2].Slug != "ollama" || rows[3].Usable {
		t.Errorf("order: %s, %s, %s, %s", rows[0].Slug, rows[1].Slug, rows[2].Slug, rows[3].Slug)
	}
}

func TestLatestChangesTellEachThingOnce(t *testing.T) {
	f := healthy(at(noon))
	rows := latestRows(f.events, f.revisions, clock{noon})
	var kinds []string
	for _, r := range rows {
		kinds = append(kinds, r.Kind)
	}
	if diff := cmp.Diff([]string{"Revised", "Observed", "Healed", "Applied", "Revised", "Failed"}, kinds); diff != "" {
		t.Error(diff)
	}
	if rows[0].Undo != 41 || rows[4].Undo != 0 || len(rows[0].Diff) != 1 || rows[0].Text != "" {
		t.Errorf("the newest revision: %+v", rows[0])
	}
}

func TestBareMessagesBecomeADifference(t *testing.T) {
	for message, shown := range map[string]string{"model.default: a → b": "", "put back after root changed model.default from a to b": "Put back after root changed model.default from a to b."} {
		row := eventRow(reconcilers.Event{Field: "model.default", From: "a", To: "b", Message: message}, clock{noon})
		if row.Text != shown {
			t.Errorf("%q is shown as %q with %v", message, row.Text, row.Diff)
		}
	}
}

func TestPlanSaysWhatHoldsItBack(t *testing.T) {
	suspended, tried, drift := suspendedHost(at(noon)), trying(at(noon)), drifted(at(noon))
	for _, c := range []struct {
		f       *fixture
		blocked bool
		held    int
	}{{suspended, true, 3}, {tried, true, 0}, {drift, false, 1}} {
		card := planCard(c.f.plan, c.f.status)
		if (card.Blocked != "") != c.blocked || card.Held != c.held {
			t.Errorf("%+v", card)
		}
	}
	absent := planCard(reconcilers.Plan{Problems: []reconcilers.PlanProblem{{Reconciler: "unit", Reason: "Absent", Message: "no systemd"}}}, api.Status{})
	if len(absent.Problems) != 0 || len(absent.Absent) != 1 {
		t.Errorf("a part that is not on this host is a problem: %+v", absent)
	}
}

func TestConditionsInOneWord(t *testing.T) {
	f := broken(at(noon))
	groups := conditionGroups(f.status.Status, clock{noon})
	if groups[0].Pill.Word != "NOT READY" || !groups[0].Open || groups[1].Pill.Word != "STALLED" || groups[2].Pill.Word != "READY" || groups[2].Open {
		t.Errorf("%+v", groups[:3])
	}
	if got := conditionGroups(unknown(at(noon)).status.Status, clock{noon})[0].Pill; got != (Pill{Word: "UNKNOWN"}) {
		t.Errorf("without conditions: %+v", got)
	}
}

func TestUpdateCardSaysWhatItKnows(t *testing.T) {
	newer, failed := "1.5.2", "the feed answered 502"
	for _, c := range []struct {
		update api.UpdateStatus
		pill   string
		figure string
	}{
		{api.UpdateStatus{CurrentVersion: "1.4.0", Case: "no_releases"}, "unknown", "1.4.0"},
		{api.UpdateStatus{CurrentVersion: "1.4.0", Case: "up_to_date"}, "Up to date", "1.4.0"},
		{api.UpdateStatus{CurrentVersion: "1.4.0", LatestVersion: &newer, Case: "update_available"}, "Update available", "1.4.0 → 1.5.2"},
		{api.UpdateStatus{CurrentVersion: "1.4.0", Case: "up_to_date", Error: &failed}, "unknown", "1.4.0"},
	} {
		card := updateCard(c.update, clock{noon})
		if card.Pill.Word != c.pill || card.Figure != c.figure || card.Pill.Word == "unknown" && card.Why == "" {
			t.Errorf("%+v: %+v", c.update, card)
		}
	}
}

func TestUnifiedTextIsToldByItsSigns(t *testing.T) {
	got := textLines("diff a b\n--- a\n+++ b\n@@ -1 +1 @@\n x\n-old\n+new\n")
	want := []TextLine{{"hunk", "@@ -1 +1 @@"}, {"", " x"}, {"del", "-old"}, {"add", "+new"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPagersKeepTheOtherChoices(t *testing.T) {
	if got := address(map[string][]string{"kind": {"Failed"}, "revisions": {"33"}, "evil": {"x"}}, "events", "270", "events"); got != "/activity?events=270&kind=Failed&revisions=33#events" {
		t.Errorf("address %q", got)
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	list, more := differences(make([]desired.FieldChange, 9))
	if len(list) != diffShown || more != 9-diffShown {
		t.Errorf("%d shown, %d more", len(list), more)
	}
}
