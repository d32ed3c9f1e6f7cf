//go:build e2e

package testhost

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"corehost/api"
)

// unattended is how long the daemon is left alone with edits and kills.
const unattended = time.Minute

// TestUnattendedMinute edits desired.yaml in a loop while the daemon is
// killed at random moments: between plan and apply, in a splice, in a write of
// its journal. The last edit of each round wins, no file is half-written, and
// nothing is left behind.
func TestUnattendedMinute(t *testing.T) {
	in := install(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	end := time.Now().Add(unattended)
	rounds, kills := 0, 0
	for ; time.Now().Before(end); rounds++ {
		var last string
		for burst := range 1 + dice.IntN(5) {
			last = fmt.Sprintf("claude-%d-%d", rounds, burst)
			in.edit("s/^    default: .*/    default: " + last + "   # the house model/")
		}
		if dice.IntN(2) == 0 {
			in.pauseFor(time.Duration(dice.IntN(20)) * time.Millisecond)
			in.must("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "core-dashboard")
			kills++
		}
		in.await("the last edit "+last, func(s api.Status) bool {
			return s.Converged && strings.Contains(in.config(), "default: "+last+"\n")
		})
	}
	want := strings.Replace(firstConfig, "claude-sonnet-4-6", modelOf(in.config()), 1)
	if got := in.config(); got != want {
		t.Errorf("after %d rounds config.yaml is\n%s\nwant every other byte as it was:\n%s", rounds, got, want)
	}
	if out := in.must("find", homeDir, "-name", ".corehost-*", "-o", "-name", "*.displaced-*"); out != "" {
		t.Errorf("left behind:\n%s", out)
	}
	t.Logf("%d rounds, %d kills", rounds, kills)
}

func modelOf(config string) string {
	_, rest, _ := strings.Cut(config, "default: ")
	model, _, _ := strings.Cut(rest, "\n")
	return model
}

// pauseFor spreads the kills over the moments after an edit; it waits for
// nothing.
func (in *installation) pauseFor(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-in.Context().Done():
	}
}

// TestFullAndReadOnlyDisk keeps a home on a file system of its own: full, the
// daemon says so and loses nothing; with room again it goes on by itself.
func TestFullAndReadOnlyDisk(t *testing.T) {
	in := install(t)
	in.must("systemctl", "stop", "core-dashboard")
	in.must("sh", "-c", "cp -a /var/lib/core /root/copy && mount -t tmpfs -o size=6m,mode=0700 small /var/lib/core && cp -a /root/copy/. /var/lib/core/")
	in.must("systemctl", "start", "core-dashboard")
	in.await("convergence on the small disk", func(s api.Status) bool { return s.Converged })

	in.must("sh", "-c", "dd if=/dev/zero of=/var/lib/core/filler bs=4k 2>/dev/null || true")
	before, wanted := in.config(), in.read(desiredPath)
	_, err := in.api.SetModel(in.Context(), api.SetModel{Provider: "ollama", Model: "llama3.3"})
	if err == nil || !strings.Contains(err.Error(), "space") {
		t.Errorf("a switch on a full disk answers %v, want an error about space", err)
	}
	if in.config() != before || in.read(desiredPath) != wanted {
		t.Error("a file changed on the full disk")
	}
	in.must("rm", "/var/lib/core/filler")
	if _, err := in.api.SetModel(in.Context(), api.SetModel{Provider: "ollama", Model: "llama3.3"}); err != nil {
		t.Errorf("a switch with room again: %v", err)
	}
	in.await("convergence with room again", func(s api.Status) bool {
		return s.Converged && strings.Contains(in.config(), "provider: ollama")
	})

	in.must("systemctl", "stop", "core-dashboard")
	in.must("mount", "-t", "tmpfs", "-o", "mode=0700", "run", "/var/lib/core/run") // the socket needs a place
	in.must("mount", "-o", "remount,ro", "/var/lib/core")
	in.must("systemctl", "start", "core-dashboard")
	if _, err := in.api.SetEffort(in.Context(), api.SetEffort{Effort: "high"}); err == nil {
		t.Error("an effort was set on a read-only home")
	}
	if out := in.page("/"); !strings.Contains(out, "core-gateway") || !strings.Contains(out, "The record of changes is not being written") {
		t.Error("the page of a read-only home does not answer, or does not say so")
	}
	in.must("mount", "-o", "remount,rw", "/var/lib/core")
	if _, err := in.api.SetEffort(in.Context(), api.SetEffort{Effort: "high"}); err != nil {
		t.Errorf("an effort on a writable home again: %v", err)
	}
	in.await("convergence on a writable home", func(s api.Status) bool {
		return s.Converged && strings.Contains(in.config(), "reasoning_effort: high")
	})
}
