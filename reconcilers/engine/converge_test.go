package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/desired/store"
	"corehost/reconcilers"
)

func TestConvergeBringsTheHostToTheDocumentOnce(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	h.converge()
	h.wants("claude-opus-4-1")
	if s := h.engine.Status(); !s.Converged || s.Revision != 1 {
		t.Errorf("status %+v, want converged on revision 1", s)
	}
	events := len(h.events())
	h.converge()
	h.wants("claude-opus-4-1")
	if again := len(h.events()); again != events {
		t.Errorf("the second pass told something:\n%s", h.told())
	}
	applied := h.events(reconcilers.EventApplied)
	if len(applied) != 1 || applied[0].Field != "model.default" || applied[0].From != "claude-sonnet-4-5" ||
		applied[0].To != "claude-opus-4-1" || applied[0].Revision != 1 {
		t.Errorf("applied events %+v", applied)
	}
}

func TestAnEditedDocumentConvergesByItself(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.write("desired.yaml", wantModel("claude-opus-4-1"))
	h.await("the edit", func(s reconcilers.Status) bool { return s.Converged && s.Revision == 2 })
	h.wants("claude-opus-4-1")
	h.awaitEvent(reconcilers.EventRevised, "model.default claude-sonnet-4-5 → claude-opus-4-1")
}

func TestAnInvalidDocumentLeavesTheLastGoodInForce(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	h.write("desired.yaml", document("  model:\n    povider: anthropic\n"))
	s := h.await("the refusal", func(s reconcilers.Status) bool { return condition(s.Conditions, reconcilers.DesiredValid) == "False" })
	if m := message(s.Conditions, reconcilers.DesiredValid); !strings.Contains(m, "desired.yaml:7:5") {
		t.Errorf("message %q has no place", m)
	}
	if !s.Converged || s.Revision != 1 {
		t.Errorf("revision 1 is not in force any more: %+v", s)
	}
	h.awaitEvent(reconcilers.EventRefused, "desired.yaml:7:5")
	h.write("desired.yaml", wantModel("claude-haiku-4-5"))
	h.await("the mended file", func(s reconcilers.Status) bool {
		return condition(s.Conditions, reconcilers.DesiredValid) == "True" && s.Converged && s.Revision == 2
	})
	h.wants("claude-haiku-4-5")
}

func TestAPlanIsBoundToWhatItWasMadeFrom(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	plan, err := h.engine.Plan(ctx)
	if err != nil || len(plan.Changes) != 1 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	for _, tt := range []struct {
		name string
		move func()
	}{
		{"the host moved", func() { h.write("config.yaml", firstConfig+"# more\n") }},
		{"the document moved", func() { h.desire(wantModel("claude-haiku-4-5")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.move()
			before := h.config()
			_, err := h.engine.Apply(ctx, ApplyRequest{IfMatch: plan.ETag})
			wantErr(t, err, ErrPlanStale)
			if h.config() != before {
				t.Error("config.yaml was changed")
			}
		})
	}
	fresh, _ := h.engine.Plan(ctx)
	result, err := h.engine.Apply(ctx, ApplyRequest{IfMatch: fresh.ETag})
	if err != nil || len(result.Applied) != 1 || !result.Converged {
		t.Errorf("the fresh plan: %+v, %v", result, err)
	}
}

func TestApplyPutsADocumentInForce(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	doc := []byte(wantModel("claude-opus-4-1"))
	plan, diff, err := h.engine.Preview(ctx, doc)
	if err != nil || len(plan.Changes) != 1 || len(diff) != 1 {
		t.Fatalf("preview %+v %+v %v", plan, diff, err)
	}
	h.wants("claude-sonnet-4-5")
	result, err := h.engine.Apply(ctx, ApplyRequest{Document: doc, IfMatch: plan.ETag, Actor: "cli:0"})
	if err != nil {
		t.Fatal(err)
	}
	if result.Revision != 2 || len(result.Applied) != 1 || len(result.Diff) != 1 || !result.Converged {
		t.Errorf("result %+v", result)
	}
	h.wants("claude-opus-4-1")
	if r := h.store.Current().Revision; r.Author != "cli:0" {
		t.Errorf("author %q", r.Author)
	}
}

func TestASuspendedHostIsLeftUntouched(t *testing.T) {
	ctx := context.Background()
	spec := "  suspend: {active: true, reason: the migration runs}\n  model: {default: claude-opus-4-1}\n"
	h := newHost(t, setup{desired: document(spec), config: firstConfig})
	h.converge()
	if h.config() != firstConfig {
		t.Fatalf("config.yaml was changed:\n%s", h.config())
	}
	s := h.engine.Status()
	if condition(s.Conditions, reconcilers.Suspended) != "True" || s.Converged {
		t.Errorf("status %+v", s)
	}
	_, err := h.engine.Apply(ctx, ApplyRequest{})
	wantErr(t, err, ErrSuspended)
	plan, _ := h.engine.Plan(ctx)
	if len(plan.Changes) != 1 || plan.Changes[0].Held != "suspended" {
		t.Errorf("plan %+v, want one change held", plan)
	}
	if told := h.events(reconcilers.EventPlanned); len(told) != 1 {
		t.Errorf("planned events %+v", told)
	}
	h.desire(document("  model: {default: claude-opus-4-1}\n"))
	h.converge()
	h.wants("claude-opus-4-1")
}

func TestTheEndOfASuspensionResumes(t *testing.T) {
	until := time.Now().Add(1200 * time.Millisecond).UTC().Format("2006-01-02T15:04:05Z")
	h := newHost(t, setup{
		desired: document("  suspend: {active: true, until: \"" + until + "\"}\n  model: {default: claude-opus-4-1}\n"), config: firstConfig,
	})
	h.run()
	h.await("the end of the suspension", func(s reconcilers.Status) bool { return s.Converged })
	h.wants("claude-opus-4-1")
}

func TestEditsOfTheAPIRaceWithEditsOfTheFile(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{desired: wantModel("claude-0") + "  # a comment that stays\n", config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	const rounds = 15
	done := make(chan error, 2)
	for _, author := range []string{"api:anna", "api:ben"} {
		go func() {
			for i := range rounds {
				effort := []string{"low", "high", "medium"}[i%3]
				if _, err := h.store.Edit(ctx, store.Write{Author: author}, setEffort(effort)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for i := range rounds {
		careful(h, "default: claude-"+itoa(i), "default: claude-"+itoa(i+1))
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	revision := h.store.Current().Revision.Number
	h.await("the last edit", func(s reconcilers.Status) bool { return s.Converged && s.Revision == revision })
	if got := h.config(); !strings.Contains(got, "default: claude-"+itoa(rounds)+"\n") || !strings.Contains(got, "reasoning_effort: medium") {
		t.Errorf("the last edits did not win:\n%s", got)
	}
	if !strings.Contains(h.read("desired.yaml"), "# a comment that stays") {
		t.Error("the comment is lost")
	}
	if n := len(revisions(h)); n < rounds {
		t.Errorf("%d revisions: an edit left no trace", n)
	}
}

// careful replaces a text in the document as a person does who reads the file
// again whenever somebody else was faster.
func careful(h *host, old, next string) {
	h.t.Helper()
	for {
		text := h.read("desired.yaml")
		if !strings.Contains(text, old) {
			h.t.Fatalf("%q is gone from\n%s", old, text)
		}
		w := store.Write{Author: "cli:0", IfMatch: sumOf(text)}
		_, err := h.store.Replace(context.Background(), w, []byte(strings.Replace(text, old, next, 1)))
		if err == nil {
			return
		}
		if !errors.Is(err, home.ErrChanged) {
			h.t.Fatal(err)
		}
	}
}
