package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/api"
	"corehost/api/client"
	"corehost/config/home"
)

// process is the daemon running in this process.
type process struct {
	*testing.T
	home   string
	log    *buffer
	client *client.Client
	stop   func() int
}

// buffer is written by the daemon while the test reads.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := &process{T: t, home: dir, log: &buffer{}, client: client.Unix(filepath.Join(dir, "run", "core.sock"))}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	args = append([]string{"--home", dir, "--listen", "127.0.0.1:0"}, args...)
	go func() { ended <- run(ctx, args, io.Discard, p.log, environment(dir)) }()
	p.stop = sync.OnceValue(func() int {
		cancel()
		select {
		case code := <-ended:
			return code
		case <-time.After(patience):
			t.Error("the daemon does not end")
			return -1
		}
	})
	t.Cleanup(func() { p.stop() })
	p.ready(ended)
	return p
}

func environment(dir string) func(string) string {
	return func(name string) string {
		switch name {
		case "CORE_BACKUP_DIR":
			return filepath.Join(dir, "backups")
		case "HOME":
			return dir
		}
		return ""
	}
}

var served = regexp.MustCompile(`"page":"(http://[^"]+)"`)

// base is the address on TCP, from the log.
func (p *process) base() string {
	if m := served.FindStringSubmatch(p.log.String()); m != nil {
		return m[1]
	}
	return ""
}

func (p *process) ready(ended <-chan int) {
	p.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		select {
		case code := <-ended:
			p.Fatalf("the daemon ended with %d: %s", code, p.log)
		case <-time.After(5 * time.Millisecond):
		}
		if base := p.base(); base != "" {
			resp, err := http.Get(base + "/readyz")
			if err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					return
				}
			}
		}
	}
	p.Fatalf("the daemon is not ready: %s", p.log)
}

func TestFirstStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "core")
	p := start(t, dir)
	for name, mode := range map[string]fs.FileMode{".": fs.ModeDir | 0o700, "run": fs.ModeDir | 0o700, "run/core.sock": fs.ModeSocket | 0o600, "operator.db": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, mode)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, home.DesiredFile))
	if err != nil || !strings.Contains(string(text), "keepLast: 14") {
		t.Errorf("desired.yaml: %v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, home.PlatformFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("config.yaml was made: %v", err)
	}
	if _, err := p.client.SetEffort(t.Context(), api.SetEffort{Effort: "low"}); err != nil {
		t.Fatal(err)
	}
	list, err := p.client.Revisions(t.Context(), 0, 1)
	if want := fmt.Sprintf("cli:%d", os.Getuid()); err != nil || list.Revisions[0].Author != want {
		t.Errorf("got %+v, %v, want author %s", list, err, want)
	}
	over := client.New(p.base(), nil)
	if _, err := over.SetEffort(t.Context(), api.SetEffort{Effort: "high"}); err != nil {
		t.Fatal(err)
	}
	if list, err = over.Revisions(t.Context(), 0, 1); err != nil || list.Revisions[0].Author != api.ActorLoopback {
		t.Errorf("got %+v, %v", list, err)
	}
	resp, err := http.Get(p.base() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("the page: %s %s", resp.Status, kind)
	}
}

func TestExistingConfigIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	const mine = "model: {provider: ollama, default: m-0} # mine\n"
	if err := os.WriteFile(filepath.Join(dir, home.PlatformFile), []byte(mine), 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir)
	info, err := p.client.ModelInfo(t.Context())
	if err != nil || info.Provider != "ollama" || info.Source["provider"] != "config" {
		t.Errorf("got %+v, %v", info, err)
	}
	explained, err := p.client.Explain(t.Context(), "model.provider")
	if err != nil || explained.Managed {
		t.Errorf("got %+v, %v", explained, err)
	}
	p.stop()
	if got, _ := os.ReadFile(filepath.Join(dir, home.PlatformFile)); string(got) != mine {
		t.Errorf("config.yaml was touched:\n%s", got)
	}
}

func TestOneProcessForAHome(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir)
	var log buffer
	code := run(t.Context(), []string{"--home", dir, "--listen", "127.0.0.1:0"}, io.Discard, &log, environment(dir))
	if code != exitFailed || !strings.Contains(log.String(), "in use by another process (pid ") || !strings.Contains(log.String(), "hint: ") {
		t.Errorf("got %d: %s", code, &log)
	}
	if _, err := first.client.Healthz(t.Context()); err != nil {
		t.Errorf("the first one goes on: %v", err)
	}
	if code := first.stop(); code != exitDone {
		t.Errorf("ended with %d", code)
	}
	start(t, dir) // the lock is free again
}

func TestShutdownEndsStreams(t *testing.T) {
	p := start(t, t.TempDir())
	open, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- p.client.Events(t.Context(), -1, func(m client.Message) error {
			if m.State != nil {
				close(open)
			}
			return nil
		})
	}()
	<-open
	began := time.Now()
	if code := p.stop(); code != exitDone {
		t.Errorf("ended with %d: %s", code, p.log)
	}
	if took := time.Since(began); took > shutdownTime {
		t.Errorf("the end took %v", took)
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v", err)
	}
	if _, err := os.Lstat(filepath.Join(p.home, "run", "core.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
}

func TestSocketOfAKilledDaemonIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "run", "core.sock"))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close()
	p := start(t, dir)
	if _, err := p.client.Healthz(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFileInPlaceOfTheSocketStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "precious")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, "--socket", path)
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(p.log.String(), "something that is no socket stands there") {
		t.Errorf("the log does not say so: %s", p.log)
	}
}

func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"every address":                  {[]string{"--listen", "0.0.0.0:7710"}, exitUsage, "only loopback addresses are served"},
		"every address, bare":            {[]string{"--listen", ":7710"}, exitUsage, "only loopback addresses are served"},
		"an address outside":             {[]string{"--listen", "192.0.2.1:7710"}, exitUsage, "only loopback addresses are served"},
		"a foreign name":                 {[]string{"--listen", "example.net:7710"}, exitUsage, "only loopback addresses are served"},
		"no port":                        {[]string{"--listen", "127.0.0.1"}, exitUsage, "expected host:port"},
		"an unknown flag":                {[]string{"--colour"}, exitUsage, "hint: core-dashboard --help"},
		"an argument":                    {[]string{"start"}, exitUsage, `unexpected argument "start"`},
		"a taken address":                {[]string{"--listen", taken.Addr().String()}, exitFailed, "hint: choose another address"},
		"a socket path that is too long": {[]string{"--listen", "127.0.0.1:0", "--socket", "/tmp/" + strings.Repeat("x", 120)}, exitFailed, "hint: choose a shorter path"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var log buffer
			code := run(t.Context(), append([]string{"--home", dir}, tt.args...), io.Discard, &log, environment(dir))
			if code != tt.code || !strings.Contains(log.String(), tt.says) {
				t.Errorf("got %d: %s", code, &log)
			}
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--version"}, &out, &errs, environment(t.TempDir())); code != exitDone || !strings.HasPrefix(out.String(), "core-dashboard ") {
		t.Errorf("got %d %q", code, &out)
	}
	if code := run(t.Context(), []string{"--help"}, &out, &errs, environment(t.TempDir())); code != exitDone || !strings.Contains(errs.String(), "--listen") {
		t.Errorf("got %d %q", code, &errs)
	}
}
