package unit

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// signalBuffer holds signals until they are looked at.
const signalBuffer = 16

// errBusGone: the connection to the service manager broke.
var errBusGone = errors.New("the connection to the service manager ended")

// Wake tells of changes of the observed units, of reloads of the manager, and
// of the end of the connection, which is an error.
func (u *Unit) Wake(ctx context.Context, wake func()) error {
	signals := make(chan *dbus.Signal, signalBuffer)
	l, err := u.subscribe(ctx, signals)
	if err != nil {
		return err
	}
	defer u.drop(l)
	watched := map[dbus.ObjectPath]bool{managerPath: true}
	if err := u.watch(ctx, l, watched); err != nil {
		return err
	}
	wake()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-u.more:
			if err := u.watch(ctx, l, watched); err != nil {
				return err
			}
			wake()
		case s, ok := <-signals:
			if !ok {
				wake()
				return errBusGone
			}
			if newManager(s) {
				if err := u.askAgain(ctx, l); err != nil {
					return err
				}
				wake()
			}
			if watched[s.Path] {
				wake()
			}
		}
	}
}

// subscribe has signals of the manager sent to ch, which is closed with the
// connection.
func (u *Unit) subscribe(ctx context.Context, ch chan<- *dbus.Signal) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	l, _, err := u.connect(ctx)
	if err != nil {
		return nil, err
	}
	l.bus.Signal(ch)
	if err := l.subscribe(ctx); err != nil {
		u.drop(l)
		return nil, fmt.Errorf("subscribe to the service manager: %w", err)
	}
	return l, nil
}

// newManager reports whether a signal says that a manager came onto the bus.
func newManager(s *dbus.Signal) bool {
	if s.Name != busName+"."+ownerChanged || len(s.Body) != 3 {
		return false
	}
	name, _ := s.Body[0].(string)
	owner, _ := s.Body[2].(string)
	return name == managerName && owner != ""
}

func (u *Unit) askAgain(ctx context.Context, l *link) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	if err := l.ask(ctx); err != nil {
		return fmt.Errorf("subscribe to the service manager: %w", err)
	}
	return nil
}

// watch adds the observed units that are not watched yet.
func (u *Unit) watch(ctx context.Context, l *link, watched map[dbus.ObjectPath]bool) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for _, name := range u.names() {
		path := objectPath(name)
		if watched[path] {
			continue
		}
		if err := l.watch(ctx, name); err != nil {
			return fmt.Errorf("watch unit %q: %w", name, err)
		}
		watched[path] = true
	}
	return nil
}
