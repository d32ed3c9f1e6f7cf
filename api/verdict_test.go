package api

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// well is a host on which nothing is to be done.
func well() (reconcilers.Status, *desired.Host, *observers.Snapshot) {
	have := &observers.Snapshot{At: noon}
	have.Host = reading(observers.Host{Memory: &observers.Memory{UsedMB: 2000, TotalMB: 8000}, Disk: &observers.Disk{Path: "/", UsedGB: 40, TotalGB: 80, UsedPercent: 50}})
	have.Units = reading(observers.Units{Manager: true, Units: []observers.Unit{up("core-gateway"), up("core-dashboard")}})
	have.Platform, have.Keys = reading(observers.Platform{}), reading(observers.Keys{})
	have.Vault, have.Mesh, have.Backups = reading(observers.VaultFiles{}), reading(observers.Mesh{State: observers.MeshNotInstalled}), reading(observers.Backups{})
	return reconcilers.Status{Revision: 7, Converged: true}, &desired.Host{}, have
}

func reading[T any](v T) observers.Reading[T] {
	return observers.Reading[T]{Value: v, At: noon.Add(-time.Second), Tried: noon, Interval: 5 * time.Second}
}

func up(name string) observers.Unit {
	return observers.Unit{Name: name, Load: "loaded", Active: "active", Sub: "running", Since: noon.Add(-time.Hour)}
}

func down(name, active, sub, result string) observers.Unit {
	return observers.Unit{Name: name, Load: "loaded", Active: active, Sub: sub, Result: result, Since: noon.Add(-12 * time.Minute)}
}

func wanted(name string, state desired.UnitState) []desired.Unit {
	return []desired.Unit{{Name: name, State: state}}
}

func falseCondition(kind, message string) []metav1.Condition {
	return []metav1.Condition{{Type: kind, Status: metav1.ConditionFalse, Message: message}}
}

func TestJudge(t *testing.T) {
	type change func(*reconcilers.Status, *desired.Host, *observers.Snapshot)
	units := func(u ...observers.Unit) change {
		return func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) { have.Units.Value.Units = u }
	}
	tests := map[string]struct {
		change []change
		level  string
		codes  string // in order
		says   string // part of the first item, what and why
	}{
		"a host that is well":              {level: LevelHealthy},
		"an installed unit that failed":    {change: []change{units(down("core-gateway", "failed", "failed", "exit-code"))}, level: LevelBroken, codes: "unit_down", says: "core-gateway is down; It ended with an error, 12 minutes ago. Agents reach no model"},
		"an installed unit that stands":    {change: []change{units(down("core-bridge", "inactive", "dead", "success"))}, level: LevelAttention, codes: "unit_down", says: "core-bridge is down; Stopped, 12 minutes ago. Messages wait"},
		"a unit nobody installed or wants": {change: []change{units(observers.Unit{Name: "core-bridge", Load: "not-found", Active: "inactive"})}, level: LevelHealthy},
		"a wanted unit nobody installed": {change: []change{units(observers.Unit{Name: "core-bridge", Load: "not-found", Active: "inactive"}), func(_ *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			want.Spec.Units = wanted("core-bridge", desired.UnitRunning)
		}}, level: LevelBroken, codes: "unit_missing", says: "core-bridge should run but is not installed on this host"},
		"a unit that is wanted stopped": {change: []change{units(down("core-bridge", "failed", "failed", "exit-code")), func(_ *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			want.Spec.Units = wanted("core-bridge", desired.UnitStopped)
		}}, level: LevelHealthy},
		"a unit on its way":         {change: []change{units(down("core-gateway", "activating", "start", ""))}, level: LevelHealthy},
		"a unit that ends all over": {change: []change{units(down("core-gateway", "activating", "auto-restart", "oom-kill"))}, level: LevelBroken, codes: "unit_down", says: "It ended and is started again (oom-kill)"},
		"no service manager": {change: []change{func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) {
			have.Units = reading(observers.Units{Reason: "This host does not run systemd.", Units: []observers.Unit{{Name: "core-gateway"}, {Name: "core-bridge"}}})
		}}, level: LevelAttention, codes: "no_service_manager", says: "This host does not run systemd."},
		"a restart is due": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Restart = []reconcilers.RestartNotice{
				{Unit: "core-gateway", Field: "model.default", Running: "claude-sonnet-4-6", Configured: "claude-opus-4-7", Since: noon.Add(-4 * time.Minute)},
				{Unit: "core-gateway", Field: "agent.reasoning_effort", Running: "", Configured: "high", Since: noon.Add(-time.Minute)},
				{Unit: "core-dashboard", Field: "model.default", Running: "claude-sonnet-4-6", Configured: "claude-opus-4-7", Since: noon.Add(-4 * time.Minute)},
			}
		}}, level: LevelAttention, codes: "restart_required restart_required", says: "core-gateway still runs the old settings; For 4 minutes now: model.default is claude-opus-4-7, it runs claude-sonnet-4-6; agent.reasoning_effort is high, it runs without"},
		"memory and disk are red": {change: []change{func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) {
			have.Host.Value.Memory = &observers.Memory{UsedMB: 6801, TotalMB: 8000}
			have.Host.Value.Disk = &observers.Disk{Path: "/", UsedGB: 71, TotalGB: 80, UsedPercent: 89}
		}}, level: LevelAttention, codes: "memory_full disk_full", says: "Memory is 85 % full"},
		"exactly 85 % is not red": {change: []change{func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) {
			have.Host.Value.Memory = &observers.Memory{UsedMB: 6800, TotalMB: 8000}
		}}, level: LevelHealthy},
		"a broken document": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Conditions = falseCondition(reconcilers.DesiredValid, "desired.yaml:3:5: unknown key.")
		}}, level: LevelAttention, codes: "desired_invalid", says: "desired.yaml:3:5: unknown key. Revision 7 stays in force"},
		"a stalled reconciler": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Reconcilers = []reconcilers.ReconcilerStatus{{Name: "model", Conditions: []metav1.Condition{{Type: reconcilers.Stalled, Status: metav1.ConditionTrue, Message: "config.yaml:4:2: found a tab."}}}}
		}}, level: LevelBroken, codes: "stalled", says: "The model cannot be brought to what desired.yaml says; config.yaml:4:2: found a tab. Nothing else"},
		"reported drift": {change: []change{func(s *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			want.Spec.Drift = desired.DriftReport
			s.Drift = []reconcilers.Drift{{Field: "model.provider", Object: "config.yaml", Desired: "anthropic", Actual: "openai", Seen: noon.Add(-3 * time.Hour), By: "root with vim"}}
		}}, level: LevelAttention, codes: "drift", says: "model.provider was changed by hand to openai; root with vim changed it 3 hours ago in config.yaml; desired.yaml says anthropic"},
		"drift that is ignored": {change: []change{func(s *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			later := noon.Add(time.Hour)
			want.Spec.Drift = desired.DriftReport
			s.Drift = []reconcilers.Drift{{Field: "model.provider", IgnoredUntil: &later}}
		}}, level: LevelHealthy},
		"a try runs": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Try = &reconcilers.Try{Revision: 8, Deadline: noon.Add(40 * time.Second)}
		}}, level: LevelAttention, codes: "try_running", says: "Revision 8 is only being tried; It is taken back by itself in 40 seconds"},
		"a revision the health gate took back": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Reverted = &reconcilers.Revert{Revision: 3, To: 2, Time: noon.Add(-4 * time.Minute), Reason: "core-gateway did not stay up on revision 3: it failed (exit-code)"}
		}}, level: LevelAttention, codes: "reverted", says: "Revision 3 was taken back; 4 minutes ago, because core-gateway did not stay up on revision 3: it failed (exit-code). Revision 2 is in force again, and what revision 3 changed is not"},
		"a try nobody confirmed": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Reverted = &reconcilers.Revert{Revision: 3, Time: noon.Add(-2 * time.Hour), Reason: "it was not confirmed in time."}
		}}, level: LevelAttention, codes: "reverted", says: "2 hours ago, because it was not confirmed in time. An earlier revision is in force again"},
		"suspended with a reason": {change: []change{func(_ *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			end := metav1.NewTime(noon.Add(2 * time.Hour))
			want.Spec.Suspend = &desired.Suspend{Active: true, Reason: "moving house.", Until: &end}
		}}, level: LevelAttention, codes: "suspended", says: "Reason given: moving house. It ends by itself in 2 hours"},
		"a suspension that ended": {change: []change{func(_ *reconcilers.Status, want *desired.Host, _ *observers.Snapshot) {
			end := metav1.NewTime(noon.Add(-time.Second))
			want.Spec.Suspend = &desired.Suspend{Active: true, Until: &end}
		}}, level: LevelHealthy},
		"no record is written": {change: []change{func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Conditions = falseCondition(reconcilers.Journaling, "operator.db: no space left on device")
		}}, level: LevelAttention, codes: "journaling_off", says: "no space left on device"},
		"a reading that fails": {change: []change{func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) {
			have.Mesh.Err = errors.New("the client does not answer")
		}}, level: LevelAttention, codes: "unknown", says: "Remote access cannot be read; the client does not answer"},
		"a reading that is old": {change: []change{func(_ *reconcilers.Status, _ *desired.Host, have *observers.Snapshot) {
			have.Units.At = noon.Add(-time.Hour)
		}}, level: LevelAttention, codes: "unknown", says: "Services cannot be read; the last reading is from 2026-11-21T11:00:00Z"},
		"what is broken comes first": {change: []change{units(down("core-gateway", "failed", "failed", "signal")), func(s *reconcilers.Status, _ *desired.Host, _ *observers.Snapshot) {
			s.Conditions = falseCondition(reconcilers.DesiredValid, "x")
		}}, level: LevelBroken, codes: "unit_down desired_invalid"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			status, want, have := well()
			for _, change := range tt.change {
				change(&status, want, have)
			}
			got := Judge(status, systemStats(have, "1"), want, have)
			var codes []string
			for _, item := range got.Items {
				codes = append(codes, item.Code)
				if item.What == "" || item.Why == "" || strings.Contains(item.Why, "..") {
					t.Errorf("not a sentence: %+v", item)
				}
			}
			if got.Level != tt.level || strings.Join(codes, " ") != tt.codes {
				t.Fatalf("got %s %v, want %s %s\n%+v", got.Level, codes, tt.level, tt.codes, got.Items)
			}
			if tt.says != "" && !strings.Contains(got.Items[0].What+"; "+got.Items[0].Why, tt.says) {
				t.Errorf("got %q; %q\nwant it to say %q", got.Items[0].What, got.Items[0].Why, tt.says)
			}
		})
	}
}

// TestNoButtonWithoutAManager: what cannot be done from here is not offered.
func TestNoButtonWithoutAManager(t *testing.T) {
	status, want, have := well()
	have.Units = reading(observers.Units{Reason: "no systemd"})
	status.Restart = []reconcilers.RestartNotice{{Unit: "core-dashboard", Field: "model.default", Since: noon}}
	for _, item := range Judge(status, systemStats(have, "1"), want, have).Items {
		if item.Kind == DoRestart || item.Action != "" {
			t.Errorf("got %+v", item)
		}
	}
}

func TestVerdictTitle(t *testing.T) {
	status, want, have := well()
	if got := Judge(status, systemStats(have, "1"), want, have).Title; got != "Healthy" {
		t.Errorf("got %q", got)
	}
	status.Try = &reconcilers.Try{Deadline: noon.Add(time.Minute)}
	if got := Judge(status, systemStats(have, "1"), want, have).Title; got != "Attention: 1 thing to do" {
		t.Errorf("got %q", got)
	}
	have.Units.Value.Units = []observers.Unit{down("core-gateway", "failed", "failed", "timeout")}
	if got := Judge(status, systemStats(have, "1"), want, have).Title; got != "Broken: 2 things to do" {
		t.Errorf("got %q", got)
	}
}
