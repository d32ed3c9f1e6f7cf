package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"corehost/observers"
	"corehost/reconcilers"
)

const gateway = "core-gateway"

// fails makes every restart end in failure while config.yaml says so.
func (h *host) fails(when func(config string) bool) {
	h.units.onRestart = func(_ string, u *observers.Unit) {
		if when(h.config()) {
			u.Active, u.Sub, u.Result = "failed", "failed", "exit-code"
		}
	}
}

func TestARestartClearsTheNotice(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway, "core-dashboard"), self: "core-dashboard"})
	h.converge()
	h.desire(wantModel("claude-opus-4-1"))
	h.converge()
	s := h.engine.Status()
	if len(s.Restart) != 2 || s.Restart[0].Running != "claude-sonnet-4-5" || s.Restart[0].Configured != "claude-opus-4-1" {
		t.Fatalf("restart %+v, want both units", s.Restart)
	}
	if m := message(s.Conditions, reconcilers.RestartRequired); !strings.Contains(m, "core-gateway, core-dashboard") {
		t.Errorf("message %q", m)
	}
	result, err := h.engine.RestartUnit(ctx, gateway, "cli:0")
	if err != nil || !result.Healthy {
		t.Fatalf("restart: %+v, %v", result, err)
	}
	if s := h.engine.Status(); len(s.Restart) != 1 || s.Restart[0].Unit != "core-dashboard" {
		t.Errorf("restart %+v, want only the dashboard", s.Restart)
	}
	_, err = h.engine.RestartUnit(ctx, "core-dashboard", "cli:0")
	wantErr(t, err, ErrSelf)
	_, err = h.engine.RestartUnit(ctx, "no-such-unit", "cli:0")
	wantErr(t, err, ErrNoUnit)
	if told := h.events(reconcilers.EventRestarted); len(told) != 1 || told[0].Actor != "cli:0" {
		t.Errorf("told %+v", told)
	}
}

func TestAnUnhealthyChangeIsTakenBackOnce(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway)})
	h.converge()
	time.Sleep(2 * h.engine.config.Settle) // a unit must have been up for a while to prove a revision
	h.converge()
	if good := h.engine.Status().LastGood; good != 1 {
		t.Fatalf("last good %d, want 1", good)
	}
	h.fails(func(config string) bool { return strings.Contains(config, "claude-broken") })
	h.desire(wantModel("claude-broken"))
	h.converge()
	result, err := h.engine.RestartUnit(ctx, gateway, "cli:0")
	if err != nil || result.Reverted != 1 || !result.Healthy {
		t.Fatalf("result %+v, %v", result, err)
	}
	h.wants("claude-sonnet-4-5")
	if r := h.store.Current().Revision; r.Number != 3 || r.Author != reconcilers.ActorHealth {
		t.Errorf("revision %d by %s", r.Number, r.Author)
	}
	if r := h.engine.Status().Reverted; r == nil || r.Revision != 2 || r.To != 1 || r.Reason != "core-gateway did not stay up on revision 2: it failed (exit-code)" {
		t.Errorf("the status says %+v was taken back", r)
	}
	again := newHost(t, setup{dir: h.dir, units: h.units}) // also after a restart
	again.converge()
	if r := again.engine.Status().Reverted; r == nil || r.Revision != 2 {
		t.Errorf("after a restart, %+v was taken back", r)
	}
	again.close()
	e := h.awaitEvent(reconcilers.EventReverted, "did not stay up on revision 2")
	if !strings.Contains(e.Message, "cannot start") || strings.Contains(e.Message, "very-secret") {
		t.Errorf("the log is not kept, or not without its secret: %q", e.Message)
	}
	h.converge()
	h.wants("claude-sonnet-4-5")

	// Whatever happens now, it does not go round in circles.
	h.fails(func(string) bool { return true })
	before := h.store.Current().Revision.Number
	result, err = h.engine.RestartUnit(ctx, gateway, "cli:0")
	if err != nil || result.Healthy || result.Reverted != 0 {
		t.Errorf("result %+v, %v", result, err)
	}
	if now := h.store.Current().Revision.Number; now != before {
		t.Errorf("revision %d, want %d", now, before)
	}
}

func TestAFailedUnitProvesNothing(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway)})
	h.units.set(gateway, func(u *observers.Unit) { u.Active = "failed" })
	h.converge()
	if s := h.engine.Status(); s.LastGood != 0 || !s.Converged {
		t.Errorf("last good %d, converged %v", s.LastGood, s.Converged)
	}
}

func TestUnknownUnitsProveNothing(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway)})
	h.units.err = errors.New("no bus")
	h.converge()
	if s := h.engine.Status(); s.LastGood != 0 || !s.Converged {
		t.Errorf("last good %d, converged %v", s.LastGood, s.Converged)
	}
}

func TestUnitsThatAskForItAreRestarted(t *testing.T) {
	spec := func(model string) string {
		return document("  model: {default: " + model + "}\n  units:\n    - {name: core-gateway, restartOnConfigChange: true}\n" +
			"    - {name: core-dashboard, restartOnConfigChange: true}\n")
	}
	h := newHost(t, setup{desired: spec("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway, "core-dashboard"), self: "core-dashboard"})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.write("desired.yaml", spec("claude-opus-4-1"))
	h.awaitEvent(reconcilers.EventRestarted, gateway)
	s := h.await("the notice", func(s reconcilers.Status) bool { return s.Revision == 2 && len(s.Restart) == 1 })
	if s.Restart[0].Unit != "core-dashboard" {
		t.Errorf("restart %+v", s.Restart)
	}
	if n := h.units.restarts(); n != 1 {
		t.Errorf("%d restarts, want 1", n)
	}
}

func TestAUnitThatGoesDownIsTold(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway)})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.units.set(gateway, func(u *observers.Unit) { u.Active, u.Result = "failed", "oom-kill" })
	e := h.awaitEvent(reconcilers.EventObserved, "core-gateway is down: failed (oom-kill)")
	if e.Actor != reconcilers.ActorSystemd {
		t.Errorf("actor %q", e.Actor)
	}
	h.units.set(gateway, func(u *observers.Unit) { *u = h.units.started(*u) })
	h.awaitEvent(reconcilers.EventObserved, "core-gateway is up")
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"api_key=abc123 rest":                  "api_key=*** rest",
		`{"token": "abc123", "a": 1}`:          `{"token": "***", "a": 1}`,
		"Authorization: Bearer abc.def":        "Authorization: Bearer ***",
		"using sk-ant-0123456789abcdef here":   "using *** here",
		"nothing to hide: model claude-4 fine": "nothing to hide: model claude-4 fine",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestARevisionFoundBadIsNoReasonForASecondRevert(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig, units: newMachine(gateway)})
	h.engine.overview.lastGood = 1
	h.desire(wantModel("claude-broken"))
	if good, helps := h.engine.gate.suspect(ctx, gateway, 2); !helps || good != 1 {
		t.Errorf("revision 2 is not suspected: good %d", good)
	}
	if _, helps := h.engine.gate.suspect(ctx, "core-bridge", 2); helps {
		t.Error("a unit that does not read config.yaml suspects it")
	}
	if err := (records{db: h.db}).commit(ctx, h.engine.gate.condemn(2)); err != nil {
		t.Fatal(err)
	}
	h.close()
	h = newHost(t, setup{dir: h.dir}) // also after a restart
	h.engine.overview.lastGood = 1
	if _, helps := h.engine.gate.suspect(ctx, gateway, 2); helps {
		t.Error("revision 2 is suspected again")
	}
}
