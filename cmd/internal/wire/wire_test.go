package wire

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/api"
	"corehost/api/client"
	"corehost/config/home"
)

func options(dir string, daemon bool) Options {
	return Options{
		Paths: home.Paths{Home: dir, Backup: filepath.Join(dir, "backups"), Proc: "/proc", Etc: "/etc"}, Daemon: daemon,
		Version: "1.2.3", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// TestWithoutLoops works on a home as the command line does when no daemon
// runs: every change is made at once.
func TestWithoutLoops(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		home.DesiredFile:  "apiVersion: core.dev/v1alpha1\nkind: Host\nspec: {}\n",
		home.PlatformFile: "model: {provider: openai} # mine\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i, err := Open(t.Context(), options(dir, false))
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if _, err := Open(t.Context(), options(dir, true)); !errors.Is(err, ErrLocked) {
		t.Errorf("two processes on one home: %v", err)
	}
	c := client.InProcess(i.Handler)
	began := time.Now()
	got, err := c.SetModel(api.WithActor(t.Context(), "cli:0"), api.SetModel{Provider: "ollama", Model: "m-1"})
	if err != nil || !got.Converged {
		t.Fatalf("got %+v, %v", got, err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v: it waited for loops that do not run", took)
	}
	text, err := os.ReadFile(filepath.Join(dir, home.PlatformFile))
	if err != nil || !strings.Contains(string(text), "provider: ollama") || !strings.Contains(string(text), "# mine") {
		t.Errorf("%v\n%s", err, text)
	}
	status, err := c.Status(t.Context())
	if err != nil || !status.Converged || len(status.Restart) != 0 {
		t.Errorf("this process runs nothing that would wait for a restart: %+v, %v", status.Status, err)
	}
}

func TestNoHomeIsMadeForTheCommandLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if i, err := Open(t.Context(), options(dir, false)); err == nil {
		_ = i.Close()
		t.Error("got no error")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the home was made: %v", err)
	}
}
