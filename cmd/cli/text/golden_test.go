package text

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/desired"
	"corehost/reconcilers"
)

var update = flag.Bool("update", false, "write the golden files anew")

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time   { return now.Add(-d) }
func agoP(d time.Duration) *time.Time { t := ago(d); return &t }
func to[T any](v T) *T                { return &v }

func cond(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func healthy() Overview {
	ready := []metav1.Condition{cond(reconcilers.Ready, metav1.ConditionTrue, "Converged", "converged")}
	return Overview{
		Status: api.Status{
			Status: reconcilers.Status{
				Revision: 12, Converged: true, LastGood: 12,
				Conditions:  []metav1.Condition{cond(reconcilers.DesiredValid, metav1.ConditionTrue, "Valid", "")},
				Reconcilers: []reconcilers.ReconcilerStatus{{Name: "model", Conditions: ready}, {Name: "reasoning", Conditions: ready}, {Name: "unit", Conditions: ready}, {Name: "retention", Conditions: ready}},
			},
			Verdict:  api.Verdict{Level: "healthy", Title: "Healthy"},
			Hostname: "amber.example.net", Home: "/var/lib/core",
		},
		Stats: &api.SystemStats{
			OS: "Debian GNU/Linux 13 (trixie)", UptimeSeconds: to(int64(41*86400 + 3*3600)),
			LoadAvg: &api.LoadAvg{One: 0.42, Five: 0.38, Fifteen: 0.31},
			Memory:  &api.MemoryUse{UsedMB: 2114, TotalMB: 7936, UsedPercent: 26.6}, Disk: &api.DiskUse{Path: "/", UsedGB: 50, TotalGB: 80, UsedPercent: 62.5},
			Units: []api.UnitStatus{
				{Name: "core-gateway", State: "ACTIVE", SubState: "running", Since: agoP(6 * 24 * time.Hour), PID: 4711, Known: true},
				{Name: "core-dashboard", State: "ACTIVE", SubState: "running", Since: agoP(3 * time.Hour), PID: 815, Known: true},
				{Name: "core-dashboard-auth", State: "DOWN", Reason: "no unit file", Known: true},
			},
			Vault: &api.VaultCard{State: "uninitialised", Detail: "no vault yet: the first stored key makes one"},
		},
		Model: &api.ModelInfo{Provider: "anthropic", Model: "claude-opus-4-7", ReasoningEffort: "high", EffectiveContextLength: to(200000)},
	}
}

func troubled() Overview {
	o := healthy()
	o.Status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 3 things to do", Items: []api.VerdictItem{
		{Code: "restart_required", Level: "attention", What: "The new model is not running yet", Why: "core-gateway still runs claude-sonnet-4-6, for 4 minutes: it reads config.yaml only when it starts.", Command: "cli unit restart core-gateway"},
		{Code: "unit_down", Level: "attention", What: "core-bridge is down", Why: "It stopped after 5 restarts in a minute; messages wait until it runs.", Command: "cli unit restart core-bridge"},
		{Code: "drift", Level: "attention", What: "model.provider was changed by hand"},
	}}
	o.Status.Converged, o.Status.LastGood = false, 11
	o.Status.Conditions = []metav1.Condition{
		cond(reconcilers.DesiredValid, metav1.ConditionFalse, "Invalid", `desired.yaml:3:5: spec.modle: unknown key; did you mean "model"?`),
		cond(reconcilers.Suspended, metav1.ConditionTrue, "Suspended", "kernel upgrade, until 18:00"),
		cond(reconcilers.Journaling, metav1.ConditionFalse, "ReadOnly", "operator.db is on a read-only file system"),
	}
	o.Status.Reconcilers[0].Conditions = []metav1.Condition{cond(reconcilers.Stalled, metav1.ConditionTrue, "ConfigInvalid", "config.yaml:14:3: found a tab where blanks belong; mend the file and the loop goes on by itself")}
	o.Status.Reconcilers[2] = reconcilers.ReconcilerStatus{Name: "unit", Attempts: 3, NextTry: to(now.Add(42 * time.Second)),
		Conditions: []metav1.Condition{cond(reconcilers.Reconciling, metav1.ConditionTrue, "Retrying", "start core-bridge: exit status 1")}}
	o.Status.Try = &reconcilers.Try{ID: 1, Deadline: now.Add(51 * time.Second), Revision: 12, Base: 11}
	o.Status.Drift = drifts()
	o.Status.Restart = notices()
	o.Status.Secrets = to("secrets: 6 keys, 1 due, 0 overdue, vault key backed up: no")
	o.Stats.Disk.UsedPercent, o.Stats.Disk.Red = 89.2, true
	o.Stats.Units[2] = api.UnitStatus{Name: "core-bridge", State: "DOWN", SubState: "failed", Reason: "exit code 1", Since: agoP(12 * time.Minute), Restarts: 5, Known: true}
	o.Stats.Units[1].Known = false
	return o
}

// alone is a host without systemd and without a daemon.
func alone() Overview {
	o := healthy()
	o.Plan = &reconcilers.Plan{Revision: 12, Changes: planned()[:2]}
	for i := range o.Stats.Units {
		o.Stats.Units[i] = api.UnitStatus{Name: o.Stats.Units[i].Name, State: "DOWN", Reason: "no service manager here: this host does not run systemd"}
	}
	return o
}

func drifts() []reconcilers.Drift {
	return []reconcilers.Drift{
		{Field: "model.provider", Object: "config.yaml", Reconciler: "model", Desired: "anthropic", Actual: "openai", Seen: ago(4 * time.Minute), By: "root with vim (pid 4211)"},
		{Field: "agent.reasoning_effort", Object: "config.yaml", Reconciler: "reasoning", Desired: "high", Seen: ago(26 * time.Hour), IgnoredUntil: to(now.Add(20 * time.Hour)), IgnoredBy: "cli:1000"},
	}
}

func notices() []reconcilers.RestartNotice {
	return []reconcilers.RestartNotice{{Unit: "core-gateway", Field: "model.default", Running: "claude-sonnet-4-6", Configured: "claude-opus-4-7", Since: ago(4 * time.Minute), Revision: 12}}
}

func planned() []reconcilers.PlannedChange {
	both := reconcilers.Needs{Restart: []string{"core-gateway", "core-dashboard"}}
	return []reconcilers.PlannedChange{
		{Reconciler: "model", Action: "set", Object: "config.yaml", Field: "model.provider", From: "openai", To: "anthropic", Needs: both},
		{Reconciler: "model", Action: "set", Object: "config.yaml", Field: "model.default", From: "gpt-5.2", Needs: both, Held: "drift reported"},
		{Reconciler: "unit", Action: "start", Object: "core-bridge", Field: "units[core-bridge].state", From: "stopped", To: "running"},
		{Reconciler: "retention", Action: "delete", Object: "core-20260901T030000Z.tar.gz", Field: "backups[core-20260901T030000Z.tar.gz]", From: "1.2 GiB, verified", Reason: "not among the 14 newest"},
	}
}

func revisions() []api.Revision {
	return []api.Revision{
		{Number: 12, Time: ago(4 * time.Minute), Author: "cli:1000", InForce: true, Diff: []desired.FieldChange{{Field: "model.provider", From: "openai", To: "anthropic"}}},
		{Number: 11, Time: ago(3 * time.Hour), Author: "rollback", Note: "back to revision 8", Diff: []desired.FieldChange{{Field: "model.default", From: "gpt-5.2"}}},
		{Number: 8, Time: ago(40 * 24 * time.Hour), Author: "file"},
	}
}

func modelInfo() api.ModelInfo {
	configured := api.ModelChoice{Provider: "anthropic", Model: "claude-opus-4-7", ReasoningEffort: "high"}
	old := api.ModelChoice{Provider: "anthropic", Model: "claude-sonnet-4-6", ReasoningEffort: "high"}
	return api.ModelInfo{
		Provider: "anthropic", Model: "claude-opus-4-7", ReasoningEffort: "high",
		EffectiveContextLength: to(200000), AutoContextLength: to(1000000), ConfigContextLength: to(200000),
		Capabilities: api.Capabilities{SupportsReasoning: true, SupportsTools: true, SupportsVision: true, MaxOutputTokens: 64000},
		Tiers:        api.Tiers{Cheap: "claude-haiku-4-5", Frontier: "claude-opus-4-7"}, Configured: configured,
		Running: api.RunningChoice{ModelChoice: old, Units: []api.RunningModel{
			{Unit: "core-gateway", ModelChoice: old, Since: agoP(26 * time.Hour), Running: true},
			{Unit: "core-dashboard", ModelChoice: configured, Since: agoP(3 * time.Minute), Running: true},
		}},
		RestartRequired: true, Source: map[string]string{"provider": "desired", "model": "config", "reasoning_effort": "default"},
	}
}

func options() api.ModelOptions {
	return api.ModelOptions{Provider: "anthropic", Model: "claude-opus-4-7", Providers: []api.ProviderOption{
		{Slug: "anthropic", Name: "Anthropic", Active: true, KeyStatus: "configured", DefaultModel: "claude-opus-4-7", Models: []api.ModelOption{
			{ID: "claude-opus-4-7", ContextLength: 1000000, Efforts: []string{"low", "medium", "high"}}, {ID: "claude-haiku-4-5", ContextLength: 200000}}},
		{Slug: "openai", Name: "OpenAI", KeyStatus: "missing", KeyEnv: "OPENAI_API_KEY", DefaultModel: "gpt-5.2", Models: make([]api.ModelOption, 31)},
		{Slug: "ollama", Name: "Ollama", KeyStatus: "not_needed", DefaultModel: "llama3.3"},
	}}
}

func explanation() reconcilers.Explanation {
	return reconcilers.Explanation{
		Field: "model.provider", Managed: true, Why: "core-gateway still runs the old value: it reads config.yaml only when it starts.",
		Desired:    &reconcilers.ExplainDesired{Value: "anthropic", Revision: 12, Author: "cli:1000", At: ago(4 * time.Minute), Line: 9},
		Configured: &reconcilers.ExplainValue{Where: "config.yaml", Value: "anthropic", Seen: ago(2 * time.Second)},
		Running: []reconcilers.ExplainValue{{Where: "core-gateway", Value: "openai", Seen: ago(time.Second)},
			{Where: "core-dashboard", Note: "not running"}},
		NextTry: to(now.Add(90 * time.Second)), Drift: &drifts()[0],
	}
}

func events() []reconcilers.Event {
	return []reconcilers.Event{
		{ID: 3, Time: ago(4 * time.Minute), Kind: reconcilers.EventApplied, Reconciler: "model", Field: "model.provider", From: "openai", To: "anthropic", Revision: 12, Actor: reconcilers.ActorOperator},
		{ID: 2, Time: ago(5 * time.Minute), Kind: reconcilers.EventConfirmed, Message: "the try of revision 11 was kept", Actor: "cli:1000", Revision: 11},
		{ID: 1, Time: ago(26 * time.Hour), Kind: reconcilers.EventFailed, Message: "start core-bridge: the unit entered failed: exit status 1; the last lines of its log say: no such file or directory"},
		{ID: 0, Time: ago(27 * time.Hour), Kind: reconcilers.EventReverted, Actor: "health gate", Revision: 11, Message: "core-gateway did not stay up on revision 10; revision 11 brings revision 9 back, and it is up again\n2026-11-20T08:59:12+0000 amber gateway[282]: starting\n2026-11-20T08:59:13+0000 amber gateway[282]: this model takes no such effort"},
	}
}

// pages are all texts with a realistic body; each is looked at in a golden
// file at 80 columns, narrow, wide and in colour.
func pages() map[string]func(Style) string {
	result := api.ApplyResult{Revision: 12, Applied: planned()[:1], Diff: revisions()[0].Diff, Converged: true, Restart: notices(),
		Try: &reconcilers.Try{Deadline: now.Add(time.Minute), Revision: 12, Base: 11}}
	return map[string]func(Style) string{
		"status-healthy":  func(s Style) string { return Status(s, healthy()) },
		"status-troubled": func(s Style) string { return Status(s, troubled()) },
		"status-alone":    func(s Style) string { return Status(s, alone()) },
		"units-unknown":   func(s Style) string { return Units(s, alone().Stats.Units) },
		"plan":            func(s Style) string { return Plan(s, reconcilers.Plan{Revision: 12, Changes: planned()}) },
		"plan-empty":      func(s Style) string { return Plan(s, reconcilers.Plan{Revision: 12}) },
		"plan-problem":    func(s Style) string { return Plan(s, reconcilers.Plan{Revision: 12, Problems: problems()}) },
		"dry-run": func(s Style) string {
			return DryRun(s, api.ApplyResult{Revision: 12, Applied: planned(), Diff: result.Diff})
		},
		"applied":         func(s Style) string { return Applied(s, result) },
		"applied-nothing": func(s Style) string { return Applied(s, api.ApplyResult{Revision: 12, Converged: true}) },
		"drift":           func(s Style) string { return Drift(s, drifts()) },
		"drift-none":      func(s Style) string { return Drift(s, nil) },
		"explain":         func(s Style) string { return Explain(s, explanation()) },
		"explain-free": func(s Style) string {
			return Explain(s, reconcilers.Explanation{Field: "model.default", Converged: true})
		},
		"history":         func(s Style) string { return History(s, api.RevisionList{Revisions: revisions(), More: true}) },
		"revision":        func(s Style) string { r := revisions()[0]; r.Unified = unified; return Revision(s, r) },
		"model":           func(s Style) string { return Model(s, modelInfo()) },
		"providers":       func(s Style) string { return Providers(s, options()) },
		"provider-models": func(s Style) string { return ProviderModels(s, options().Providers[0], "claude-opus-4-7") },
		"model-set": func(s Style) string {
			return ModelSet(s, api.ModelSet{Revision: 13, Provider: "openai", Model: "gpt-5.2"}, notices())
		},
		"units":          func(s Style) string { return Units(s, troubled().Stats.Units) },
		"unit-restarted": func(s Style) string { return UnitRestarted(s, restarted()) },
		"events": func(s Style) string {
			text := ""
			for _, e := range events() {
				text += Event(s, e)
			}
			return text
		},
	}
}

const unified = "--- revision 11\n+++ revision 12\n@@ -7,3 +7,3 @@\n   model:\n-    provider: openai\n+    provider: anthropic # the new one\n     default: \"\"\n"

func problems() []reconcilers.PlanProblem {
	return []reconcilers.PlanProblem{{Reconciler: "model", Reason: "ConfigInvalid", Message: "config.yaml:14:3: found a tab where blanks belong; the file is left alone until it is mended"}}
}

func restarted() api.UnitResult {
	return api.UnitResult{Unit: healthy().Stats.Units[0], Healthy: false, Reverted: 11, Message: "core-gateway did not stay active for 5 s after the restart: unknown provider antropic"}
}

func TestPages(t *testing.T) {
	styles := map[string]Style{
		"80": {Width: 80, Now: now}, "40": {Width: 40, Now: now}, "140": {Width: 140, Now: now}, "color": {Width: 80, Now: now, Color: true},
	}
	for name, page := range pages() {
		for variant, style := range styles {
			t.Run(name+"/"+variant, func(t *testing.T) { golden(t, name+"."+variant, page(style)) })
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the text of %s changed (-want +got), -update takes the new one:\n%s", name, diff)
	}
}
