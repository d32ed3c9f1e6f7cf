package unit_test

import (
	"bufio"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdbus "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"
)

// runtimeDir is the /run of a host that was booted with systemd. Its path is
// short, because sockets lie in it.
func runtimeDir(t *testing.T) string {
	t.Helper()
	run, err := os.MkdirTemp("", "run") //nolint:usetesting // t.TempDir is too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	for _, dir := range []string{"systemd/system", "dbus"} {
		if err := os.MkdirAll(filepath.Join(run, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func busSocket(run string) string { return filepath.Join(run, "dbus/system_bus_socket") }

// startBus runs a real dbus-daemon in a runtime folder, until stop or the
// test's end.
func startBus(t *testing.T, run string) (stop func()) {
	t.Helper()
	config := filepath.Join(run, "bus.conf")
	write(t, config, `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=`+busSocket(run)+`</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`)
	cmd := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	t.Cleanup(stop)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it listens now
		t.Fatal(err)
	}
	return stop
}

// manager stands in for systemd on a bus: it keeps the properties of units and
// sends the signals systemd sends, to those who subscribed.
type manager struct {
	conn *dbus.Conn

	mu      sync.Mutex
	units   map[string]map[string]any // by object path
	refusal string
	stuck   bool
	asked   bool // somebody subscribed
}

func startManager(t *testing.T, run string) *manager {
	t.Helper()
	conn, err := dbus.Connect("unix:path=" + busSocket(run))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	m := &manager{conn: conn, units: map[string]map[string]any{}}
	if err := conn.ExportSubtreeMethodTable(map[string]any{"GetAll": m.getAll}, "/org/freedesktop/systemd1/unit", "org.freedesktop.DBus.Properties"); err != nil {
		t.Fatal(err)
	}
	if err := conn.ExportMethodTable(map[string]any{"Subscribe": m.subscribe}, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.systemd1", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return m
}

func path(name string) string {
	return "/org/freedesktop/systemd1/unit/" + sdbus.PathBusEscape(name+".service")
}

func (m *manager) getAll(msg dbus.Message, _ string) (map[string]dbus.Variant, *dbus.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stuck {
		m.mu.Unlock()
		<-m.conn.Context().Done()
		m.mu.Lock()
	}
	if m.refusal != "" {
		return nil, dbus.NewError(m.refusal, []any{"no"})
	}
	at := msg.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
	props := map[string]any{"LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"}
	maps.Copy(props, m.units[string(at)])
	out := map[string]dbus.Variant{}
	for k, v := range props {
		out[k] = dbus.MakeVariant(v)
	}
	return out, nil
}

func (m *manager) subscribe() *dbus.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = true
	return nil
}

func (m *manager) set(name string, props map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units[path(name)] = props
	if m.asked {
		m.conn.Emit(dbus.ObjectPath(path(name)), "org.freedesktop.DBus.Properties.PropertiesChanged",
			"org.freedesktop.systemd1.Unit", map[string]dbus.Variant{}, []string{"ActiveState"})
	}
}

func (m *manager) refuse(name string) { m.mu.Lock(); defer m.mu.Unlock(); m.refusal = name }
func (m *manager) hang()              { m.mu.Lock(); defer m.mu.Unlock(); m.stuck = true }

// subscribed waits until somebody asked for signals of the gateway.
func (m *manager) subscribed(t *testing.T) {
	t.Helper()
	m.matched(t, "core-bridge-auth") // the last one
	m.awaitAsked(t)
}

// awaitAsked waits until somebody asked for signals at all.
func (m *manager) awaitAsked(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		m.mu.Lock()
		asked := m.asked
		m.mu.Unlock()
		if asked {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody asked the manager for signals")
		}
	}
}

// matched waits until somebody asked the bus for signals of a unit.
func (m *manager) matched(t *testing.T, name string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var rules map[string][]string
		if err := m.conn.BusObject().Call("org.freedesktop.DBus.Debug.Stats.GetAllMatchRules", 0).Store(&rules); err != nil {
			t.Fatal(err)
		}
		for _, of := range rules {
			for _, rule := range of {
				if strings.Contains(rule, "'"+path(name)+"'") {
					return
				}
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody watches %s: %v", name, rules)
		}
	}
}
