package reasoning_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
	"corehost/reconcilers/reasoning"
	"corehost/reconcilers/reconcilertest"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

type host struct {
	dir  string
	file *platform.File
}

func newHost(t *testing.T, config string) host {
	t.Helper()
	h := host{dir: t.TempDir()}
	if config != "" {
		h.write(t, config)
	}
	door, err := home.Open(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { door.Close() })
	h.file = platform.NewFile(door)
	return h
}

func (h host) write(t *testing.T, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h host) read(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, "config.yaml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

func (h host) observe(t *testing.T) *observers.Snapshot {
	t.Helper()
	file, config, err := h.file.Read()
	p := observers.Platform{Exists: file.Sum != home.NoFile, Sum: file.Sum, Config: config}
	if err != nil && !errors.As(err, &p.Problem) {
		t.Fatal(err)
	}
	return &observers.Snapshot{At: now, Platform: observers.Reading[observers.Platform]{Value: p, At: now, Interval: time.Second}}
}

func want(e desired.Effort) *desired.Host {
	return &desired.Host{Spec: desired.Spec{Agent: &desired.Agent{ReasoningEffort: &e}}}
}

func TestSuite(t *testing.T) {
	cases := map[string]struct {
		config string
		effort desired.Effort
	}{
		"set":     {"agent:\n  name: x # keep\n", desired.EffortHigh},
		"change":  {"agent: {reasoning_effort: low, name: x}\n", desired.EffortMedium},
		"remove":  {"agent:\n  reasoning_effort: low\n  name: x\n", desired.EffortOff},
		"no file": {"", desired.EffortLow},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			reconcilertest.Run(t, reconcilertest.Case{New: func(t *testing.T) reconcilertest.Host {
				h := newHost(t, tt.config)
				return reconcilertest.Host{
					Reconciler: reasoning.New(h.file),
					Want:       want(tt.effort),
					Observe:    h.observe,
					Move:       func(t *testing.T) { h.write(t, "# edited\n"+tt.config) },
					State:      h.read,
				}
			}})
		})
	}
}

func TestEffort(t *testing.T) {
	tests := []struct {
		name          string
		effort        desired.Effort
		before, after string
	}{
		{"off removes the key", desired.EffortOff, "agent:\n  reasoning_effort: high\n  name: x\n", "agent:\n  name: x\n"},
		{"off removes a key that says off", desired.EffortOff, "agent:\n  reasoning_effort: \"off\"\n  name: x\n", "agent:\n  name: x\n"},
		{"off removes an empty key", desired.EffortOff, "agent:\n  reasoning_effort:\n  name: x\n", "agent:\n  name: x\n"},
		{"off without a key", desired.EffortOff, "agent:\n  name: x\n", "agent:\n  name: x\n"},
		{"already there", desired.EffortLow, "agent: {reasoning_effort: low}\n", "agent: {reasoning_effort: low}\n"},
		{"another letter case", desired.EffortHigh, "agent: {reasoning_effort: HIGH}\n", "agent: {reasoning_effort: high}\n"},
		{"added", desired.EffortHigh, "agent:\n  name: x\n", "agent:\n  name: x\n  reasoning_effort: high\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, tt.before)
			r := reasoning.New(h.file)
			changes, err := r.Plan(want(tt.effort), h.observe(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				if err := r.Apply(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.after, h.read(t)); diff != "" {
				t.Errorf("config.yaml (-want +got):\n%s", diff)
			}
			if left, err := r.Plan(want(tt.effort), h.observe(t)); len(left) > 0 || err != nil {
				t.Errorf("not converged: %v, %v", left, err)
			}
		})
	}
}

func TestBrokenFileIsBlocked(t *testing.T) {
	h := newHost(t, "agent:\n\treasoning_effort: high\n")
	_, err := reasoning.New(h.file).Plan(want(desired.EffortLow), h.observe(t))
	var blocked *reconcilers.Blocked
	if !errors.As(err, &blocked) || blocked.Reason != reconcilers.ReasonConfigInvalid {
		t.Errorf("got %v, want ConfigInvalid", err)
	}
}
