package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"corehost/reconcilers"
)

// byHand changes the model in config.yaml as somebody with an editor does.
func (h *host) byHand(name string) {
	h.t.Helper()
	h.write("config.yaml", strings.Replace(firstConfig, "claude-sonnet-4-5", name, 1))
	if err := h.hub.Refresh(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

const reported = "  drift: report\n  model: {default: claude-opus-4-1}\n"

func TestAHandEditIsHealedAndAttributed(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	h.converge()
	h.byHand("claude-wrong")
	h.converge()
	h.wants("claude-opus-4-1")
	drifted, healed := h.events(reconcilers.EventDrifted), h.events(reconcilers.EventHealed)
	if len(drifted) != 1 || drifted[0].To != "claude-wrong" || !strings.Contains(drifted[0].Actor, "root") {
		t.Errorf("drifted %+v", drifted)
	}
	if len(healed) != 1 || healed[0].From != "claude-wrong" || !strings.Contains(healed[0].Message, "changed by root") {
		t.Errorf("healed %+v", healed)
	}
	if d := h.engine.Drift(); len(d) != 0 {
		t.Errorf("drift is left: %+v", d)
	}
}

func TestReportedDriftIsHeldUntilAnswered(t *testing.T) {
	ctx := context.Background()
	drifted := func(t *testing.T) *host {
		h := newHost(t, setup{desired: document(reported), config: firstConfig})
		h.converge()
		h.byHand("claude-mine")
		h.converge()
		s := h.engine.Status()
		if len(s.Drift) != 1 || s.Drift[0].Actual != "claude-mine" || s.Drift[0].Desired != "claude-opus-4-1" {
			t.Fatalf("drift %+v", s.Drift)
		}
		if r := reason(of(s, "model").Conditions, reconcilers.Ready); r != reasonDrift || s.Converged {
			t.Errorf("reason %s, converged %v", r, s.Converged)
		}
		h.wants("claude-mine")
		return h
	}
	t.Run("apply puts it back", func(t *testing.T) {
		h := drifted(t)
		if _, err := h.engine.Apply(ctx, ApplyRequest{}); err != nil {
			t.Fatal(err)
		}
		h.wants("claude-opus-4-1")
	})
	t.Run("adopt makes it desired", func(t *testing.T) {
		h := drifted(t)
		if _, err := h.engine.Adopt(ctx, "model.default", "api:anna"); err != nil {
			t.Fatal(err)
		}
		if got := h.read("desired.yaml"); got != document(strings.Replace(reported, "claude-opus-4-1", "claude-mine", 1)) {
			t.Errorf("desired.yaml is\n%s", got)
		}
		h.wants("claude-mine")
		if s := h.engine.Status(); !s.Converged || len(s.Drift) != 0 {
			t.Errorf("status %+v", s)
		}
	})
	t.Run("ignore ends by itself", func(t *testing.T) {
		h := drifted(t)
		if err := h.engine.Ignore(ctx, "model.default", time.Now().Add(time.Hour), "api:anna"); err != nil {
			t.Fatal(err)
		}
		if _, err := h.engine.Apply(ctx, ApplyRequest{}); err != nil {
			t.Fatal(err)
		}
		h.wants("claude-mine")
		if err := h.engine.Ignore(ctx, "model.default", time.Now().Add(-time.Hour), "api:anna"); err != nil {
			t.Fatal(err)
		}
		if _, err := h.engine.Apply(ctx, ApplyRequest{}); err != nil {
			t.Fatal(err)
		}
		h.wants("claude-opus-4-1")
	})
	t.Run("a new desired value ends it", func(t *testing.T) {
		h := drifted(t)
		if err := h.engine.Ignore(ctx, "model.default", time.Now().Add(time.Hour), "api:anna"); err != nil {
			t.Fatal(err)
		}
		h.desire(document(strings.Replace(reported, "claude-opus-4-1", "claude-haiku-4-5", 1)))
		h.converge()
		h.wants("claude-haiku-4-5")
		if d := h.engine.Drift(); len(d) != 0 {
			t.Errorf("drift is left: %+v", d)
		}
	})
	t.Run("it outlives the process", func(t *testing.T) {
		h := drifted(t)
		h.engine.scribe.flush(ctx)
		again := newHost(t, setup{dir: h.dir})
		again.converge()
		if d := again.engine.Drift(); len(d) != 1 || d[0].Actual != "claude-mine" {
			t.Errorf("drift %+v", d)
		}
		again.wants("claude-mine")
	})
	t.Run("put back by hand", func(t *testing.T) {
		h := drifted(t)
		h.byHand("claude-opus-4-1")
		h.converge()
		if s := h.engine.Status(); !s.Converged || len(s.Drift) != 0 {
			t.Errorf("status %+v", s)
		}
	})
}

func TestDriftErrors(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: document(reported), config: firstConfig})
	h.converge()
	_, err := h.engine.Adopt(ctx, "model.default", "api:anna")
	wantErr(t, err, ErrNoDrift)
	wantErr(t, h.engine.Ignore(ctx, "model.provider", time.Now(), "api:anna"), ErrNoDrift)
	wantErr(t, h.engine.Ignore(ctx, "no.such", time.Now(), "api:anna"), ErrUnknownField)
}

func TestAValueThatWasNeverRightIsNoDrift(t *testing.T) {
	h := newHost(t, setup{desired: document(reported), config: firstConfig})
	h.converge()
	h.wants("claude-opus-4-1")
	h.desire(document(strings.Replace(reported, "claude-opus-4-1", "claude-haiku-4-5", 1)))
	h.converge()
	h.wants("claude-haiku-4-5")
	if told := h.events(reconcilers.EventDrifted); len(told) != 0 {
		t.Errorf("drifted %+v", told)
	}
}

func TestAFightIsSlowedDown(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	h.converge()
	for range 3 * fightHeals {
		h.byHand("claude-wrong")
		_ = h.engine.Converge(context.Background())
	}
	if n := len(h.events(reconcilers.EventHealed)); n != fightHeals {
		t.Errorf("healed %d times, want %d and then a pause", n, fightHeals)
	}
	s := of(h.engine.Status(), "model")
	if reason(s.Conditions, reconcilers.Reconciling) != reasonFighting || s.NextTry == nil {
		t.Errorf("status %+v", s)
	}
	if n := len(h.events(reconcilers.EventFailed)); n != 1 {
		t.Errorf("%d failures told, want 1", n)
	}
}
