package reconcilers

import (
	"context"
	"errors"

	"corehost/desired"
	"corehost/observers"
)

// Reconciler brings one part of the host to what the document says.
type Reconciler interface {
	// Name is the reconciler's name: "model", "unit".
	Name() string
	// Watches names the observers whose readings Plan looks at.
	Watches() []string
	// Owns lists the fields of the host this reconciler alone may change, as
	// patterns of Owns: "model.provider", "unit.*.state". Checked at start.
	Owns() []string
	// Plan lists the changes that bring have to want, in the order in which
	// they are to be made, empty when nothing is to be done. It is pure and
	// deterministic: no I/O, no clock (have.At is the time). An error wraps
	// ErrAbsent or ErrBlocked, or is retried; changes returned beside an error
	// are valid, so that one object that cannot be planned hides no other
	// (errors.Join keeps each one's kind).
	Plan(want *desired.Host, have *observers.Snapshot) ([]Change, error)
	// Apply makes one change. It refuses with ErrStale when the host is not
	// what the change was planned from, and does nothing when the change is
	// made already. It leaves either the old or the new state, also when it is
	// cancelled or killed.
	Apply(ctx context.Context, change Change) error
}

// The kinds of error a reconciler tells apart. Any other is retried with
// backoff.
var (
	// ErrStale: the host moved since the change was planned; plan again.
	ErrStale = errors.New("the host changed since this was planned")
	// ErrAbsent: what is to be changed does not exist on this host. No failure.
	ErrAbsent = errors.New("not on this host")
	// ErrBlocked: only a person can go on from here.
	ErrBlocked = errors.New("waits for a person")
)

// Blocked is an ErrBlocked with its condition reason and what to do.
type Blocked struct {
	Reason  string // CamelCase, for the condition: ConfigInvalid, KeyMissing
	Message string // a sentence for a person, with the next step
}

func (b *Blocked) Error() string { return b.Message }

// Unwrap makes errors.Is(err, ErrBlocked) true.
func (b *Blocked) Unwrap() error { return ErrBlocked }
