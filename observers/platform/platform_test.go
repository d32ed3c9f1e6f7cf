package platform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	config "corehost/config/platform"
	"corehost/observers"
	"corehost/observers/platform"
)

// writers answers what a test wants for who wrote last.
type writers struct {
	who   *observers.Writer
	known bool
}

func (w writers) Last(string) (*observers.Writer, bool) { return w.who, w.known }

func observer(t *testing.T, dir string, who platform.Writers) *platform.Platform {
	t.Helper()
	door, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { door.Close() })
	return platform.New(platform.Config{Door: door, File: config.NewFile(door), Writers: who})
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, home.PlatformFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNoFile(t *testing.T) {
	got, err := observer(t, t.TempDir(), nil).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(observers.Platform{}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	const text = "model:\n  provider: anthropic\n  default: some-model\n"
	put(t, dir, text)
	at := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, home.PlatformFile), at, at); err != nil {
		t.Fatal(err)
	}
	got, err := observer(t, dir, nil).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Exists || got.Sum != home.SumOf([]byte(text)) || got.ModTime != at || got.Problem != nil {
		t.Errorf("%+v", got)
	}
	if got.Config.Provider != "anthropic" || got.Config.Model != "some-model" {
		t.Errorf("config %+v", got.Config)
	}
	if w := got.Writer; w == nil || w.UID != os.Geteuid() || w.User == "" || w.PID != 0 || w.At != at {
		t.Errorf("the owner as writer: %+v", w)
	}
}

func TestWriter(t *testing.T) {
	vim := &observers.Writer{UID: 1000, User: "ada", PID: 42, Command: "vim"}
	owner := &observers.Writer{UID: os.Geteuid()}
	tests := map[string]struct {
		seen writers
		want *observers.Writer
	}{
		"seen":         {writers{vim, true}, vim},
		"this process": {writers{nil, true}, nil},
		"not seen":     {writers{nil, false}, owner},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "a: b\n")
			got, err := observer(t, dir, test.seen).Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if (got.Writer == nil) != (test.want == nil) || got.Writer != nil && (got.Writer.UID != test.want.UID || got.Writer.Command != test.want.Command) {
				t.Errorf("writer %+v, want %+v", got.Writer, test.want)
			}
		})
	}
}

func TestFileThatIsNoConfiguration(t *testing.T) {
	tests := map[string]struct {
		make    func(t *testing.T, dir string)
		problem string
		line    int
	}{
		"broken YAML": {func(t *testing.T, dir string) { put(t, dir, "model:\n  provider: [\n") }, "", 2},
		"folder": {func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, home.PlatformFile), 0o700))
		}, "not a regular file", 0},
		"link out of the home": {func(t *testing.T, dir string) {
			must(t, os.Symlink("/etc/passwd", filepath.Join(dir, home.PlatformFile)))
		}, "leads out of the home", 0},
		"ten megabytes": {func(t *testing.T, dir string) { put(t, dir, strings.Repeat("# ballast\n", 1<<20)) }, "8 MiB", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(t, dir)
			got, err := observer(t, dir, nil).Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !got.Exists || got.Problem == nil || !strings.Contains(got.Problem.Message, test.problem) || got.Problem.Line < test.line {
				t.Errorf("%+v, problem %v", got, got.Problem)
			}
			if !cmp.Equal(got.Config, config.Config{}) {
				t.Errorf("a configuration comes with the problem: %+v", got.Config)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWakesForEveryWayOfSaving(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a: b\n")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	woken := make(chan bool, 1000)
	go observer(t, dir, nil).Wake(ctx, func() { woken <- true })
	await := func(what string) {
		t.Helper()
		select {
		case <-woken:
		case <-ctx.Done():
			t.Fatalf("not woken by %s", what)
		}
		for len(woken) > 0 {
			<-woken
		}
	}
	await("the beginning")
	put(t, dir, "a: c\n")
	await("a write in place")
	must(t, os.WriteFile(filepath.Join(dir, "new"), []byte("a: d\n"), 0o600))
	must(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, home.PlatformFile)))
	await("a rename over it")
	must(t, os.Remove(filepath.Join(dir, home.PlatformFile)))
	await("its removal")
}
