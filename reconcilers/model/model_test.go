package model_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
	"corehost/reconcilers/model"
	"corehost/reconcilers/reconcilertest"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// host is a home with a real config.yaml.
type host struct {
	dir  string
	file *platform.File
	keys map[string]string
}

func newHost(t *testing.T, config string, keys ...string) *host {
	t.Helper()
	h := &host{dir: t.TempDir(), keys: map[string]string{}}
	for _, k := range keys {
		h.keys[k] = ".env"
	}
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

func (h *host) write(t *testing.T, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h *host) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

func (h *host) observe(t *testing.T) *observers.Snapshot {
	t.Helper()
	file, config, err := h.file.Read()
	p := observers.Platform{Exists: file.Sum != home.NoFile, Sum: file.Sum, Config: config}
	if err != nil && !errors.As(err, &p.Problem) {
		t.Fatal(err)
	}
	return &observers.Snapshot{
		At:       now,
		Platform: observers.Reading[observers.Platform]{Value: p, At: now, Interval: time.Second},
		Keys:     observers.Reading[observers.Keys]{Value: observers.Keys{Sources: h.keys}, At: now, Interval: time.Second},
	}
}

func want(provider, name *string) *desired.Host {
	return &desired.Host{Spec: desired.Spec{Model: &desired.Model{Provider: provider, Default: name}}}
}

func TestSuite(t *testing.T) {
	for name, config := range map[string]string{
		"mapping":   "# mine\nmodel:\n  provider: openai # by hand\n  default: gpt-5\nother: {a: 1}\n",
		"scalar":    "model: gpt-5\n",
		"no file":   "",
		"only rest": "agent:\n  name: x\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			reconcilertest.Run(t, reconcilertest.Case{New: func(t *testing.T) reconcilertest.Host {
				h := newHost(t, config, "ANTHROPIC_API_KEY")
				return reconcilertest.Host{
					Reconciler: model.New(h.file),
					Want:       want(new("anthropic"), new("claude-opus-4-8")),
					Observe:    h.observe,
					Move:       func(t *testing.T) { h.write(t, "# edited\n"+config) },
					State:      func(t *testing.T) string { return h.read(t, "config.yaml") + "\n--\n" + h.read(t, "config.yaml.bak") },
				}
			}})
		})
	}
}

func TestPlan(t *testing.T) {
	const anthropic = "model:\n  provider: anthropic\n  default: claude-sonnet-4-6\n"
	tests := []struct {
		name     string
		config   string
		keys     []string
		want     *desired.Host
		fields   []desired.FieldChange
		reason   string // of the Blocked error
		contains []string
	}{
		{"both change together", anthropic, []string{"OPENAI_API_KEY"}, want(new("openai"), new("gpt-5")),
			[]desired.FieldChange{{Field: "model.provider", From: "anthropic", To: "openai"}, {Field: "model.default", From: "claude-sonnet-4-6", To: "gpt-5"}}, "", nil},
		{"provider alone leaves the model", anthropic, []string{"OPENAI_API_KEY"}, want(new("openai"), nil),
			[]desired.FieldChange{{Field: "model.provider", From: "anthropic", To: "openai"}}, "", nil},
		{"model alone leaves the provider", anthropic, nil, want(nil, new("claude-opus-4-8")),
			[]desired.FieldChange{{Field: "model.default", From: "claude-sonnet-4-6", To: "claude-opus-4-8"}}, "", nil},
		{"blank is the provider's default, written out", "model: {provider: openai, default: gpt-4o}\n", []string{"GOOGLE_API_KEY"}, want(new("gemini"), new("")),
			[]desired.FieldChange{{Field: "model.provider", From: "openai", To: "gemini"}, {Field: "model.default", From: "gpt-4o", To: "gemini-3.1-pro-preview-customtools"}}, "", nil},
		{"blank without a managed provider follows the file's", "model: {provider: anthropic, default: x}\n", nil, want(nil, new("")),
			[]desired.FieldChange{{Field: "model.default", From: "x", To: "claude-sonnet-4-6"}}, "", nil},
		{"blank without any provider follows the key at hand", "{}\n", []string{"DEEPSEEK_API_KEY"}, want(nil, new("")),
			[]desired.FieldChange{{Field: "model.default", To: "deepseek-v4-pro"}}, "", nil},
		{"blank with nothing at hand", "{}\n", nil, want(nil, new("")), nil, "NoDefaultModel", []string{"cli model set"}},
		{"a scalar model by hand", "model: gpt-5\n", nil, want(new("ollama"), nil),
			[]desired.FieldChange{{Field: "model.provider", To: "ollama"}}, "", nil},
		{"converged", anthropic, nil, want(new("anthropic"), new("")), nil, "", nil},
		{"a missing key does not unsettle a converged host", anthropic, nil, want(new("anthropic"), new("claude-sonnet-4-6")), nil, "", nil},
		{"no key", anthropic, nil, want(new("openrouter"), nil), nil, "KeyMissing", []string{"NO KEY (OPENROUTER_API_KEY)", ".env", "cli secrets set"}},
		{"a key under another name", anthropic, []string{"GOOGLE_API_KEY"}, want(new("gemini"), nil),
			[]desired.FieldChange{{Field: "model.provider", From: "anthropic", To: "gemini"}}, "", nil},
		{"no key needed", anthropic, nil, want(new("lmstudio"), new("qwen")),
			[]desired.FieldChange{{Field: "model.provider", From: "anthropic", To: "lmstudio"}, {Field: "model.default", From: "claude-sonnet-4-6", To: "qwen"}}, "", nil},
		{"unknown provider", anthropic, nil, want(new("antropic"), nil), nil, "UnknownProvider", []string{`"antropic"`, `"anthropic"`}},
		{"unknown and unlike any", anthropic, nil, want(new("zzzzzzzzzzzz"), nil), nil, "UnknownProvider", []string{"cli model list"}},
		{"no default model", anthropic, nil, want(new("ollama"), new("")), nil, "NoDefaultModel", []string{"Ollama", "spec.model.default"}},
		{"own provider", "providers:\n  mine: {base_url: http://10.0.0.1/v1, default_model: m1}\n", nil, want(new("mine"), new("")),
			[]desired.FieldChange{{Field: "model.provider", To: "mine"}, {Field: "model.default", To: "m1"}}, "", nil},
		{"broken file", "model:\n  provider: [\n", nil, want(new("ollama"), nil), nil, "ConfigInvalid", []string{"config.yaml:"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, tt.config, tt.keys...)
			changes, err := model.New(h.file).Plan(tt.want, h.observe(t))
			checkBlocked(t, err, tt.reason, tt.contains)
			var fields []desired.FieldChange
			for _, c := range changes {
				fields = append(fields, c.Fields...)
				if diff := cmp.Diff([]string{"core-gateway", "core-dashboard"}, c.Needs.Restart); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(tt.fields, fields); diff != "" || len(changes) > 1 {
				t.Errorf("%d changes; fields (-want +got):\n%s", len(changes), diff)
			}
		})
	}
}

func checkBlocked(t *testing.T, err error, reason string, contains []string) {
	t.Helper()
	if reason == "" {
		if err != nil {
			t.Errorf("plan: %v", err)
		}
		return
	}
	var blocked *reconcilers.Blocked
	if !errors.As(err, &blocked) || !errors.Is(err, reconcilers.ErrBlocked) || blocked.Reason != reason {
		t.Fatalf("got %#v, want Blocked with %s", err, reason)
	}
	for _, part := range contains {
		if !strings.Contains(blocked.Message, part) {
			t.Errorf("message %q does not say %q", blocked.Message, part)
		}
	}
}

func TestUnknownKeysAreRetried(t *testing.T) {
	h := newHost(t, "{}\n")
	have := h.observe(t)
	have.Keys.Err = errors.New("read .env: permission denied")
	_, err := model.New(h.file).Plan(want(new("anthropic"), nil), have)
	if err == nil || errors.Is(err, reconcilers.ErrBlocked) || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v, want a retried error with the reason", err)
	}
}

func TestApplyKeepsEveryOtherByte(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"mapping", "# top\r\nmodel:\r\n  provider: openai   # mine\r\n  default: gpt-5\r\n\r\nx: [1,  2]\r\n",
			"# top\r\nmodel:\r\n  provider: anthropic   # mine\r\n  default: claude-opus-4-8\r\n\r\nx: [1,  2]\r\n"},
		{"no file", "", "model:\n  provider: anthropic\n  default: claude-opus-4-8\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, tt.before, "ANTHROPIC_API_KEY")
			r := model.New(h.file)
			changes, err := r.Plan(want(new("anthropic"), new("claude-opus-4-8")), h.observe(t))
			if err != nil || len(changes) != 1 {
				t.Fatalf("plan: %d changes, %v", len(changes), err)
			}
			if err := r.Apply(t.Context(), changes[0]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, h.read(t, "config.yaml")); diff != "" {
				t.Errorf("config.yaml (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.before, h.read(t, "config.yaml.bak")); diff != "" {
				t.Errorf(".bak must hold the bytes before the whole change (-want +got):\n%s", diff)
			}
		})
	}
}

// A provider that many places share by an anchor cannot be changed alone.
func TestSharedValueIsRefused(t *testing.T) {
	const config = "shared: &m {provider: openai, default: gpt-5}\nmodel: *m\n"
	h := newHost(t, config)
	r := model.New(h.file)
	changes, err := r.Plan(want(new("ollama"), nil), h.observe(t))
	if err != nil || len(changes) != 1 {
		t.Fatalf("plan: %d changes, %v", len(changes), err)
	}
	checkBlocked(t, r.Apply(t.Context(), changes[0]), "SpliceRefused", []string{"config.yaml:2:"})
	if got := h.read(t, "config.yaml"); got != config {
		t.Errorf("the file was changed:\n%s", got)
	}
}
