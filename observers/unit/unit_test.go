package unit_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
	"corehost/observers/hub"
	"corehost/observers/unit"
)

func names(units observers.Units) []string {
	var out []string
	for _, u := range units.Units {
		out = append(out, u.Name)
	}
	return out
}

// absent checks the reading of a host without a service manager.
func absent(t *testing.T, got observers.Units, err error, reason string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got.Manager || !strings.HasPrefix(got.Reason, "No service manager here: ") || !strings.Contains(got.Reason, reason) || !strings.HasSuffix(got.Reason, ".") {
		t.Errorf("manager %t, reason %q, want one about %q", got.Manager, got.Reason, reason)
	}
	if diff := cmp.Diff(unit.Core, names(got)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, u := range got.Units {
		if u.Up() || u.Installed() || u.Active != "inactive" || u.Load != "not-found" {
			t.Errorf("%+v", u)
		}
	}
}

func TestHostWithoutSystemd(t *testing.T) {
	got, err := unit.New(unit.Config{Run: t.TempDir()}).Observe(t.Context())
	absent(t, got, err, "does not run systemd")
}

func TestSystemdWithoutABus(t *testing.T) {
	got, err := unit.New(unit.Config{Run: runtimeDir(t)}).Observe(t.Context())
	absent(t, got, err, "cannot be reached")
}

func TestBusWithoutSystemd(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	got, err := unit.New(unit.Config{Run: run}).Observe(t.Context())
	absent(t, got, err, "not on the bus")
}

func TestManagerThatRefusesThisUser(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	startManager(t, run).refuse("org.freedesktop.DBus.Error.AccessDenied")
	got, err := unit.New(unit.Config{Run: run}).Observe(t.Context())
	absent(t, got, err, "this user may not ask")
}

func TestBusThatHangsIsBoundedByTheContext(t *testing.T) {
	run := runtimeDir(t)
	for _, socket := range []string{busSocket(run), filepath.Join(run, "systemd/private")} {
		l, err := net.Listen("unix", socket) // takes connections and never says a word
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	got, err := unit.New(unit.Config{Run: run}).Observe(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("%+v, %v", got, err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestManagerThatHangsIsBoundedByTheContext(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	startManager(t, run).hang()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got, err := unit.New(unit.Config{Run: run}).Observe(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnitsInOrder(t *testing.T) {
	run, proc := runtimeDir(t), t.TempDir()
	startBus(t, run)
	m := startManager(t, run)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active", "SubState": "running", "MainPID": uint32(4711)})
	write(t, filepath.Join(proc, "sys/kernel/random/boot_id"), "0f1e2d3c-0000-0000-0000-000000000000\n")
	u := unit.New(unit.Config{Run: run, Proc: proc, Names: func() []string { return []string{"my-own", "core-bridge", "my-own"} }})
	got, err := u.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Manager || got.Reason != "" || got.BootID != "0f1e2d3c-0000-0000-0000-000000000000" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(append(append([]string{}, unit.Core...), "my-own"), names(got)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	gateway, _ := got.Find("core-gateway")
	bridge, _ := got.Find("core-bridge")
	if !gateway.Up() || gateway.PID != 4711 || bridge.Up() || bridge.Load != "not-found" {
		t.Errorf("gateway %+v, bridge %+v", gateway, bridge)
	}
}

// live runs the observer in a hub and returns a function that waits for a
// state of the gateway.
func live(t *testing.T, u *unit.Unit) func(what string, met func(observers.Units) bool) {
	t.Helper()
	h := hub.New(time.Now)
	hub.Register(h, u, func(s *observers.Snapshot) *observers.Reading[observers.Units] { return &s.Units })
	changed := make(chan bool, 1000)
	h.Subscribe(func(string) { changed <- true })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended; h.Close() })
	return func(what string, met func(observers.Units) bool) {
		t.Helper()
		limit := time.After(20 * time.Second)
		for !met(h.Snapshot().Units.Value) {
			select {
			case <-changed:
			case <-limit:
				t.Fatalf("waited in vain for %s: %+v", what, h.Snapshot().Units)
			}
		}
	}
}

func up(name string) func(observers.Units) bool {
	return func(u observers.Units) bool { found, _ := u.Find(name); return u.Manager && found.Up() }
}

func down(name string) func(observers.Units) bool {
	return func(u observers.Units) bool { found, _ := u.Find(name); return u.Manager && !found.Up() }
}

func TestChangeIsSeenAtOnce(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	m := startManager(t, run)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
	await := live(t, unit.New(unit.Config{Run: run}))
	await("the first reading", up("core-gateway"))
	m.subscribed(t)
	for range 3 {
		began := time.Now()
		m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "failed"})
		await("the end of the unit", down("core-gateway"))
		if took := time.Since(began); took > time.Second {
			t.Errorf("seen after %v", took)
		}
		m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
		await("the start of the unit", up("core-gateway"))
	}
}

func TestUnitThatIsAddedLaterIsWatchedToo(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	m := startManager(t, run)
	var extra atomic.Pointer[[]string]
	extra.Store(new([]string))
	u := unit.New(unit.Config{Run: run, Names: func() []string { return *extra.Load() }})
	await := live(t, u)
	await("the first reading", down("core-gateway"))
	m.subscribed(t)
	extra.Store(&[]string{"my-own"})
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"}) // a change of another unit shows the new name
	await("the new unit", func(u observers.Units) bool { _, ok := u.Find("my-own"); return ok })
	m.matched(t, "my-own")
	m.set("my-own", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
	await("the start of the new unit", up("my-own"))
}

func TestConnectsAgainWhenTheBusComesBack(t *testing.T) {
	run := runtimeDir(t)
	stop := startBus(t, run)
	m := startManager(t, run)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
	await := live(t, unit.New(unit.Config{Run: run}))
	await("the first reading", up("core-gateway"))
	m.subscribed(t)

	stop()
	await("the loss of the bus", func(u observers.Units) bool { return !u.Manager && u.Reason != "" })
	startBus(t, run)
	m = startManager(t, run)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
	await("the bus", up("core-gateway"))
	m.subscribed(t)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "failed"})
	await("a change over the new bus", down("core-gateway"))
}

// As after daemon-reexec: another connection owns the name, and what was asked
// of the one before is forgotten.
func TestManagerThatIsReplaced(t *testing.T) {
	run := runtimeDir(t)
	startBus(t, run)
	m := startManager(t, run)
	await := live(t, unit.New(unit.Config{Run: run}))
	await("the first reading", down("core-gateway"))
	m.subscribed(t)
	seen := make(chan string, 1)
	u2 := unit.New(unit.Config{Run: run})
	if _, err := u2.Observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.conn.Close()
	go func() { // a reading in between does not call the host one without a manager
		got, err := u2.Observe(t.Context())
		seen <- fmt.Sprint(got.Manager, err)
	}()
	m = startManager(t, run)
	if got := <-seen; got != "true <nil>" {
		t.Errorf("a reading while the manager is replaced: %s", got)
	}
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "active"})
	await("the start of the unit", up("core-gateway"))
	m.awaitAsked(t)
	m.set("core-gateway", map[string]any{"LoadState": "loaded", "ActiveState": "failed"})
	await("the end of the unit", down("core-gateway"))
}

// TestReadingOverADeadConnection has no hub that would notice the end: another
// bus takes the place of the one that is connected to, which ends.
func TestReadingOverADeadConnection(t *testing.T) {
	run := runtimeDir(t)
	stop := startBus(t, run)
	startManager(t, run)
	u := unit.New(unit.Config{Run: run})
	for range 10 {
		if got, err := u.Observe(t.Context()); err != nil || !got.Manager {
			t.Fatalf("%+v, %v", got, err)
		}
		other := runtimeDir(t)
		next := startBus(t, other)
		startManager(t, other)
		if err := os.Rename(busSocket(other), busSocket(run)); err != nil {
			t.Fatal(err)
		}
		go stop()
		stop = next
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
