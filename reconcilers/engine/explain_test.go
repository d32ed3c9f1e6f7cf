package engine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"corehost/desired/store"
	"corehost/reconcilers"
)

func TestExplain(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, setup{
		desired: document("  drift: report\n  model:\n    default: claude-opus-4-1\n"),
		config:  firstConfig, units: newMachine(gateway), self: "core-dashboard",
	})
	h.converge()
	if _, err := h.store.Edit(ctx, store.Write{Author: "api:anna"}, setEffort("high")); err != nil {
		t.Fatal(err)
	}
	h.converge()
	explain := func(field string) reconcilers.Explanation {
		t.Helper()
		x, err := h.engine.Explain(ctx, field)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := explain("model.default")
	if d := x.Desired; d == nil || d.Value != "claude-opus-4-1" || d.Revision != 1 || d.Author != "file" || d.Line != 8 {
		t.Errorf("desired %+v", d)
	}
	if !x.Managed || !x.Converged || x.Configured.Value != "claude-opus-4-1" || !strings.Contains(x.Why, "since revision 1") {
		t.Errorf("%+v", x)
	}
	if len(x.Running) != 2 || x.Running[0].Where != gateway || x.Running[0].Value != "claude-sonnet-4-5" || x.Running[1].Value != "claude-sonnet-4-5" {
		t.Errorf("running %+v", x.Running)
	}
	for _, name := range []string{"agent.reasoning_effort", "agent.reasoningEffort"} {
		if x := explain(name); x.Desired.Revision != 2 || x.Desired.Author != "api:anna" || x.Configured.Value != "high" {
			t.Errorf("%s: %+v", name, x)
		}
	}
	if x := explain("model.provider"); x.Managed || x.Desired != nil || x.Configured.Value != "anthropic" || !strings.Contains(x.Why, "not managed") {
		t.Errorf("%+v", x)
	}
	if x := explain("drift"); x.Desired.Value != "report" {
		t.Errorf("%+v", x)
	}
	h.write("config.yaml", strings.Replace(h.config(), "claude-opus-4-1", "claude-mine", 1))
	h.converge()
	if x := explain("model.default"); x.Converged || x.Drift == nil || x.Why != "held back: drift reported" {
		t.Errorf("%+v", x)
	}
	_, err := h.engine.Explain(ctx, "no.such")
	wantErr(t, err, ErrUnknownField)
}

func TestWithoutADatabaseEverythingElseWorks(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "operator.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"desired.yaml": wantModel("claude-opus-4-1"), "config.yaml": firstConfig} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t, setup{dir: dir})
	h.run()
	s := h.await("convergence", func(s reconcilers.Status) bool { return s.Converged })
	h.wants("claude-opus-4-1")
	if condition(s.Conditions, reconcilers.Journaling) != "False" || message(s.Conditions, reconcilers.Journaling) == "" {
		t.Errorf("conditions %+v", s.Conditions)
	}
	h.awaitEvent(reconcilers.EventApplied, "claude-opus-4-1")
	_, err := h.engine.Apply(ctx, ApplyRequest{Try: time.Hour})
	if err == nil || h.engine.Status().Try != nil {
		t.Errorf("a try was begun without a disk: %v", err)
	}
}

func TestConditionsKeepTheTimeOfTheirTransition(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
	h.converge()
	before := of(h.engine.Status(), "model").Conditions[0].LastTransitionTime
	h.close()
	time.Sleep(time.Until(before.Add(1100 * time.Millisecond))) // the convention counts whole seconds
	h = newHost(t, setup{dir: h.dir})
	if s := h.engine.Status(); s.Converged {
		t.Error("what the last process saw counts as seen now")
	}
	h.converge()
	if after := of(h.engine.Status(), "model").Conditions[0].LastTransitionTime; after.Unix() != before.Unix() {
		t.Errorf("the transition moved from %v to %v", before, after)
	}
}

func TestNothingRunsOnAfterTheEnd(t *testing.T) {
	count := func() int {
		for range 100 { // goroutines that were told to end need a moment to
			runtime.Gosched()
			time.Sleep(time.Millisecond)
		}
		return runtime.NumGoroutine()
	}
	before := count()
	for range 5 {
		t.Run("run", func(t *testing.T) {
			h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig})
			h.run()
			h.await("convergence", func(s reconcilers.Status) bool { return s.Converged })
		})
	}
	limit := time.Now().Add(10 * time.Second)
	after := count()
	for after > before && time.Now().Before(limit) {
		after = count()
	}
	if after > before {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
}
