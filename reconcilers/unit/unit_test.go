package unit_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
	"corehost/reconcilers/reconcilertest"
	"corehost/reconcilers/unit"
)

func want(states ...string) *desired.Host {
	h := &desired.Host{}
	for _, s := range states {
		name, state, _ := strings.Cut(s, "=")
		h.Spec.Units = append(h.Spec.Units, desired.Unit{Name: name, State: desired.UnitState(state)})
	}
	return h
}

func TestSuite(t *testing.T) {
	names := []string{"core-gateway", "core-bridge", "core-bridge-auth", "core-dashboard"}
	reconcilertest.Run(t, reconcilertest.Case{New: func(t *testing.T) reconcilertest.Host {
		m := newMachine(stopped("core-gateway"), failed("core-bridge", "start-limit-hit", time.Hour, 0),
			running("core-bridge-auth"), running("core-dashboard"))
		return reconcilertest.Host{
			Reconciler: unit.New(m, "core-dashboard"),
			Want:       want("core-gateway=running", "core-bridge=running", "core-bridge-auth=stopped", "core-dashboard=running"),
			Observe:    func(*testing.T) *observers.Snapshot { return m.observe(names...) },
			Move: func(*testing.T) {
				m.units["core-gateway"].Active, m.units["core-gateway"].Sub = "failed", "failed"
				m.units["core-bridge"].Invocation = "another start that failed"
				m.units["core-bridge-auth"].Invocation = "restarted by hand"
			},
			State: func(t *testing.T) string {
				data, err := json.MarshalIndent(m.units, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			},
			Shuffle: func(have *observers.Snapshot, r *rand.Rand) {
				u := have.Units.Value.Units
				r.Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
			},
		}
	}})
}

func TestDecision(t *testing.T) {
	settling := func(active, sub string) observers.Unit {
		u := running("u")
		u.Active, u.Sub = active, sub
		return u
	}
	missing := observers.Unit{Name: "u", Load: "not-found", Active: "inactive", Sub: "dead"}
	orphan := running("u")
	orphan.Load = "not-found"
	masked, broken := stopped("u"), stopped("u")
	masked.Load, broken.Load = "masked", "bad-setting"
	tests := []struct {
		name   string
		unit   observers.Unit
		want   string
		action reconcilers.Action
		from   string
		err    string // part of the error's text
		kind   error
		reason string
	}{
		{name: "start what is stopped", unit: stopped("u"), want: "running", action: "start", from: "stopped"},
		{name: "stop what runs", unit: running("u"), want: "stopped", action: "stop", from: "running"},
		{name: "running already", unit: running("u"), want: "running"},
		{name: "stopped already", unit: stopped("u"), want: "stopped"},
		{name: "failed is stopped enough", unit: failed("u", "signal", time.Second, time.Hour), want: "stopped"},
		{name: "starting by itself", unit: settling("activating", "start-pre"), want: "running"},
		{name: "between automatic restarts", unit: settling("activating", "auto-restart"), want: "running"},
		{name: "reloading", unit: settling("reloading", "reload"), want: "running"},
		{name: "stopping by itself", unit: settling("deactivating", "stop-sigterm"), want: "stopped"},
		{name: "stopping although it should run: wait for the end", unit: settling("deactivating", "stop-sigterm"), want: "running"},
		{name: "stop a restart loop", unit: settling("activating", "auto-restart"), want: "stopped", action: "stop", from: "activating"},
		{name: "killed after a while: at once", unit: failed("u", "signal", time.Second, time.Hour), want: "running", action: "start", from: "failed"},
		{name: "crashed at its start: later", unit: failed("u", "exit-code", 4*time.Second, time.Second), want: "running", err: "the next start is due at 2026-11-21T12:00:06Z"},
		{name: "crashed at its start: now", unit: failed("u", "exit-code", 11*time.Second, time.Second), want: "running", action: "start", from: "failed"},
		{name: "start limit: later", unit: failed("u", "start-limit-hit", 9*time.Second, time.Hour), want: "running", err: "start-limit-hit"},
		{name: "start limit: now", unit: failed("u", "start-limit-hit", 10*time.Second, time.Hour), want: "running", action: "start", from: "failed"},
		{name: "the clock was set back", unit: failed("u", "start-limit-hit", -time.Hour, time.Hour), want: "running", action: "start", from: "failed"},
		{name: "no unit file", unit: missing, want: "running", err: `"u"`, kind: reconcilers.ErrAbsent},
		{name: "no unit file, to be stopped", unit: missing, want: "stopped", err: `"u"`, kind: reconcilers.ErrAbsent},
		{name: "runs without a unit file", unit: orphan, want: "stopped", action: "stop", from: "running"},
		{name: "masked", unit: masked, want: "running", err: "systemctl unmask u", kind: reconcilers.ErrBlocked, reason: unit.ReasonMasked},
		{name: "masked is stopped", unit: masked, want: "stopped"},
		{name: "unit file does not load", unit: broken, want: "running", err: "bad-setting", kind: reconcilers.ErrBlocked, reason: unit.ReasonUnitFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := unit.New(nil, "").Plan(want("u="+tt.want), newMachine(tt.unit).observe("u"))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			checkKind(t, err, tt.kind, tt.reason)
			if tt.action == "" {
				if len(changes) > 0 {
					t.Errorf("planned %+v, want nothing", changes)
				}
				return
			}
			want := []desired.FieldChange{{Field: "units[u].state", From: tt.from, To: tt.want}}
			if len(changes) != 1 || changes[0].Action != tt.action || cmp.Diff(want, changes[0].Fields) != "" {
				t.Errorf("planned %+v, want %s %v", changes, tt.action, want)
			}
		})
	}
}

func checkKind(t *testing.T, err, kind error, reason string) {
	t.Helper()
	for _, k := range []error{reconcilers.ErrAbsent, reconcilers.ErrBlocked} {
		if errors.Is(err, k) != errors.Is(kind, k) {
			t.Errorf("errors.Is(%v, %v) is %v", err, k, errors.Is(err, k))
		}
	}
	var blocked *reconcilers.Blocked
	if errors.As(err, &blocked) && blocked.Reason != reason {
		t.Errorf("reason %q, want %q", blocked.Reason, reason)
	}
}

func TestOneAbsentUnitDoesNotHideTheOthers(t *testing.T) {
	m := newMachine(stopped("a"), observers.Unit{Name: "b", Load: "not-found", Active: "inactive"}, running("c"))
	changes, err := unit.New(m, "").Plan(want("a=running", "b=running", "c=stopped"), m.observe("c", "b", "a"))
	if !errors.Is(err, reconcilers.ErrAbsent) {
		t.Errorf("got %v, want ErrAbsent", err)
	}
	if len(changes) != 2 || changes[0].Object != "a" || changes[1].Object != "c" {
		t.Errorf("planned %+v, want a and c in the order of the document", changes)
	}
}

func TestTheOperatorNeverStopsItself(t *testing.T) {
	m := newMachine(running("core-dashboard"))
	changes, err := unit.New(m, "core-dashboard").Plan(want("core-dashboard=stopped"), m.observe("core-dashboard"))
	var blocked *reconcilers.Blocked
	if !errors.As(err, &blocked) || blocked.Reason != unit.ReasonSelfStop || len(changes) > 0 {
		t.Errorf("got %v, %+v, want SelfStop", err, changes)
	}
}

func TestNoServiceManager(t *testing.T) {
	have := newMachine().observe()
	have.Units.Value = observers.Units{Reason: "systemd does not run here"}
	_, err := unit.New(nil, "").Plan(want("a=running"), have)
	if !errors.Is(err, reconcilers.ErrAbsent) || !strings.Contains(err.Error(), "systemd does not run here") {
		t.Errorf("got %v, want ErrAbsent with the reason", err)
	}
}

func TestUnitJustAddedIsRetried(t *testing.T) {
	_, err := unit.New(nil, "").Plan(want("new=running"), newMachine(running("old")).observe("old"))
	if err == nil || errors.Is(err, reconcilers.ErrAbsent) || errors.Is(err, reconcilers.ErrBlocked) {
		t.Errorf("got %v, want an error that is retried", err)
	}
}

// A start limit that was hit would refuse the start.
func TestFailedIsResetBeforeTheStart(t *testing.T) {
	m := newMachine(failed("a", "start-limit-hit", time.Hour, 0))
	r := unit.New(m, "")
	changes, err := r.Plan(want("a=running"), m.observe("a"))
	if err != nil || len(changes) != 1 {
		t.Fatalf("plan: %+v, %v", changes, err)
	}
	if err := r.Apply(t.Context(), changes[0]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"reset-failed a", "start a"}, m.calls); diff != "" || m.units["a"].Active != "active" {
		t.Errorf("unit %s; calls (-want +got):\n%s", m.units["a"].Active, diff)
	}
}
