package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/desired/store"
	"corehost/reconcilers"
)

func (h *host) try(document string, d time.Duration) ApplyResult {
	h.t.Helper()
	r := ApplyRequest{Try: d, Actor: "cli:0"}
	if document != "" {
		r.Document = []byte(document)
	}
	result, err := h.engine.Apply(context.Background(), r)
	if err != nil {
		h.t.Fatal(err)
	}
	if result.Try == nil {
		h.t.Fatalf("no try was begun: %+v", result)
	}
	return result
}

func TestATryTakesItselfBack(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.try(wantModel("claude-opus-4-1"), 300*time.Millisecond)
	h.wants("claude-opus-4-1")
	h.await("the revert", func(s reconcilers.Status) bool { return s.Try == nil && s.Converged && s.Revision == 3 })
	if h.config() != firstConfig {
		t.Errorf("config.yaml is not what it was, byte for byte:\n%s", h.config())
	}
	if got := h.read("desired.yaml"); got != wantModel("claude-sonnet-4-5") {
		t.Errorf("desired.yaml is\n%s", got)
	}
	if r := h.store.Current().Revision; r.Author != reconcilers.ActorTry {
		t.Errorf("author %q", r.Author)
	}
	h.awaitEvent(reconcilers.EventReverted, "revision 3 is revision 1 again")
}

func TestAConfirmedTryStays(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged && s.LastGood == 1 })
	result := h.try(wantModel("claude-opus-4-1"), 3*time.Second)
	if _, err := h.engine.Apply(ctx, ApplyRequest{Document: []byte(wantModel("claude-haiku-4-5"))}); err == nil {
		t.Error("another document was taken while a try runs")
	}
	if s := h.engine.Status(); s.Try == nil || s.Try.Base != 1 || s.Try.Revision != 2 || s.LastGood != 1 {
		t.Errorf("status %+v, want a try of revision 2 over 1 and last good 1", s)
	}
	if _, err := h.engine.Confirm(ctx, "cli:0"); err != nil {
		t.Fatal(err)
	}
	_, err := h.engine.Confirm(ctx, "cli:0")
	wantErr(t, err, ErrNoTry)
	time.Sleep(time.Until(result.Try.Deadline) + 50*time.Millisecond) // nothing may happen then, and nothing tells so
	h.wants("claude-opus-4-1")
	h.await("last good", func(s reconcilers.Status) bool { return s.LastGood == 2 && s.Try == nil })
}

func TestAnInvalidOrStaleRequestBeginsNoTry(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	for name, r := range map[string]ApplyRequest{
		"invalid": {Document: []byte("nonsense"), Try: time.Hour},
		"stale":   {Document: []byte(wantModel("claude-opus-4-1")), Try: time.Hour, IfMatch: "old"},
	} {
		if _, err := h.engine.Apply(ctx, r); err == nil {
			t.Errorf("%s: no error", name)
		}
		if s := h.engine.Status(); s.Try != nil || s.Revision != 1 {
			t.Errorf("%s: status %+v", name, s)
		}
	}
	_, err := h.engine.Revert(ctx, "cli:0")
	wantErr(t, err, ErrNoTry)
}

func TestARevertKeepsWhatOthersWrote(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	h.try(wantModel("claude-opus-4-1"), time.Hour)
	// Meanwhile: an edit of the document, which joins the try, and an edit of
	// another key in config.yaml, which is nobody's business here.
	if _, err := h.store.Edit(ctx, store.Write{Author: "file"}, setEffort("high")); err != nil {
		t.Fatal(err)
	}
	h.converge()
	h.write("config.yaml", h.config()+"other: precious\n")
	if _, err := h.engine.Revert(ctx, "cli:0"); err != nil {
		t.Fatal(err)
	}
	got := h.config()
	if !strings.Contains(got, "other: precious") || !strings.Contains(got, "claude-sonnet-4-5") || strings.Contains(got, "reasoning_effort") {
		t.Errorf("config.yaml is\n%s", got)
	}
	h.awaitEvent(reconcilers.EventReverted, "can be found in revision 3")
}

func TestATryOfWhatIsPendingGoesBackWithoutAFight(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: document(reported), config: firstConfig})
	h.converge()
	h.byHand("claude-mine")
	h.converge()
	h.try("", time.Hour) // puts the drift back, for now
	h.wants("claude-opus-4-1")
	if _, err := h.engine.Revert(ctx, "cli:0"); err != nil {
		t.Fatal(err)
	}
	h.desire(document(strings.Replace(reported, "report", "heal", 1)))
	h.converge()
	h.wants("claude-mine")
	if d := h.engine.Drift(); len(d) != 1 || d[0].IgnoredUntil == nil {
		t.Errorf("drift %+v, want one that is ignored for a while", d)
	}
}

func TestOneTryAtATime(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	h.try(wantModel("claude-opus-4-1"), time.Hour)
	_, err := h.engine.Apply(ctx, ApplyRequest{Try: time.Hour})
	wantErr(t, err, ErrTryRunning)
	err = h.engine.trial.begin(ctx, attempt{}, home.File{})
	wantErr(t, err, ErrTryRunning)
}
