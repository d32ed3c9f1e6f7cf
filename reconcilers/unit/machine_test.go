package unit_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"corehost/observers"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// machine keeps the service manager's state machine: what a start and a stop
// do to a unit, and that a unit in failed by its start limit does not start
// before it is reset.
type machine struct {
	units map[string]*observers.Unit
	jobs  int
	calls []string
}

func newMachine(units ...observers.Unit) *machine {
	m := &machine{units: map[string]*observers.Unit{}}
	for _, u := range units {
		m.units[u.Name] = &u
	}
	return m
}

func (m *machine) State(ctx context.Context, name string) (observers.Unit, error) {
	if err := ctx.Err(); err != nil {
		return observers.Unit{}, err
	}
	return *m.units[name], nil
}

func (m *machine) Start(ctx context.Context, name string) error {
	u, err := m.job(ctx, "start", name)
	switch {
	case err != nil:
		return err
	case u.Result == "start-limit-hit":
		return errors.New("start request repeated too quickly")
	case u.Load != "loaded":
		return errors.New("the unit does not load")
	case u.Active == "active":
		return nil
	}
	m.jobs++
	u.Active, u.Sub, u.Result, u.Invocation = "active", "running", "success", fmt.Sprintf("job-%d", m.jobs)
	return nil
}

func (m *machine) Stop(ctx context.Context, name string) error {
	u, err := m.job(ctx, "stop", name)
	if err != nil {
		return err
	}
	u.Active, u.Sub = "inactive", "dead"
	return nil
}

func (m *machine) ResetFailed(ctx context.Context, name string) error {
	u, err := m.job(ctx, "reset-failed", name)
	if err != nil {
		return err
	}
	if u.Active == "failed" {
		u.Active, u.Sub, u.Result = "inactive", "dead", "success"
	}
	return nil
}

func (m *machine) job(ctx context.Context, verb, name string) (*observers.Unit, error) {
	m.calls = append(m.calls, verb+" "+name)
	return m.units[name], ctx.Err()
}

// observe reads the machine, with the units in the given order.
func (m *machine) observe(names ...string) *observers.Snapshot {
	value := observers.Units{Manager: true, BootID: "boot"}
	for _, name := range names {
		if u, ok := m.units[name]; ok {
			value.Units = append(value.Units, *u)
		}
	}
	return &observers.Snapshot{At: now, Units: observers.Reading[observers.Units]{Value: value, At: now, Interval: time.Minute}}
}

func running(name string) observers.Unit {
	return observers.Unit{Name: name, Load: "loaded", Active: "active", Sub: "running", Result: "success",
		Invocation: "first", Started: now.Add(-time.Hour), Since: now.Add(-time.Hour)}
}

func stopped(name string) observers.Unit {
	return observers.Unit{Name: name, Load: "loaded", Active: "inactive", Sub: "dead", Result: "success", Since: now.Add(-time.Hour)}
}

// failed died at the given time, after it ran for a while.
func failed(name, result string, ago, ran time.Duration) observers.Unit {
	return observers.Unit{Name: name, Load: "loaded", Active: "failed", Sub: "failed", Result: result,
		Invocation: "first", Since: now.Add(-ago), Started: now.Add(-ago - ran)}
}
