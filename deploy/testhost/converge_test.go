//go:build e2e

package testhost

import (
	"strings"
	"testing"
	"time"

	"corehost/api"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// TestOperator takes one host through a day of an operator: the steps build
// on each other, as they do on a real one.
func TestOperator(t *testing.T) {
	in := install(t)
	for _, step := range []struct {
		name string
		do   func(*installation)
	}{
		{"an edit of desired.yaml reaches config.yaml", editConverges},
		{"a killed unit is DOWN on the page", killedUnit},
		{"a model change names both units until they restart", restartLedger},
		{"an edit by hand is healed and attributed", handEdit},
		{"a try reverts by itself across a kill", tryAcrossKill},
		{"a person and the API write at the same time", twoWriters},
		{"a broken file leaves the last good revision in force", brokenFile},
		{"a killed unit that should run is started again", killedWanted},
	} {
		if !t.Run(step.name, func(t *testing.T) {
			here := *in
			here.T = t
			step.do(&here)
		}) {
			return
		}
	}
}

func editConverges(in *installation) {
	before := in.config()
	in.edit("s/default: claude-sonnet-4-6/default: claude-opus-4-7/")
	in.await("the new model in config.yaml", func(s api.Status) bool {
		return s.Converged && strings.Contains(in.config(), "default: claude-opus-4-7\n")
	})
	want := strings.Replace(before, "claude-sonnet-4-6", "claude-opus-4-7", 1)
	if got := in.config(); got != want {
		in.Errorf("config.yaml is\n%s\nwant every other byte as it was:\n%s", got, want)
	}
	bak, err := in.Read(configPath + ".bak")
	if err != nil || string(bak) != before {
		in.Errorf("config.yaml.bak is %q (%v), want the bytes before", bak, err)
	}
	if out := in.must("cli", "plan", "--exit-code"); !strings.Contains(out, "Nothing") {
		in.Errorf("cli plan on a converged host prints %q", out)
	}
}

func killedUnit(in *installation) {
	// core-dashboard-auth is not in desired.yaml: nothing starts it again.
	in.must("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "core-dashboard-auth")
	began := time.Now()
	in.await("core-dashboard-auth DOWN", func(api.Status) bool {
		_, row, _ := strings.Cut(in.page("/"), `<tr data-key="core-dashboard-auth">`)
		row, _, _ = strings.Cut(row, "</tr>")
		return strings.Contains(row, "DOWN")
	})
	in.Logf("the page showed DOWN %v after the kill", time.Since(began).Round(time.Millisecond))
	in.must("systemctl", "start", "core-dashboard-auth")
}

// killedWanted kills a unit that desired.yaml wants running, and that has run
// for longer than a start that fails at once.
func killedWanted(in *installation) {
	in.must("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "core-bridge")
	in.await("core-bridge running again", func(s api.Status) bool {
		state, _ := in.Host.Run(in.Context(), "systemctl", "is-active", "core-bridge")
		return strings.TrimSpace(state) == "active" && s.Converged
	})
}

func restartLedger(in *installation) {
	in.must("systemctl", "restart", "core-gateway", "core-dashboard")
	in.await("a clean ledger", func(s api.Status) bool { return len(s.Restart) == 0 && s.Converged })
	set, err := in.api.SetModel(in.Context(), api.SetModel{Provider: "ollama", Model: "llama3.3"})
	if err != nil {
		in.Fatal(err)
	}
	if !set.RestartRequired || !set.Converged {
		in.Errorf("PUT /api/model/active answers %+v", set)
	}
	in.await("both units named", func(s api.Status) bool {
		return restartUnits(s) == "core-dashboard core-gateway" || restartUnits(s) == "core-gateway core-dashboard"
	})
	in.must("systemctl", "restart", "core-gateway")
	in.await("only the dashboard named", func(s api.Status) bool { return restartUnits(s) == "core-dashboard" })
	in.must("systemctl", "restart", "core-dashboard")
	in.await("no unit named", func(s api.Status) bool { return len(s.Restart) == 0 })
}

// handEditor saves as editors do: a new file beside the old one, renamed over
// it. It lives for a moment longer than the write, as editors do too: who
// wrote is looked up while the process is there.
const handEditor = `my $f = shift;
open(my $in, "<", $f) or die; local $/; my $text = <$in>; close($in);
$text =~ s/default: llama3.3/default: mine/;
open(my $out, ">", "$f.new") or die; print $out $text; close($out);
select(undef, undef, undef, 0.5);
rename("$f.new", $f) or die;`

func handEdit(in *installation) {
	in.must("perl", "-e", handEditor, configPath)
	var healed reconcilers.Event
	in.await("the value put back and the healing told", func(s api.Status) bool {
		healed = in.event(reconcilers.EventHealed, "model.default")
		return s.Converged && healed.ID != 0 && strings.Contains(in.config(), "default: llama3.3")
	})
	if !strings.Contains(healed.Message, "root") || !strings.Contains(healed.Message, "perl") {
		in.Errorf("the healing says %q, want who did it (root with perl)", healed.Message)
	}
}

// event is the newest of a kind and field; zero when there is none.
func (in *installation) event(kind reconcilers.EventKind, field string) reconcilers.Event {
	in.Helper()
	page, err := in.api.EventPage(in.Context(), journal.Query{Limit: 50, Kinds: []reconcilers.EventKind{kind}})
	if err != nil {
		in.Fatal(err)
	}
	for _, event := range page.Events {
		if event.Field == field {
			return event
		}
	}
	return reconcilers.Event{}
}

func tryAcrossKill(in *installation) {
	before, desiredBefore := in.config(), in.read(desiredPath)
	changed := strings.Replace(desiredBefore, "llama3.3", "qwen3", 1)
	in.put("/root/next.yaml", changed)
	in.must("cli", "apply", "--file", "/root/next.yaml", "--try", "3s")
	if !strings.Contains(in.config(), "qwen3") {
		in.Fatalf("the try is not in config.yaml:\n%s", in.config())
	}
	in.must("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "core-dashboard")
	in.await("the revert after the deadline", func(s api.Status) bool {
		return s.Try == nil && s.Converged && in.config() == before
	})
	if got := in.read(desiredPath); got != desiredBefore {
		in.Errorf("desired.yaml after the revert is\n%s\nwant the exact bytes before\n%s", got, desiredBefore)
	}
}

func (in *installation) read(name string) string {
	in.Helper()
	data, err := in.Read(name)
	if err != nil {
		in.Fatal(err)
	}
	return string(data)
}

func twoWriters(in *installation) {
	for i := range 20 {
		comment := "# note " + strings.Repeat("i", i+1)
		in.edit("$ a\\" + comment)
		effort := []string{"low", "medium", "high"}[i%3]
		for {
			if _, err := in.api.SetEffort(in.Context(), api.SetEffort{Effort: effort}); err == nil {
				break
			} else if !strings.Contains(err.Error(), "changed") {
				in.Fatal(err)
			}
		}
		text := in.read(desiredPath)
		if !strings.Contains(text, comment+"\n") || !strings.Contains(text, "reasoningEffort: "+effort) {
			in.Fatalf("round %d: an edit is lost:\n%s", i, text)
		}
	}
	in.await("the last effort", func(s api.Status) bool {
		return s.Converged && strings.Contains(in.config(), "reasoning_effort: medium")
	})
}

func brokenFile(in *installation) {
	good, before := in.read(desiredPath), in.config()
	in.put(desiredPath, "spec:\n  modle:\n    provider: ollama\n")
	status := in.await("DesiredValid False", func(s api.Status) bool {
		for _, c := range s.Conditions {
			if c.Type == reconcilers.DesiredValid && c.Status == "False" {
				return true
			}
		}
		return false
	})
	if status.Verdict.Level == "healthy" {
		in.Error("the verdict is healthy with an invalid desired.yaml")
	}
	if out := in.must("cli", "status"); !strings.Contains(out, "desired.yaml:") {
		in.Errorf("cli status does not name the place:\n%s", out)
	}
	if in.config() != before {
		in.Error("config.yaml changed under a broken desired.yaml")
	}
	in.put(desiredPath, good)
	in.await("DesiredValid again", func(s api.Status) bool { return s.Converged })
}
