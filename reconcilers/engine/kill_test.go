package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"corehost/reconcilers"
)

// The environment of the process that kills itself.
const (
	envPoint = "ENGINE_KILL_POINT"
	envHome  = "ENGINE_KILL_HOME"
)

func die() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }

// points are the places where a process dies, as what it did until then.
var points = map[string]func(h *host){
	"between plan and apply": func(h *host) {
		h.desire(wantModel("claude-opus-4-1"))
		for _, w := range h.engine.workers {
			w.reconciler = deadly{Reconciler: w.reconciler}
		}
		h.converge()
	},
	"between apply and its record": func(h *host) {
		h.desire(wantModel("claude-opus-4-1"))
		for _, w := range h.engine.workers {
			w.reconciler = deadly{Reconciler: w.reconciler, after: true}
		}
		h.converge()
	},
	"try: deadline on disk": func(h *host) {
		h.begin()
	},
	"try: document written": func(h *host) {
		h.begin()
		h.replaced()
	},
	"confirm: try of an hour": func(h *host) {
		h.try(wantModel("claude-opus-4-1"), time.Hour)
	},
	"try: revision noted": func(h *host) {
		h.begin()
		r := h.replaced()
		_ = h.engine.steward.seal(context.Background(), r, nil)
	},
	"try: converged": func(h *host) {
		h.try(wantModel("claude-opus-4-1"), tryFor)
	},
	"revert: document back": func(h *host) {
		h.try(wantModel("claude-opus-4-1"), tryFor)
		a, _ := h.engine.trial.get()
		if _, err := h.engine.steward.document(context.Background(), a, h.store.Current(), reconcilers.ActorTry, "it was not confirmed in time"); err != nil {
			h.t.Fatal(err)
		}
	},
	"revert: config.yaml back": func(h *host) {
		h.try(wantModel("claude-opus-4-1"), tryFor)
		a, _ := h.engine.trial.get()
		if _, err := h.engine.steward.document(context.Background(), a, h.store.Current(), reconcilers.ActorTry, "it was not confirmed in time"); err != nil {
			h.t.Fatal(err)
		}
		if _, _, err := h.engine.steward.config(a); err != nil {
			h.t.Fatal(err)
		}
	},
}

const tryFor = 1500 * time.Millisecond

func (h *host) begin() {
	h.t.Helper()
	r := ApplyRequest{Document: []byte(wantModel("claude-opus-4-1")), Try: tryFor, Actor: "cli:0"}
	if err := h.engine.steward.begin(context.Background(), r, h.store.Current()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) replaced() int64 {
	h.t.Helper()
	r := ApplyRequest{Document: []byte(wantModel("claude-opus-4-1")), Actor: "cli:0"}
	number, err := h.engine.steward.replace(context.Background(), r, h.store.Current())
	if err != nil {
		h.t.Fatal(err)
	}
	return number
}

// deadly kills the process around the first change.
type deadly struct {
	reconcilers.Reconciler
	after bool
}

func (d deadly) Apply(ctx context.Context, c reconcilers.Change) error {
	if d.after {
		if err := d.Reconciler.Apply(ctx, c); err != nil {
			return err
		}
	}
	die()
	return nil
}

// TestChildProcess is the process that dies. On its own it has nothing to do.
func TestChildProcess(t *testing.T) {
	act, ok := points[os.Getenv(envPoint)]
	if !ok {
		return
	}
	h := newHost(t, setup{dir: os.Getenv(envHome)})
	h.converge()
	act(h)
	die()
}

// killed makes a home in which a process died at a point.
func killed(t *testing.T, point string) (dir string) {
	t.Helper()
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	h.close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildProcess$")
	cmd.Env = append(os.Environ(), envPoint+"="+point, envHome+"="+h.dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process did not die of SIGKILL: %v\n%s", err, out)
	}
	return h.dir
}

func TestAKilledChangeConverges(t *testing.T) {
	for _, point := range []string{"between plan and apply", "between apply and its record"} {
		t.Run(point, func(t *testing.T) {
			h := newHost(t, setup{dir: killed(t, point)})
			h.converge()
			h.wants("claude-opus-4-1")
			if s := h.engine.Status(); !s.Converged || s.Revision != 2 {
				t.Errorf("status %+v", s)
			}
			h.awaitEvent(reconcilers.EventRevised, "revision 2")
			if len(h.events(reconcilers.EventDrifted)) != 0 {
				t.Errorf("a crash is taken for a hand edit:\n%s", h.told())
			}
		})
	}
}

func TestAKilledTryIsTakenBack(t *testing.T) {
	for point := range points {
		if !strings.HasPrefix(point, "try") && !strings.HasPrefix(point, "revert") {
			continue
		}
		t.Run(point, func(t *testing.T) {
			h := newHost(t, setup{dir: killed(t, point)})
			h.run()
			h.await("the revert", func(s reconcilers.Status) bool { return s.Try == nil && s.Converged })
			if h.config() != firstConfig {
				t.Errorf("config.yaml is not what it was, byte for byte:\n%s\n%s", h.config(), h.told())
			}
			if got := h.read("desired.yaml"); got != wantModel("claude-sonnet-4-5") {
				t.Errorf("desired.yaml is\n%s", got)
			}
			h.awaitEvent(reconcilers.EventReverted, "the try was taken back")
		})
	}
}

func TestAKilledTryCanStillBeConfirmed(t *testing.T) {
	h := newHost(t, setup{dir: killed(t, "confirm: try of an hour")})
	if h.engine.trial.running() == nil {
		t.Fatal("the try is forgotten")
	}
	if _, err := h.engine.Confirm(context.Background(), "cli:0"); err != nil {
		t.Fatal(err)
	}
	h.converge()
	h.wants("claude-opus-4-1")
	if _, due := h.engine.trial.overdue(); due {
		t.Error("the deadline still stands")
	}
}
