package api_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/api"
	"corehost/api/client"
	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/platform"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/backup"
	"corehost/observers/host"
	"corehost/observers/hub"
	"corehost/observers/key"
	"corehost/observers/mesh"
	observed "corehost/observers/platform"
	"corehost/observers/unit"
	"corehost/observers/vault"
	"corehost/reconcilers"
	"corehost/reconcilers/engine"
	"corehost/reconcilers/journal"
	"corehost/reconcilers/model"
	"corehost/reconcilers/reasoning"
	"corehost/reconcilers/retention"
)

const firstDesired = `# what this host should be
apiVersion: core.dev/v1alpha1
kind: Host
metadata:
  name: amber
spec:
  model:
    provider: ollama   # at home
    default: m-0
`

const firstConfig = `# the platform's own file
model:
  provider: ollama
  default: m-0
logging: {level: info} # keep
`

// installation is a home with every part on it and the API in front, as the
// daemon has it; only the service manager is missing.
type installation struct {
	*testing.T
	home    string
	base    string
	client  *client.Client
	server  *api.Server
	journal *journal.Journal
	end     func()
}

func install(t testing.TB) *installation { return installAs(t, firstDesired, firstConfig) }

func installAs(tb testing.TB, desiredText, configText string) *installation {
	tb.Helper()
	in := &installation{home: tb.TempDir()}
	in.T, _ = tb.(*testing.T)
	write(tb, filepath.Join(in.home, home.DesiredFile), desiredText)
	write(tb, filepath.Join(in.home, home.PlatformFile), configText)
	write(tb, filepath.Join(in.home, home.EnvFile), "ANTHROPIC_API_KEY=sk-ant-only-for-this-test\n")
	paths := home.Paths{Home: in.home, Backup: filepath.Join(in.home, "backups"), Proc: "/proc", Etc: "/etc"}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	started := time.Now()

	door := must(home.Open(in.home))(tb)
	db := must(operatordb.Open(tb.Context(), paths.Join(home.OperatorFile)))(tb)
	st := must(store.Open(tb.Context(), store.Config{Door: door, DB: db, Now: time.Now, Hostname: "amber", Create: true}))(tb)
	in.journal = must(journal.Open(tb.Context(), db, time.Now))(tb)
	file := platform.NewFile(door)
	h := hub.New(time.Now)
	hub.Register(h, host.New("/proc", "/etc", "/", time.Now), func(s *observers.Snapshot) *observers.Reading[observers.Host] { return &s.Host })
	hub.Register(h, unit.New(unit.Config{Run: in.home}), func(s *observers.Snapshot) *observers.Reading[observers.Units] { return &s.Units })
	hub.Register(h, observed.New(observed.Config{Door: door, File: file}), func(s *observers.Snapshot) *observers.Reading[observers.Platform] { return &s.Platform })
	hub.Register(h, key.New(key.Config{Door: door, Environ: func() []string { return nil }}), func(s *observers.Snapshot) *observers.Reading[observers.Keys] { return &s.Keys })
	hub.Register(h, vault.New(in.home), func(s *observers.Snapshot) *observers.Reading[observers.VaultFiles] { return &s.Vault })
	hub.Register(h, mesh.New(mesh.Config{Socket: filepath.Join(in.home, "none.sock")}), func(s *observers.Snapshot) *observers.Reading[observers.Mesh] { return &s.Mesh })
	hub.Register(h, backup.New(paths.Backup), func(s *observers.Snapshot) *observers.Reading[observers.Backups] { return &s.Backups })
	if err := h.Refresh(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	e := must(engine.New(tb.Context(), engine.Config{
		Store: st, Hub: h, Journal: in.journal, DB: db, Platform: file, Readers: reconcilers.ConfigReaders(), Self: "core-dashboard",
		Reconcilers: []reconcilers.Reconciler{model.New(file), reasoning.New(file), retention.New(backup.New(paths.Backup))},
		Started:     started, Now: time.Now, Log: log,
	}))(tb)
	in.server = api.New(api.Config{
		Engine: e, Store: st, Hub: h, Journal: in.journal, Paths: paths, Version: "1.2.3",
		Readers: reconcilers.ConfigReaders(), Self: "core-dashboard", Started: started, Now: time.Now, Log: log,
	})
	web := httptest.NewServer(in.server.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })))
	in.base = web.URL
	in.client = client.New(web.URL, web.Client().Transport)

	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{st.Run, h.Run, e.Run} {
		wg.Go(func() { _ = run(ctx) })
	}
	in.end = sync.OnceFunc(func() {
		in.server.Close()
		web.Close()
		cancel()
		wg.Wait()
		h.Close()
		_ = db.Close()
		_ = door.Close()
	})
	tb.Cleanup(in.end)
	return in
}

// must ends the test when a part cannot be made.
func must[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func (in *installation) read(name string) string {
	in.Helper()
	data, err := os.ReadFile(filepath.Join(in.home, name))
	if err != nil {
		in.Fatal(err)
	}
	return string(data)
}

// answer is one raw answer.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends one raw request; headers are pairs.
func (in *installation) ask(method, path, body string, headers ...string) answer {
	in.Helper()
	return in.stream(method, path, strings.NewReader(body), headers...)
}

func (in *installation) stream(method, path string, body io.Reader, headers ...string) answer {
	in.Helper()
	req, err := http.NewRequestWithContext(in.Context(), method, in.base+path, body)
	if err != nil {
		in.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		in.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		in.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(data)}
}

// await waits for the status to be as wanted.
func (in *installation) await(what string, ok func(api.Status) bool) api.Status {
	in.Helper()
	ctx, cancel := context.WithTimeout(in.Context(), 20*time.Second)
	defer cancel()
	var last api.Status
	err := in.client.Events(ctx, -1, func(m client.Message) error {
		switch {
		case m.State != nil:
			last = m.State.Status
		case m.Status != nil:
			last = *m.Status
		default:
			return nil
		}
		if ok(last) {
			return errDone
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		in.Fatalf("waited for %s: %v; the status is %+v", what, err, last)
	}
	return last
}
