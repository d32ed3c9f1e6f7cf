package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/desired"
	"corehost/reconcilers"
)

func TestBackoffGrowsToItsCapAndStartsOver(t *testing.T) {
	b := &backoff{}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300} {
		limit := want * time.Second
		next := b.fail(day)
		if d := next.Sub(day); d > limit || d < limit*3/4 {
			t.Errorf("attempt %d waits %v, want up to %v", i+1, d, limit)
		}
		if b.When("") != next.Sub(day) {
			t.Errorf("the queue waits %v, the status says %v", b.When(""), next.Sub(day))
		}
	}
	if w := b.wait(day.Add(-time.Hour)); w > backoffMost {
		t.Errorf("a clock set back makes it wait %v", w)
	}
	if b.wait(day.Add(time.Hour)) != 0 {
		t.Error("it waits after its time")
	}
	b.reset()
	if n, next := b.state(); n != 0 || !next.IsZero() || b.wait(day) != 0 {
		t.Errorf("after reset: %d attempts, next %v", n, next)
	}
}

func TestHolder(t *testing.T) {
	later, before := day.Add(time.Hour), day.Add(-time.Hour)
	change := desired.FieldChange{Field: "f", From: "hand", To: "want"}
	drift := func(until *time.Time) map[string]reconcilers.Drift {
		return map[string]reconcilers.Drift{"f": {Field: "f", Desired: "want", IgnoredUntil: until}}
	}
	tests := []struct {
		name string
		h    holder
		want string
	}{
		{"no drift", holder{policy: desired.DriftReport}, ""},
		{"drift healed", holder{policy: desired.DriftHeal, drift: drift(nil)}, ""},
		{"drift reported", holder{policy: desired.DriftReport, drift: drift(nil)}, "drift reported"},
		{"drift reported, asked for", holder{policy: desired.DriftReport, drift: drift(nil), force: true}, ""},
		{"ignored", holder{policy: desired.DriftHeal, drift: drift(&later)}, "ignored until 2026-11-21T13:00:00Z"},
		{"ignored, asked for", holder{policy: desired.DriftHeal, drift: drift(&later), force: true}, "ignored until 2026-11-21T13:00:00Z"},
		{"ignored until before", holder{policy: desired.DriftHeal, drift: drift(&before)}, ""},
		{"suspended", holder{suspended: true, force: true}, "suspended"},
		{"drift of another value", holder{policy: desired.DriftReport, drift: map[string]reconcilers.Drift{"f": {Desired: "old"}}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.h.now = day
			if got := tt.h.why(change); got != tt.want {
				t.Errorf("held %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuspension(t *testing.T) {
	later, before := metav1.NewTime(day.Add(time.Hour)), metav1.NewTime(day.Add(-time.Hour))
	for name, tt := range map[string]struct {
		s    *desired.Suspend
		want bool
	}{
		"absent":   {nil, false},
		"off":      {&desired.Suspend{}, false},
		"on":       {&desired.Suspend{Active: true}, true},
		"to end":   {&desired.Suspend{Active: true, Until: &later}, true},
		"at end":   {&desired.Suspend{Active: true, Until: &before}, false},
		"off, end": {&desired.Suspend{Until: &later}, false},
	} {
		if got, _ := suspension(&desired.Host{Spec: desired.Spec{Suspend: tt.s}}, day); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestETagNamesEverythingAPlanIsMadeFrom(t *testing.T) {
	base := func() []reconcilers.Change {
		return []reconcilers.Change{{Reconciler: "m", Action: "set", Object: "o", From: "s", Fields: []desired.FieldChange{{Field: "f", From: "a", To: "b"}}}}
	}
	first := etag(1, base(), "sum", nil)
	if first != etag(1, base(), "sum", nil) {
		t.Fatal("the same plan has two names")
	}
	moved := base()
	moved[0].From = "t"
	other := base()
	other[0].Fields[0].To = "c"
	for name, tag := range map[string]string{
		"revision": etag(2, base(), "sum", nil), "state": etag(1, moved, "sum", nil), "value": etag(1, other, "sum", nil),
		"config.yaml": etag(1, base(), "sun", nil), "document": etag(1, base(), "sum", []byte("x")), "nothing": etag(1, nil, "sum", nil),
	} {
		if tag == first {
			t.Errorf("another %s has the same name", name)
		}
	}
}

func TestProblemsOfJoinedErrors(t *testing.T) {
	err := errors.Join(
		fmt.Errorf("unit a: %w", reconcilers.ErrAbsent),
		errors.Join(errors.New("unit b failed"), &reconcilers.Blocked{Reason: "Masked", Message: "unmask it"}),
	)
	var got []string
	for _, p := range problemsOf("", err) {
		got = append(got, p.reason)
	}
	if s := strings.Join(got, " "); s != "Absent Retrying Masked" {
		t.Errorf("problems %s", s)
	}
	two := fmt.Errorf("apply: %w: %w", reconcilers.ErrAbsent, errors.New("no bus"))
	if p := problemsOf("", two); len(p) != 1 || p[0].reason != "Absent" {
		t.Errorf("one sentence was taken apart: %+v", p)
	}
}

func TestOutcomeConditions(t *testing.T) {
	tests := []struct {
		name                        string
		o                           outcome
		ready, reconciling, stalled metav1.ConditionStatus
		reason                      string
	}{
		{"converged", outcome{}, "True", "False", "False", "Converged"},
		{"applying", outcome{applying: true}, "False", "True", "False", "Applying"},
		{"retrying", outcome{problems: []problem{{retry, "", "Retrying", "m"}}}, "False", "True", "False", "Retrying"},
		{"blocked beats retry", outcome{problems: []problem{{retry, "", "Retrying", "m"}, {blocked, "", "KeyMissing", "n"}}}, "False", "False", "True", "KeyMissing"},
		{"panic beats all", outcome{problems: []problem{{broken, "", "Panic", "p"}, {blocked, "", "KeyMissing", "n"}}}, "False", "False", "True", "Panic"},
		{"absent", outcome{problems: []problem{{absent, "", "Absent", "m"}}}, "True", "False", "False", "Absent"},
		{"absent and held", outcome{problems: []problem{{absent, "", "Absent", "m"}}, held: map[string]string{"f": heldDrift}}, "False", "False", "False", "DriftReported"},
		{"suspended", outcome{held: map[string]string{"f": heldSuspended}}, "False", "False", "False", "Suspended"},
		{"ignored", outcome{held: map[string]string{"f": heldIgnored + "x"}}, "False", "False", "False", "DriftIgnored"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := tt.o.conditions()
			if condition(list, "Ready") != tt.ready || condition(list, "Reconciling") != tt.reconciling || condition(list, "Stalled") != tt.stalled {
				t.Errorf("conditions %+v", list)
			}
			if r := reason(list, "Ready"); r != tt.reason {
				t.Errorf("reason %s, want %s", r, tt.reason)
			}
			for _, c := range list {
				if c.Reason == "" {
					t.Errorf("%s has no reason, which the convention demands", c.Type)
				}
			}
		})
	}
}

func TestAChangeInFlightIsGivenGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		flight, end := inFlight(ctx)
		defer end()
		cancel()
		time.Sleep(grace - time.Second)
		if flight.Err() != nil {
			t.Error("the change was cut before its grace ended")
		}
		time.Sleep(2 * time.Second)
		if flight.Err() == nil {
			t.Error("the change goes on for ever")
		}
	})
}

func TestTheDoorCanBeGivenUp(t *testing.T) {
	d := newDoor()
	if err := d.enter(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantErr(t, d.enter(ctx), context.Canceled)
	d.leave()
	wantErr(t, d.enter(ctx), context.Canceled)
}

func TestTheDeadlineOfATryKnowsNoClockJumps(t *testing.T) {
	a := attempt{Try: reconcilers.Try{Deadline: day.Add(60 * time.Second)}, Boot: "x", Mono: 60 * time.Second}
	for name, tt := range map[string]struct {
		now  moment
		left time.Duration
	}{
		"as it went":           {at("x", 20, 0), 40 * time.Second},
		"clock set forward":    {at("x", 20, time.Hour), 40 * time.Second},
		"clock set back":       {at("x", 20, -time.Hour), 40 * time.Second},
		"rebooted: the wall":   {at("y", 20, 0), 40 * time.Second},
		"rebooted long before": {at("y", 20, time.Hour), 40*time.Second - time.Hour},
	} {
		if got := a.left(tt.now); got != tt.left {
			t.Errorf("%s: %v left, want %v", name, got, tt.left)
		}
	}
}

func TestFailuresAreLoggedOnceAndByTheScribe(t *testing.T) {
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelInfo}))
	slog.New(quiet{log.Handler()}).Error("the library repeats it at every attempt")
	newScribe(nil, records{}, log).note([]reconcilers.Event{
		{Kind: reconcilers.EventFailed, Reconciler: "model", Object: "config.yaml", Message: "no space left"},
		{Kind: reconcilers.EventApplied, Reconciler: "unit", Message: "started"},
	}, nil)
	got := b.String()
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "no space left") {
		t.Errorf("logged %q, want the failure alone", got)
	}
}
