package systemd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	godbus "github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"corehost/reconcilers"
)

func TestOnlyUnitNamesReachTheServiceManager(t *testing.T) {
	m := New(Config{Connect: func(context.Context) (*dbus.Conn, error) {
		t.Error("a connection was opened")
		return nil, errors.New("no")
	}, Journalctl: "/nonexistent"})
	for _, name := range []string{"", "-n", "a b", "a/b", "../x", "a*", "a?", "[a]", "a\x00", "a\nb", "ä", strings.Repeat("a", 248)} {
		for verb, err := range map[string]error{
			"start": m.Start(t.Context(), name), "stop": m.Stop(t.Context(), name),
			"restart": m.Restart(t.Context(), name), "reset": m.ResetFailed(t.Context(), name),
		} {
			if !errors.Is(err, ErrName) {
				t.Errorf("%s %q: %v, want ErrName", verb, name, err)
			}
		}
		if _, err := m.Log(t.Context(), name, 5); !errors.Is(err, ErrName) {
			t.Errorf("log %q: %v, want ErrName", name, err)
		}
	}
	for _, name := range []string{"core-gateway", "getty@tty1", "a.b", `dev-disk\x2d1`, "9p"} {
		if !unitName.MatchString(name) {
			t.Errorf("%q is a unit name", name)
		}
	}
}

func TestUnreachableManagerIsRetried(t *testing.T) {
	m := New(Config{Connect: func(context.Context) (*dbus.Conn, error) { return nil, os.ErrNotExist }})
	err := m.Start(t.Context(), "core-gateway")
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, reconcilers.ErrAbsent) || !strings.Contains(err.Error(), `"core-gateway"`) {
		t.Errorf("got %v", err)
	}
}

func TestClassify(t *testing.T) {
	tests := []struct {
		name string
		kind error
	}{
		{"org.freedesktop.systemd1.NoSuchUnit", reconcilers.ErrAbsent},
		{"org.freedesktop.DBus.Error.AccessDenied", reconcilers.ErrBlocked},
		{"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", reconcilers.ErrBlocked},
		{"org.freedesktop.DBus.Error.NoReply", nil},
	}
	for _, tt := range tests {
		err := classify(godbus.Error{Name: tt.name, Body: []any{"text"}})
		for _, kind := range []error{reconcilers.ErrAbsent, reconcilers.ErrBlocked} {
			if errors.Is(err, kind) != errors.Is(tt.kind, kind) {
				t.Errorf("%s is classified as %v", tt.name, err)
			}
		}
	}
}

func TestOutcome(t *testing.T) {
	for result, ok := range map[string]bool{"done": true, "skipped": true, "failed": false, "timeout": false, "canceled": false, "dependency": false, "": false} {
		if err := outcome(result); (err == nil) != ok {
			t.Errorf("%q: %v", result, err)
		}
	}
}

// program writes a script that stands in for journalctl.
func program(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journalctl")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLogRunsWithFixedArgumentsAndEnvironment(t *testing.T) {
	t.Setenv("SECRET_KEY", "must not be inherited")
	m := New(Config{Journalctl: program(t, `echo "$@"; env | grep -c SECRET; pwd; echo "$TZ $LC_ALL"`)})
	got, err := m.Log(t.Context(), "core-gateway", 20)
	if err != nil && !strings.Contains(err.Error(), "exit status") {
		t.Fatal(err)
	}
	want := []string{"--no-pager --quiet -o short-iso -n 20 -u core-gateway.service", "0", "/", "UTC C.UTF-8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLogKeepsTheNewestWithinItsLimits(t *testing.T) {
	m := New(Config{Journalctl: program(t, `i=0; while [ $i -lt 40000 ]; do echo "line $i ...................................."; i=$((i+1)); done`)})
	got, err := m.Log(t.Context(), "core-gateway", 5000)
	if err != nil {
		t.Fatal(err)
	}
	size := len(strings.Join(got, "\n"))
	if size > maxOutput || !strings.HasPrefix(got[0], "line ") || !strings.HasPrefix(got[len(got)-1], "line 39999 ") {
		t.Errorf("%d bytes from %q to %q", size, got[0], got[len(got)-1])
	}
}

func TestLogFailureSaysWhy(t *testing.T) {
	m := New(Config{Journalctl: program(t, `echo "No journal files were found." >&2; exit 1`)})
	if _, err := m.Log(t.Context(), "core-gateway", 5); err == nil || !strings.Contains(err.Error(), "No journal files were found.") {
		t.Errorf("got %v", err)
	}
}

func TestLogEndsWithItsContext(t *testing.T) {
	m := New(Config{Journalctl: program(t, `exec sleep 60`)})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := m.Log(ctx, "core-gateway", 5); err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
}
