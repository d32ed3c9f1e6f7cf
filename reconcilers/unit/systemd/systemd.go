// Package systemd is the one door through which units are changed: jobs over
// D-Bus, the journal through journalctl.
//
// Law: a job is waited for, every wait ends with its context, and nothing
// that is not a unit name reaches the service manager.
package systemd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	godbus "github.com/godbus/dbus/v5"

	"corehost/observers"
	"corehost/reconcilers"
)

// jobTimeout bounds a job; systemd's own limits (90 s to stop and 90 s to
// start by default) come first.
const jobTimeout = 5 * time.Minute

// mode queues a job as systemctl does: it replaces conflicting ones.
const mode = "replace"

// ErrName says that the text is not the name of a service unit.
var ErrName = errors.New("not a unit name")

// unitName is systemd.unit(5) without the suffix: at most 255 characters with
// it.
var unitName = regexp.MustCompile(`^[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,246}$`)

// Config says how to reach the service manager. Zero fields select the
// system's own.
type Config struct {
	// Connect opens a connection that ends with the context. Default: the
	// system bus, for root also systemd's private socket.
	Connect func(ctx context.Context) (*dbus.Conn, error)
	// Journalctl is the path of the program. Default: journalctl in /usr/bin
	// or /bin.
	Journalctl string
}

// Manager changes units. It keeps no connection: jobs are rare, and a kept
// one would have to survive the bus restarting. Safe for concurrent use.
type Manager struct{ config Config }

// New returns the door.
func New(c Config) *Manager {
	if c.Connect == nil {
		c.Connect = dbus.NewWithContext
	}
	return &Manager{config: c}
}

// Start starts a unit and waits until the job has ended.
func (m *Manager) Start(ctx context.Context, name string) error {
	return m.job(ctx, "start", name, (*dbus.Conn).StartUnitContext)
}

// Stop stops a unit and waits until the job has ended.
func (m *Manager) Stop(ctx context.Context, name string) error {
	return m.job(ctx, "stop", name, (*dbus.Conn).StopUnitContext)
}

// Restart restarts a unit, or starts one that does not run, and waits until
// the job has ended. A unit in failed is reset first, so that a start limit
// does not refuse what a person asked for.
func (m *Manager) Restart(ctx context.Context, name string) error {
	unit, err := m.State(ctx, name)
	if err != nil {
		return err
	}
	if unit.Active == "failed" {
		if err := m.ResetFailed(ctx, name); err != nil {
			return err
		}
	}
	return m.job(ctx, "restart", name, (*dbus.Conn).RestartUnitContext)
}

// ResetFailed clears a unit's failed state and its start counter.
func (m *Manager) ResetFailed(ctx context.Context, name string) error {
	return m.with(ctx, "reset", name, func(ctx context.Context, conn *dbus.Conn, service string) error {
		return conn.ResetFailedUnitContext(ctx, service)
	})
}

// State reads what identifies a unit's present state: Load, Active, Sub and
// Invocation; the observer reads the rest.
func (m *Manager) State(ctx context.Context, name string) (observers.Unit, error) {
	unit := observers.Unit{Name: name}
	err := m.with(ctx, "read", name, func(ctx context.Context, conn *dbus.Conn, service string) error {
		props, err := conn.GetUnitPropertiesContext(ctx, service)
		if err != nil {
			return err
		}
		unit.Load, _ = props["LoadState"].(string)
		unit.Active, _ = props["ActiveState"].(string)
		unit.Sub, _ = props["SubState"].(string)
		if id, ok := props["InvocationID"].([]byte); ok {
			unit.Invocation = fmt.Sprintf("%x", id)
		}
		return nil
	})
	return unit, err
}

type startJob func(conn *dbus.Conn, ctx context.Context, name, mode string, done chan<- string) (int, error)

func (m *Manager) job(ctx context.Context, verb, name string, start startJob) error {
	return m.with(ctx, verb, name, func(ctx context.Context, conn *dbus.Conn, service string) error {
		done := make(chan string, 1)
		if _, err := start(conn, ctx, service, mode, done); err != nil {
			return err
		}
		select {
		case result := <-done:
			return outcome(result)
		case <-ctx.Done():
			return fmt.Errorf("wait for the job: %w", ctx.Err())
		}
	})
}

// outcome reads a job's result (org.freedesktop.systemd1, JobRemoved). A
// skipped job had nothing to do.
func outcome(result string) error {
	if result == "done" || result == "skipped" {
		return nil
	}
	return fmt.Errorf("the job ended with %q", result)
}

// with runs one exchange on a connection of its own.
func (m *Manager) with(ctx context.Context, verb, name string, do func(context.Context, *dbus.Conn, string) error) error {
	if !unitName.MatchString(name) {
		return fmt.Errorf("%s unit %q: %w", verb, name, ErrName)
	}
	ctx, cancel := context.WithTimeout(ctx, jobTimeout)
	defer cancel()
	conn, err := m.config.Connect(ctx)
	if err != nil {
		return fmt.Errorf("%s unit %q: reach the service manager: %w", verb, name, err)
	}
	defer conn.Close()
	if err := do(ctx, conn, name+".service"); err != nil {
		return fmt.Errorf("%s unit %q: %w", verb, name, classify(err))
	}
	return nil
}

// classify tells a unit that is not there, or may not run, from a failure.
func classify(err error) error {
	var refused godbus.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Name {
	case "org.freedesktop.systemd1.NoSuchUnit":
		return fmt.Errorf("%w: %w", reconcilers.ErrAbsent, err)
	case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
		return &reconcilers.Blocked{Reason: "NotPermitted", Message: fmt.Sprintf("this user may not change units (%v). Run the operator as root, or allow it with a polkit rule", err)}
	}
	return err
}
