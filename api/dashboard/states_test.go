package dashboard

import (
	"fmt"
	"math"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/desired"
	"corehost/observers/history"
	"corehost/reconcilers"
)

// states are the hosts every page is rendered for.
var states = []struct {
	name string
	make func(now func() time.Time) *fixture
}{
	{"healthy", healthy}, {"attention", attention}, {"broken", broken}, {"nosystemd", noSystemd}, {"unknown", unknown},
	{"try", trying}, {"suspended", suspendedHost}, {"drift", drifted}, {"empty", emptyHistory},
}

func ptr[T any](v T) *T { return &v }

func before(now func() time.Time, d time.Duration) *time.Time { return ptr(now().Add(-d)) }

func cond(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(noon.Add(-4 * time.Minute)), ObservedGeneration: 42}
}

func setCondition(list []metav1.Condition, kind string, status metav1.ConditionStatus, reason, message string) []metav1.Condition {
	list = slices.DeleteFunc(slices.Clone(list), func(c metav1.Condition) bool { return c.Type == kind })
	return append(list, cond(kind, status, reason, message))
}

func ready(name string) reconcilers.ReconcilerStatus {
	return reconcilers.ReconcilerStatus{Name: name, Conditions: []metav1.Condition{
		cond("Ready", "True", "Converged", "the host is as revision 42 says"), cond("Reconciling", "False", "Idle", ""), cond("Stalled", "False", "Working", ""),
	}}
}

func healthy(now func() time.Time) *fixture {
	f := &fixture{now: now, watchers: map[chan string]bool{}, explain: map[string]reconcilers.Explanation{}, ages: map[string]time.Time{}}
	for i, name := range []string{"host", "unit", "platform", "key", "vault", "mesh", "backup"} {
		f.ages[name] = now().Add(-time.Duration(1+i*3) * time.Second)
	}
	f.stats = api.SystemStats{
		OS: "Debian GNU/Linux 12 (bookworm)", DashboardVersion: "0.2.0", Hostname: "amber.example.net", UptimeSeconds: ptr(int64(3553200)), CPUs: 2,
		LoadAvg: &api.LoadAvg{One: .42, Five: .38, Fifteen: .31}, Memory: &api.MemoryUse{UsedMB: 2114, TotalMB: 7936, UsedPercent: 26.6},
		Disk:         &api.DiskUse{Path: "/", UsedGB: 34, TotalGB: 80, UsedPercent: 44.2},
		RemoteAccess: &api.RemoteAccess{State: "connected", Label: "Connected", Hostname: "amber.tail1a2b.ts.net", IPs: []string{"100.84.12.7", "fd7a:115c:a1e0::5401:c07"}},
		Vault:        &api.VaultCard{State: "unknown", StorePath: "/var/lib/core/secrets.db", KeyPath: "/var/lib/core/.kek", Detail: "The files of the vault are in place. How many keys it holds is not known yet."},
		ObservedAt:   before(now, time.Second),
	}
	for _, name := range []string{"core-gateway", "core-dashboard", "core-dashboard-auth", "core-bridge", "core-bridge-auth"} {
		f.stats.Units = append(f.stats.Units, api.UnitStatus{Name: name, State: "ACTIVE", SubState: "running", Since: before(now, 6*24*time.Hour+3*time.Hour), PID: 812, Known: true})
	}
	f.status = api.Status{
		Verdict: api.Verdict{Level: "healthy", Title: "Healthy"}, Hostname: "amber.example.net", Home: "/var/lib/core",
		Status: reconcilers.Status{Revision: 42, Converged: true, LastGood: 42, Conditions: []metav1.Condition{
			cond("Ready", "True", "Converged", "the host is as revision 42 says"), cond("RestartRequired", "False", "NothingWaits", ""), cond("Suspended", "False", "NotSuspended", ""), cond("DesiredValid", "True", "Valid", "revision 42 is in force"),
		}, Reconcilers: []reconcilers.ReconcilerStatus{ready("model"), ready("reasoning"), ready("unit"), ready("retention")}},
	}
	f.samples = wave(now())
	f.models()
	f.update = api.UpdateStatus{CurrentVersion: "0.2.0", Case: "no_releases", ApplyInstruction: "No releases are published yet."}
	f.plan = reconcilers.Plan{Revision: 42, ETag: "c0ffee"}
	f.story()
	return f
}

func wave(now time.Time) []history.Sample {
	var list []history.Sample
	for i := range 1440 {
		t := float64(i)
		v := .35 + .18*math.Sin(t/90) + .12*math.Sin(t/31+2) + .5*math.Exp(-(t-420)*(t-420)/3600) + .04*math.Sin(t*1.7)
		list = append(list, history.Sample{At: now.Add(-time.Duration(1440-i) * 15 * time.Second), Load: ptr(math.Max(v, .03)), Memory: ptr(24 + 4*v + 2*math.Sin(t/200)), Disk: ptr(43.9 + t/4800)})
	}
	return list
}

// models fills the model page: a catalogue of believable size.
func (f *fixture) models() {
	f.info = api.ModelInfo{
		Model: "claude-opus-4-7", Provider: "anthropic", EffectiveContextLength: ptr(200000), AutoContextLength: ptr(200000), ReasoningEffort: "high",
		Capabilities: api.Capabilities{SupportsReasoning: true, SupportsTools: true, SupportsVision: true, MaxOutputTokens: 64000},
		Tiers:        api.Tiers{Cheap: "claude-haiku-4-5", Frontier: "claude-opus-4-7"}, Configured: api.ModelChoice{Provider: "anthropic", Model: "claude-opus-4-7", ReasoningEffort: "high"},
		Source: map[string]string{"provider": "desired", "model": "desired", "reasoning_effort": "desired"}, ObservedAt: before(f.now, 8*time.Second),
	}
	for _, unit := range []string{"core-gateway", "core-dashboard"} {
		f.info.Running.Units = append(f.info.Running.Units, api.RunningModel{Unit: unit, ModelChoice: f.info.Configured, Running: true, Since: before(f.now, 6*24*time.Hour)})
	}
	f.options = api.ModelOptions{Provider: "anthropic", Model: "claude-opus-4-7", Providers: []api.ProviderOption{
		{Slug: "anthropic", Name: "Anthropic", DefaultModel: "claude-sonnet-4-6", Active: true, KeyStatus: "configured", KeyLabel: "KEY CONFIGURED", KeyEnv: "ANTHROPIC_API_KEY", Switchable: true, Models: []api.ModelOption{
			{ID: "claude-haiku-4-5", Name: "Claude Haiku 4.5", ContextLength: 200000}, {ID: "claude-opus-4-7", Name: "Claude Opus 4.7", ContextLength: 200000, SupportsReasoning: true, Efforts: []string{"low", "medium", "high"}},
			{ID: "claude-sonnet-4-6", Name: "Claude Sonnet 4.6", ContextLength: 1000000, SupportsReasoning: true}}},
		{Slug: "openai", Name: "OpenAI", DefaultModel: "gpt-5.2", KeyStatus: "configured", KeyLabel: "KEY CONFIGURED", KeyEnv: "OPENAI_API_KEY", Switchable: true, Models: []api.ModelOption{{ID: "gpt-5.2", Name: "GPT-5.2", ContextLength: 400000, SupportsReasoning: true}, {ID: "gpt-5-mini", Name: "gpt-5-mini", ContextLength: 400000}}},
		{Slug: "ollama", Name: "Ollama", DefaultModel: "qwen3", KeyStatus: "not_needed", KeyLabel: "NO KEY NEEDED", Switchable: true, Models: []api.ModelOption{{ID: "qwen3", Name: "qwen3"}}},
	}}
	for i, name := range []string{"AiHubMix", "Azure OpenAI", "AWS Bedrock", "Cerebras", "Chutes", "Deepseek", "Google Gemini", "Groq", "Hugging Face", "Kimi", "Mistral", "Moonshot", "Nous", "NVIDIA", "OpenRouter", "Venice", "Vertex AI", "xAI", "ZAI"} {
		p := api.ProviderOption{Slug: fmt.Sprintf("p%02d", i), Name: name, DefaultModel: "m-0", KeyStatus: "missing", KeyEnv: fmt.Sprintf("P%02d_API_KEY", i)}
		p.KeyLabel = "NO KEY (" + p.KeyEnv + ")"
		for j := range 5 + i*9 {
			p.Models = append(p.Models, api.ModelOption{ID: fmt.Sprintf("m-%d", j), Name: fmt.Sprintf("Model %d", j), ContextLength: 32768 * (1 + j%7), SupportsReasoning: j%3 == 0})
		}
		f.options.Providers = append(f.options.Providers, p)
	}
}

// story fills revisions, events and explanations.
func (f *fixture) story() {
	at := func(d time.Duration) time.Time { return f.now().Add(-d) }
	text := "apiVersion: core.dev/v1alpha1\nkind: Host\nmetadata:\n  name: amber\nspec:\n  model:\n    provider: anthropic\n    default: claude-opus-4-7   # the careful one\n"
	add := func(n int64, ago time.Duration, author, note string, diff ...desired.FieldChange) {
		f.revisions = append(f.revisions, api.Revision{Number: n, Time: at(ago), Author: author, Note: note, Diff: diff, InForce: n == 42, Text: text,
			Unified: fmt.Sprintf("diff revision %d revision %d\n--- revision %d\n+++ revision %d\n@@ -5,4 +5,4 @@\n spec:\n   model:\n     provider: anthropic\n-    default: claude-sonnet-4-6   # the careful one\n+    default: claude-opus-4-7   # the careful one\n", n-1, n, n-1, n)})
	}
	add(42, 4*time.Minute, "api:loopback", "model anthropic claude-opus-4-7", desired.FieldChange{Field: "model.default", From: "claude-sonnet-4-6", To: "claude-opus-4-7"})
	add(41, 26*time.Hour, "cli:0", "", desired.FieldChange{Field: "backup.retention.keepDaily", From: "0", To: "7"}, desired.FieldChange{Field: "backup.retention.keepLast", From: "7", To: "14"})
	add(40, 50*time.Hour, "file", "")
	for n := int64(39); n > 25; n-- {
		add(n, time.Duration(100-n)*24*time.Hour, "file", "", desired.FieldChange{Field: "agent.reasoningEffort", From: "medium", To: "high"})
	}
	id := int64(311)
	event := func(ago time.Duration, e reconcilers.Event) {
		e.ID, e.Time = id, at(ago)
		id--
		f.events = append(f.events, e)
	}
	event(4*time.Minute, reconcilers.Event{Kind: reconcilers.EventApplied, Reconciler: "model", Object: "config.yaml", Field: "model.default", From: "claude-sonnet-4-6", To: "claude-opus-4-7", Message: "config.yaml written", Actor: "operator", Revision: 42})
	event(4*time.Minute, reconcilers.Event{Kind: reconcilers.EventRevised, Message: "revision 42 is in force", Actor: "api:loopback", Revision: 42})
	event(16*time.Minute, reconcilers.Event{Kind: reconcilers.EventObserved, Object: "core-bridge", Message: "core-bridge stopped after 5 restarts in a minute", Actor: "systemd"})
	event(2*time.Hour, reconcilers.Event{Kind: reconcilers.EventHealed, Object: "config.yaml", Field: "agent.reasoning_effort", From: "low", To: "high", Message: "put back after root with vim (pid 4211) changed it", Actor: "operator", Revision: 41})
	event(7*time.Hour, reconcilers.Event{Kind: reconcilers.EventApplied, Reconciler: "retention", Object: "core-20261107T030000Z.tar.gz", Message: "core-20261107T030000Z.tar.gz was removed; 14 newer verified backups are kept", Actor: "operator", Revision: 41})
	event(26*time.Hour, reconcilers.Event{Kind: reconcilers.EventRevised, Message: "revision 41 is in force", Actor: "cli:0", Revision: 41})
	event(27*time.Hour, reconcilers.Event{Kind: reconcilers.EventFailed, Reconciler: "unit", Object: "core-bridge", Message: "start core-bridge: the job failed", Actor: "operator", Revision: 40})
	for range 40 {
		event(60*time.Hour, reconcilers.Event{Kind: reconcilers.EventStarted, Message: "the dashboard started, version 0.2.0"})
	}
	f.explain["model.default"] = reconcilers.Explanation{
		Field: "model.default", Managed: true, Converged: false, Why: "core-gateway still runs claude-sonnet-4-6; it reads config.yaml only when it starts",
		Desired:    &reconcilers.ExplainDesired{Value: "claude-opus-4-7", Revision: 42, Author: "api:loopback", At: at(4 * time.Minute), Line: 8},
		Configured: &reconcilers.ExplainValue{Where: "config.yaml", Value: "claude-opus-4-7", Seen: at(8 * time.Second)},
		Running:    []reconcilers.ExplainValue{{Where: "core-gateway", Value: "claude-sonnet-4-6", Seen: at(2 * time.Second)}, {Where: "core-dashboard", Value: "", Seen: at(2 * time.Second), Note: "not running"}},
	}
}

func attention(now func() time.Time) *fixture {
	f := healthy(now)
	f.stats.Disk = &api.DiskUse{Path: "/", UsedGB: 71, TotalGB: 80, UsedPercent: 89.1, Red: true}
	f.stats.Units[3] = api.UnitStatus{Name: "core-bridge", State: "DOWN", SubState: "failed", Since: before(now, 12*time.Minute), Restarts: 5, Known: true, Reason: "it ended too often and is not started again"}
	f.stats.RemoteAccess = &api.RemoteAccess{State: "not_connected", Label: "Installed but not connected", Detail: "The client is stopped: run tailscale up"}
	f.status.Restart = []reconcilers.RestartNotice{{Unit: "core-gateway", Field: "model.default", Running: "claude-sonnet-4-6", Configured: "claude-opus-4-7", Since: now().Add(-4 * time.Minute), Revision: 42}, {Unit: "core-dashboard", Field: "model.default", Running: "claude-sonnet-4-6", Configured: "claude-opus-4-7", Since: now().Add(-4 * time.Minute), Revision: 42}}
	f.info.RestartRequired = true
	for i := range f.info.Running.Units {
		f.info.Running.Units[i].Model = "claude-sonnet-4-6"
	}
	f.status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 4 things to do", Items: []api.VerdictItem{
		{Code: "restart_required", Level: "attention", What: "core-gateway still runs the old settings", Why: "For 4 minutes now: model.default is claude-opus-4-7, it runs claude-sonnet-4-6. It reads them only when it starts", Kind: "restart_unit", Target: "core-gateway", Action: "Restart gateway", Command: "cli unit restart core-gateway"},
		{Code: "restart_required", Level: "attention", What: "core-dashboard still runs the old settings", Why: "For 4 minutes now: model.default is claude-opus-4-7, it runs claude-sonnet-4-6. It reads them only when it starts", Kind: "restart_unit", Target: "core-dashboard", Action: "Restart dashboard"},
		{Code: "unit_down", Level: "attention", What: "core-bridge is down", Why: "It ended too often and is not started again, 12 minutes ago. Messages wait until it runs", Kind: "start_unit", Target: "core-bridge", Action: "Start bridge"},
		{Code: "disk_full", Level: "attention", What: "The disk / is 89 % full", Why: "71 of 80 GB are used. When it is full, no change and no backup can be written", Kind: "link", Target: "/"},
	}}
	return f
}

func broken(now func() time.Time) *fixture {
	f := healthy(now)
	f.status.Converged = false
	f.status.Verdict = api.Verdict{Level: "broken", Title: "Broken: 3 things to do", Items: []api.VerdictItem{
		{Code: "stalled", Level: "broken", What: "The model cannot be brought to what desired.yaml says", Why: "config.yaml:12:3: mapping values are not allowed in this context. Nothing else is held up by it", Kind: "link", Target: "/activity", Action: "Show what holds it"},
		{Code: "vault_key_missing", Level: "broken", What: "The vault key is missing", Why: "/var/lib/core/.kek is gone, so the 6 keys in the store cannot be opened. Restore it from a backup", Command: "cli secrets kek-restore FILE"},
		{Code: "desired_invalid", Level: "attention", What: "desired.yaml is not in force as it stands", Why: `desired.yaml:7:5: spec.model.provder: unknown key; did you mean "provider"? Revision 42 stays in force until it is mended`, Kind: "link", Target: "/activity", Action: "Show the place"},
	}}
	f.stats.Vault = &api.VaultCard{State: "key_missing", StorePath: "/var/lib/core/secrets.db", KeyPath: "/var/lib/core/.kek", Detail: "The store is there but its key file is not. Restore the key from a backup to open the store."}
	f.status.Conditions = setCondition(setCondition(f.status.Conditions, "DesiredValid", "False", "UnknownKey", `desired.yaml:7:5: spec.model.provder: unknown key; did you mean "provider"?`), "Ready", "False", "Stalled", "model waits for a person")
	f.status.Reconcilers[0] = reconcilers.ReconcilerStatus{Name: "model", Attempts: 3, NextTry: ptr(now().Add(2 * time.Minute)), Conditions: []metav1.Condition{cond("Ready", "False", "ConfigInvalid", ""), cond("Reconciling", "False", "Stalled", ""), cond("Stalled", "True", "ConfigInvalid", "config.yaml:12:3: mapping values are not allowed in this context")}}
	f.plan.Problems = []reconcilers.PlanProblem{{Reconciler: "model", Reason: "ConfigInvalid", Message: "config.yaml:12:3: mapping values are not allowed in this context. It is left as it is until it parses."}}
	f.info = api.ModelInfo{Running: f.info.Running, ObservedAt: f.info.ObservedAt}
	return f
}

func noSystemd(now func() time.Time) *fixture {
	f := healthy(now)
	const reason = "No service manager answers: /run/dbus/system_bus_socket does not exist"
	for i := range f.stats.Units {
		f.stats.Units[i] = api.UnitStatus{Name: f.stats.Units[i].Name, State: "DOWN", Reason: reason}
	}
	f.stats.Warnings = append(f.stats.Warnings, api.Warning{Source: "units", Message: reason})
	f.stats.RemoteAccess = &api.RemoteAccess{State: "not_installed", Label: "Not installed"}
	f.stats.Vault = &api.VaultCard{State: "uninitialised", StorePath: "/var/lib/core/secrets.db", KeyPath: "/var/lib/core/.kek", Detail: "No vault yet. It is made when the first key is stored.", OneLine: ptr("secrets: 0 keys, 0 due, 0 overdue, vault key backed up: no")}
	for i := range f.info.Running.Units {
		f.info.Running.Units[i] = api.RunningModel{Unit: f.info.Running.Units[i].Unit}
	}
	f.status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 1 thing to do", Items: []api.VerdictItem{{Code: "unknown", Level: "attention", What: "The state of the services is unknown", Why: reason, Command: "systemctl status dbus"}}}
	return f
}

func unknown(now func() time.Time) *fixture {
	f := healthy(now)
	f.stats = api.SystemStats{DashboardVersion: "0.2.0", Warnings: []api.Warning{{Source: "host", Message: "load: open /proc/loadavg: no such file or directory"}, {Source: "host", Message: "memory: open /proc/meminfo: permission denied"}, {Source: "mesh", Message: "x"}}}
	for _, name := range []string{"core-gateway", "core-dashboard", "core-dashboard-auth", "core-bridge", "core-bridge-auth"} {
		f.stats.Units = append(f.stats.Units, api.UnitStatus{Name: name, State: "DOWN", Reason: "not read yet"})
	}
	f.ages, f.samples = nil, nil
	f.info, f.options = api.ModelInfo{}, api.ModelOptions{}
	f.status = api.Status{Verdict: api.Verdict{Level: "attention", Title: "Attention: 1 thing to do", Items: []api.VerdictItem{{Code: "unknown", Level: "attention", What: "Nothing is known of the host yet", Why: "No reading has come in since the start", Command: "cli status"}}}}
	f.status.Reconcilers = []reconcilers.ReconcilerStatus{{Name: "model"}, {Name: "unit"}}
	f.planError = api.NewProblem(503, "busy", "The host was not read yet. Try again.")
	f.update = api.UpdateStatus{CurrentVersion: "0.2.0", Case: "no_releases", Error: ptr("the release feed answered 502")}
	f.revisions, f.events = nil, nil
	return f
}

func trying(now func() time.Time) *fixture {
	f := healthy(now)
	f.status.Try = &reconcilers.Try{ID: 3, Started: now().Add(-70 * time.Second), Deadline: now().Add(230 * time.Second), Revision: 42, Base: 41, Actor: "api:loopback"}
	f.status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 1 thing to do", Items: []api.VerdictItem{{Code: "try_running", Level: "attention", What: "Revision 42 is only being tried", Why: "It is taken back by itself in 3 minutes unless you keep it", Kind: "confirm", Action: "Keep the change", Command: "cli confirm"}}}
	return f
}

func pending(f *fixture, held string) {
	f.status.Converged = false
	f.plan.Changes = []reconcilers.PlannedChange{
		{Reconciler: "model", Action: "set", Object: "config.yaml", Field: "model.provider", From: "openai", To: "anthropic", Needs: reconcilers.Needs{Restart: []string{"core-gateway", "core-dashboard"}}, Held: held},
		{Reconciler: "unit", Action: "start", Object: "core-bridge", Field: "units[core-bridge].state", From: "stopped", To: "running", Reason: "it ended too often and is not started again", Held: held},
		{Reconciler: "retention", Action: "delete", Object: "core-20261107T030000Z.tar.gz", Field: "backups[core-20261107T030000Z.tar.gz]", From: "kept", To: "", Reason: "14 newer verified backups are kept"},
	}
}

func suspendedHost(now func() time.Time) *fixture {
	f := healthy(now)
	pending(f, "suspended")
	f.plan.Changes[2].Held = "suspended"
	f.status.Conditions = setCondition(f.status.Conditions, "Suspended", "True", "ByDocument", "moving the disk to another machine; it ends by itself at 18:00 UTC")
	f.status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 1 thing to do", Items: []api.VerdictItem{{Code: "suspended", Level: "attention", What: "The host is suspended", Why: "Changes are planned but not made. Reason given: moving the disk to another machine. It ends by itself in 7 hours", Kind: "resume", Action: "Resume"}}}
	return f
}

func drifted(now func() time.Time) *fixture {
	f := healthy(now)
	pending(f, "")
	f.plan.Changes[0].Held = "drift reported"
	f.status.Drift = []reconcilers.Drift{
		{Field: "model.provider", Object: "config.yaml", Reconciler: "model", Desired: "anthropic", Actual: "openai", Seen: now().Add(-3 * time.Minute), By: "root with vim (pid 4211)"},
		{Field: "agent.reasoning_effort", Object: "config.yaml", Reconciler: "reasoning", Desired: "high", Actual: "", Seen: now().Add(-3 * time.Hour), IgnoredUntil: ptr(now().Add(20 * time.Hour)), IgnoredBy: "cli:0"},
	}
	f.status.Verdict = api.Verdict{Level: "attention", Title: "Attention: 1 thing to do", Items: []api.VerdictItem{{Code: "drift", Level: "attention", What: "model.provider was changed by hand to openai", Why: "root with vim (pid 4211) changed it 3 minutes ago in config.yaml; desired.yaml says anthropic", Kind: "adopt", Target: "model.provider", Action: "Adopt the change"}}}
	return f
}

func emptyHistory(now func() time.Time) *fixture {
	f := healthy(now)
	f.revisions, f.events, f.samples = nil, nil, f.samples[len(f.samples)-1:]
	return f
}

// pagePaths are all pages of a host.
var pagePaths = []string{"/", "/model", "/model?provider=p18", "/activity", "/activity/revisions/41", "/activity/explain?field=model.default", "/nowhere"}
