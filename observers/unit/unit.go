// Package unit observes the service units of systemd over D-Bus.
//
// Law: a host without a service manager is a host all the same: every unit is
// listed, is down, and the reason is said in words. Nothing is ever started.
package unit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"

	"corehost/observers"
)

const interval = 30 * time.Second

// Core are the units of the platform, in the order in which they are shown.
var Core = []string{"core-gateway", "core-dashboard", "core-dashboard-auth", "core-bridge", "core-bridge-auth"}

// Config says which units are observed and where the service manager is. Names
// may be called from two goroutines at a time.
type Config struct {
	Names func() []string // units beside Core, without ".service"; repeats are dropped; nil: none
	Run   string          // root of the runtime files; empty: /run
	Proc  string          // root of the process file system; empty: /proc
}

// answerLimit bounds the questions of one reading, and a subscription.
const answerLimit = 5 * time.Second

// How long a manager that is not on the bus is waited for.
const (
	patienceStep  = 100 * time.Millisecond
	patienceSteps = 10
)

// Unit observes service units. Observe and Wake may run at the same time.
type Unit struct {
	Config

	dialing chan struct{} // holds the one who connects
	more    chan struct{} // told when other names are observed than before

	mu    sync.Mutex
	link  *link    // nil: not connected
	asked []string // names of the last reading
}

// New observes the units that c names.
func New(c Config) *Unit {
	if c.Run == "" {
		c.Run = "/run"
	}
	if c.Proc == "" {
		c.Proc = "/proc"
	}
	return &Unit{Config: c, dialing: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// Name is "unit".
func (u *Unit) Name() string { return "unit" }

// Interval is thirty seconds; changes of a unit wake it.
func (u *Unit) Interval() time.Duration { return interval }

// Observe reads every unit. A host without a service manager, or one that
// keeps it to itself, is a reading with a Reason; a manager that does not
// answer in ctx's time is an error.
func (u *Unit) Observe(ctx context.Context) (observers.Units, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	names := u.names()
	out := observers.Units{BootID: u.bootID()}
	units, err := u.readAll(ctx, names)
	switch {
	case err == nil:
		out.Manager, out.Units = true, units
	case ctx.Err() != nil:
		return observers.Units{}, fmt.Errorf("read the units: the service manager does not answer: %w", ctx.Err())
	default:
		out.Reason, out.Units = reason(err), absent(names)
	}
	return out, nil
}

// readAll reads the units over the connection that stands; when that turns out
// to be dead, over a new one. A manager that takes another's place, as after
// `systemctl daemon-reexec`, is given a moment to come.
func (u *Unit) readAll(ctx context.Context, names []string) ([]observers.Unit, error) {
	for patience := patienceSteps; ; patience-- {
		l, fresh, err := u.connect(ctx)
		if err != nil {
			return nil, err
		}
		units, err := l.readAll(ctx, names)
		var refused dbus.Error
		switch {
		case err == nil:
			return units, nil
		case ctx.Err() == nil && errors.As(err, &refused) && l.manager.Connected():
			if patience <= 0 || !slices.Contains(absences, refused.Name) {
				return nil, err
			}
			select {
			case <-time.After(patienceStep):
			case <-ctx.Done():
				return nil, err
			}
		default:
			u.drop(l)
			if fresh || ctx.Err() != nil {
				return nil, err
			}
		}
	}
}

// names are Core and what else is asked for, each once.
func (u *Unit) names() []string {
	names := slices.Clone(Core)
	if u.Names != nil {
		for _, name := range u.Names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.Equal(names, u.asked) {
		u.asked = names
		select {
		case u.more <- struct{}{}:
		default:
		}
	}
	return names
}

func (u *Unit) bootID() string {
	id, err := os.ReadFile(filepath.Join(u.Proc, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// connect returns the connection that stands, or a fresh one.
func (u *Unit) connect(ctx context.Context) (l *link, fresh bool, err error) {
	select {
	case u.dialing <- struct{}{}:
		defer func() { <-u.dialing }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if l := u.standing(); l != nil {
		return l, false, nil
	}
	if l, err = dial(ctx, u.Run); err != nil {
		return nil, false, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.link = l
	return l, true, nil
}

func (u *Unit) standing() *link {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link != nil && u.link.manager.Connected() {
		return u.link
	}
	return nil
}

// drop gives a connection up, so that the next reading starts afresh.
func (u *Unit) drop(l *link) {
	l.manager.Close()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.link == l {
		u.link = nil
	}
}

// absent lists the units as they are without a service manager.
func absent(names []string) []observers.Unit {
	units := make([]observers.Unit, len(names))
	for i, name := range names {
		units[i] = observers.Unit{Name: name, Load: "not-found", Active: "inactive", Sub: "dead"}
	}
	return units
}

// errNoManager: this host was not booted with systemd.
var errNoManager = errors.New("systemd does not run")

// absences are the bus's answers when nobody has the manager's name, or no
// longer.
var absences = []string{
	"org.freedesktop.DBus.Error.ServiceUnknown",
	"org.freedesktop.DBus.Error.NameHasNoOwner",
	"org.freedesktop.DBus.Error.NoReply",
	"org.freedesktop.DBus.Error.Disconnected",
}

// reason says in a sentence why there is no service manager to ask.
func reason(err error) string {
	var refused dbus.Error
	switch {
	case errors.Is(err, errNoManager):
		return "No service manager here: this host does not run systemd."
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return "No service manager here: systemd runs, but its bus cannot be reached."
	case errors.Is(err, fs.ErrPermission), errors.As(err, &refused) && strings.HasSuffix(refused.Name, ".AccessDenied"):
		return "No service manager here: this user may not ask systemd."
	case errors.As(err, &refused) && slices.Contains(absences, refused.Name):
		return "No service manager here: systemd is not on the bus of this host."
	default:
		return fmt.Sprintf("No service manager here: %s.", strings.TrimSuffix(err.Error(), "."))
	}
}
