package text

import (
	"strings"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0 s": -time.Second, "42 s": 42*time.Second + 900*time.Millisecond, "1 min": time.Minute, "4 min 5 s": 4*time.Minute + 5*time.Second,
		"59 min": 59*time.Minute + 59*time.Second, "3 h 20 min": 3*time.Hour + 20*time.Minute, "1 day 1 h": 25 * time.Hour,
		"6 days 4 h": 148 * time.Hour, "41 days": 41*24*time.Hour + 3*time.Hour,
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	s := Style{Now: now}
	for want, at := range map[string]time.Time{
		"just now": ago(4 * time.Second), "5 s ago": ago(5 * time.Second), "4 min ago": ago(4*time.Minute + 50*time.Second),
		"23 h ago": ago(23 * time.Hour), "1 day ago": ago(47 * time.Hour), "29 days ago": ago(29 * 24 * time.Hour),
		"on 2026-10-12": ago(40 * 24 * time.Hour), "in 2 min": ago(-2 * time.Minute), "at an unknown time": {},
	} {
		if got := s.Age(at); got != want {
			t.Errorf("Age(%v) = %q, want %q", at, got, want)
		}
	}
}

func TestValuesDoNotDriveTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain → text":        "plain → text",
		"\x1b[2J\x1b]0;x\a":   `\x1b[2J\x1b]0;x\a`,
		"two\nlines\r":        `two\nlines\r`,
		"\u202egnp.exe":       `\u202egnp.exe`,
		"\u009b31m":           `\u009b31m`,
		"broken \xff bytes":   "broken \ufffd bytes",
		"a\x00b":              `a\x00b`,
		"nothing\u2028hidden": `nothing\u2028hidden`,
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestEveryPageIsClean puts a hostile value wherever a body has a text.
func TestEveryPageIsClean(t *testing.T) {
	const hostile = "\x1b[31mFAKE\x1b[0m\nerror: forged\r\a"
	o := troubled()
	o.Status.Hostname, o.Status.Home, o.Stats.OS, o.Model.Model, o.Model.ReasoningEffort = hostile, hostile, hostile, hostile, hostile
	o.Status.Verdict.Items[0].What, o.Status.Verdict.Items[0].Why, o.Status.Verdict.Items[0].Command = hostile, hostile, hostile
	o.Status.Drift[0].By, o.Status.Drift[0].Actual, o.Status.Drift[0].Field = hostile, hostile, hostile
	o.Status.Restart[0].Unit, o.Status.Restart[0].Running = hostile, hostile
	o.Status.Conditions[0].Message, o.Status.Conditions[1].Message = hostile, hostile
	o.Status.Reconcilers[0].Conditions[0].Message, o.Status.Reconcilers[0].Name, o.Status.Reconcilers[1].Name = hostile, hostile, hostile
	o.Stats.Units[0].Name, o.Stats.Units[0].SubState, o.Stats.Units[1].Reason = hostile, hostile, hostile
	e := explanation()
	e.Field, e.Why, e.Desired.Value, e.Desired.Author, e.Configured.Value, e.Running[0].Where, e.Running[1].Note = hostile, hostile, hostile, hostile, hostile, hostile, hostile
	r := revisions()[0]
	r.Author, r.Note, r.Unified, r.Diff[0].From, r.Diff[0].Field = hostile, hostile, "+"+strings.ReplaceAll(hostile, "\n", " "), hostile, hostile
	s := Style{Now: now, Width: 80}
	pages := map[string]string{
		"status": Status(s, o), "explain": Explain(s, e), "revision": Revision(s, r), "drift": Drift(s, o.Status.Drift),
		"event": Event(s, events()[0]), "units": Units(s, o.Stats.Units),
	}
	for name, page := range pages {
		if i := strings.IndexAny(page, "\x1b\r\a\x00"); i >= 0 {
			t.Errorf("%s sends a control character: %q", name, page[max(0, i-20):i+20])
		}
		if strings.Contains(page, "\nerror: forged") {
			t.Errorf("%s lets a value begin a line", name)
		}
	}
}

func TestPagesFitTheirWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		for name, page := range pages() {
			for line := range strings.Lines(page(Style{Now: now, Width: width})) {
				if n := visible(strings.TrimRight(line, "\n")); n > width && strings.Contains(line, " ") && !strings.Contains(line, "secrets: ") {
					t.Errorf("%s at %d columns has a line of %d: %s", name, width, n, line)
				}
			}
		}
	}
}
