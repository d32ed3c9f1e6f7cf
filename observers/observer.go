package observers

import (
	"context"
	"time"
)

// Observer reads one part of the host.
type Observer[T any] interface {
	// Name is the observer's name: "host", "unit". Reconcilers subscribe by it.
	Name() string
	// Interval is how often Observe is called when nothing wakes it. A reading
	// older than three intervals is unknown.
	Interval() time.Duration
	// Observe reads now. It must not block longer than its context, must not
	// change anything, and may be called from one goroutine at a time.
	Observe(ctx context.Context) (T, error)
}

// Waker is implemented by observers that the host can tell about a change.
type Waker interface {
	// Wake calls wake after each change until ctx ends. An error means that
	// events are not to be had now; it is called again later, and the interval
	// covers the gap. Calling wake too often is harmless.
	Wake(ctx context.Context, wake func()) error
}

// Reading is one observed value with its age.
type Reading[T any] struct {
	Value    T             // the last value that was read; zero before the first
	At       time.Time     // when Value was read; zero: never
	Tried    time.Time     // when the last attempt ended
	Err      error         // why the last attempt failed; nil: it did not
	Interval time.Duration // the observer's interval
}

// staleAfter is the number of intervals after which a reading is unknown.
const staleAfter = 3

// Known reports whether the value may be shown as the truth at now: it was
// read, the last attempt did not fail, and it is not older than three
// intervals. A reading from the future (the clock was set back) counts by its
// distance.
func (r Reading[T]) Known(now time.Time) bool {
	if r.At.IsZero() || r.Err != nil {
		return false
	}
	age := now.Sub(r.At).Abs()
	return age <= staleAfter*r.Interval
}

// Why says in a sentence why a reading is not known; empty when it is.
func (r Reading[T]) Why(now time.Time) string {
	switch {
	case r.Known(now):
		return ""
	case r.Err != nil:
		return r.Err.Error()
	case r.At.IsZero():
		return "not read yet"
	default:
		return "the last reading is from " + r.At.UTC().Format(time.RFC3339)
	}
}
