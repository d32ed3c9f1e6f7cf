package dashboard

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/api"
	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/platform"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/backup"
	"corehost/observers/history"
	"corehost/observers/host"
	"corehost/observers/hub"
	"corehost/observers/key"
	observed "corehost/observers/platform"
	"corehost/observers/unit"
	"corehost/observers/vault"
	"corehost/reconcilers"
	"corehost/reconcilers/engine"
	"corehost/reconcilers/journal"
	"corehost/reconcilers/model"
	"corehost/reconcilers/reasoning"
)

const realDesired = `apiVersion: core.dev/v1alpha1
kind: Host
metadata:
  name: amber
spec:
  model:
    provider: ollama   # at home
    default: m-0
`

// realHome serves the pages of a real home, with every part but the service
// manager and the mesh.
func realHome(t *testing.T) (dir string, web *httptest.Server) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, home.DesiredFile, realDesired)
	put(t, dir, home.PlatformFile, "model:\n  provider: ollama\n  default: m-0\n# keep\n")
	door, err := home.Open(dir)
	fatal(t, err)
	db, err := operatordb.Open(t.Context(), filepath.Join(dir, home.OperatorFile))
	fatal(t, err)
	st, err := store.Open(t.Context(), store.Config{Door: door, DB: db, Now: time.Now, Hostname: "amber"})
	fatal(t, err)
	jr, err := journal.Open(t.Context(), db, time.Now)
	fatal(t, err)
	file, h := platform.NewFile(door), hub.New(time.Now)
	past := history.New(h, time.Now)
	hub.Register(h, host.New("/proc", "/etc", "/", time.Now), func(s *observers.Snapshot) *observers.Reading[observers.Host] { return &s.Host })
	hub.Register(h, unit.New(unit.Config{Run: dir}), func(s *observers.Snapshot) *observers.Reading[observers.Units] { return &s.Units })
	hub.Register(h, observed.New(observed.Config{Door: door, File: file}), func(s *observers.Snapshot) *observers.Reading[observers.Platform] { return &s.Platform })
	hub.Register(h, key.New(key.Config{Door: door, Environ: func() []string { return nil }}), func(s *observers.Snapshot) *observers.Reading[observers.Keys] { return &s.Keys })
	hub.Register(h, vault.New(dir), func(s *observers.Snapshot) *observers.Reading[observers.VaultFiles] { return &s.Vault })
	hub.Register(h, backup.New(dir), func(s *observers.Snapshot) *observers.Reading[observers.Backups] { return &s.Backups })
	fatal(t, h.Refresh(t.Context()))
	log := slog.New(slog.DiscardHandler)
	e, err := engine.New(t.Context(), engine.Config{
		Store: st, Hub: h, Journal: jr, DB: db, Platform: file, Readers: reconcilers.ConfigReaders(), Self: self,
		Reconcilers: []reconcilers.Reconciler{model.New(file), reasoning.New(file)}, Started: time.Now(), Now: time.Now, Log: log,
	})
	fatal(t, err)
	server := api.New(api.Config{
		Engine: e, Store: st, Hub: h, Journal: jr, History: past, Paths: home.Paths{Home: dir}, Version: "1.2.3",
		Readers: reconcilers.ConfigReaders(), Self: self, Started: time.Now(), Now: time.Now, Log: log,
	})
	web = httptest.NewServer(server.Handler(New(server, "1.2.3")))
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{st.Run, h.Run, e.Run} {
		wg.Go(func() { _ = run(ctx) })
	}
	t.Cleanup(func() {
		server.Close()
		web.CloseClientConnections()
		web.Close()
		cancel()
		wg.Wait()
		h.Close()
		_, _ = db.Close(), door.Close()
	})
	return dir, web
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	fatal(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFormsWriteTheFilesOfARealHome(t *testing.T) {
	dir, web := realHome(t)
	for _, form := range []url.Values{
		{"do": {"model"}, "provider": {"lmstudio"}, "model": {"m-1"}},
		{"do": {"effort"}, "effort": {"HIGH"}},
	} {
		resp, err := http.PostForm(web.URL+"/model", form)
		fatal(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/model" {
			t.Fatalf("%v: status %d at %s", form, resp.StatusCode, resp.Request.URL)
		}
	}
	config, err := os.ReadFile(filepath.Join(dir, home.PlatformFile))
	fatal(t, err)
	for _, want := range []string{"provider: lmstudio", "default: m-1", "reasoning_effort: high", "# keep"} {
		if !strings.Contains(string(config), want) {
			t.Errorf("config.yaml has no %q:\n%s", want, config)
		}
	}
}

func TestEveryPageOfARealHome(t *testing.T) {
	_, web := realHome(t)
	for path, want := range map[string]int{
		"/": 200, "/model": 200, "/model?provider=openai&model=x": 200, "/activity": 200, "/activity?kind=Started": 200, "/activity/revisions/1": 200,
		"/activity/explain?field=model.provider": 200, "/activity/revisions/7": 404, "/nowhere": 404,
	} {
		resp, err := http.Get(web.URL + path)
		fatal(t, err)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestAnotherSiteCannotPostAForm(t *testing.T) {
	dir, web := realHome(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/model", strings.NewReader("do=effort&effort=HIGH"))
	fatal(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://evil.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := http.DefaultClient.Do(r)
	fatal(t, err)
	resp.Body.Close()
	config, err := os.ReadFile(filepath.Join(dir, home.PlatformFile))
	fatal(t, err)
	if resp.StatusCode != http.StatusForbidden || strings.Contains(string(config), "high") {
		t.Errorf("status %d, config.yaml:\n%s", resp.StatusCode, config)
	}
}
