package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"corehost/observers"
)

// readLimit bounds one reading. An observer that needs longer reports a
// timeout, and its reading is unknown.
const readLimit = 10 * time.Second

// closeLimit bounds how long Close waits for readings.
const closeLimit = 5 * time.Second

// ErrUnknown means that no observer has that name.
var ErrUnknown = errors.New("no such observer")

// Hub runs observers and holds the newest snapshot. Create it with New,
// Register every observer, then Run it; Refresh works without Run too. All
// methods but Register are safe for concurrent use.
type Hub struct {
	now     func() time.Time
	entries []*entry
	newest  atomic.Pointer[observers.Snapshot]

	life    context.Context
	end     context.CancelFunc
	reading sync.WaitGroup

	mu          sync.Mutex // guards what follows, and the replacing of newest
	subscribers map[int]func(string)
	nextID      int
	closed      bool
}

// entry is one observer in the hub.
type entry struct {
	name     string
	interval time.Duration
	observe  func(context.Context) update
	waker    observers.Waker // nil: the host cannot tell
	wake     chan struct{}   // holds one: any number of wakes is one reading
	turn     chan struct{}   // holds the one reading under way
	started  atomic.Uint64   // readings begun
}

// update puts a reading into a snapshot and reports whether it differs from
// the one that was there.
type update func(*observers.Snapshot) (changed bool)

// New makes an empty hub. now is the clock of all ages.
func New(now func() time.Time) *Hub {
	h := &Hub{now: now, subscribers: map[int]func(string){}}
	h.life, h.end = context.WithCancel(context.Background())
	h.newest.Store(&observers.Snapshot{})
	return h
}

// Register adds an observer whose readings go to the place that slot names.
// It must be called before Run and before any other use; a name that is taken
// is a mistake in the wiring and panics.
func Register[T any](h *Hub, o observers.Observer[T], slot func(*observers.Snapshot) *observers.Reading[T]) {
	name := o.Name()
	if h.find(name) != nil {
		panic("hub: two observers are named " + name)
	}
	e := &entry{name: name, interval: o.Interval(), wake: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	e.waker, _ = o.(observers.Waker)
	e.observe = func(ctx context.Context) update { return read(ctx, h.now, o, slot) }
	h.entries = append(h.entries, e)

	first := *h.newest.Load()
	slot(&first).Interval = e.interval
	h.newest.Store(&first)
}

// Snapshot is the newest picture with the clock of this moment. Reading it
// costs one copy of a struct; the values in it are shared and must not be
// changed.
func (h *Hub) Snapshot() *observers.Snapshot {
	s := *h.newest.Load()
	s.At = h.now()
	return &s
}

// Refresh reads the named observers now, all of them without names, and
// returns when a reading that started after the call is in the snapshot. A
// reading that fails is no error here: the snapshot tells. The error is that
// of ctx, or ErrUnknown, or ErrClosed. A caller that gives up does not disturb
// the reading.
func (h *Hub) Refresh(ctx context.Context, names ...string) error {
	entries := h.entries
	if len(names) > 0 {
		entries = nil
		for _, name := range names {
			e := h.find(name)
			if e == nil {
				return fmt.Errorf("refresh %q: %w", name, ErrUnknown)
			}
			entries = append(entries, e)
		}
	}
	done := make(chan error, len(entries))
	for _, e := range entries {
		go func() { done <- h.refresh(ctx, e) }()
	}
	var errs []error
	for range entries {
		errs = append(errs, <-done)
	}
	return errors.Join(errs...)
}

// Subscribe has fn called with an observer's name after each reading whose
// value or error differs from the one before; ages do not count. Calls for one
// observer come one after the other, in the order of the readings. fn must not
// block and must not Refresh. cancel ends it; a call under way may still end.
func (h *Hub) Subscribe(fn func(name string)) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := h.nextID
	h.nextID++
	h.subscribers[id] = fn
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subscribers, id)
	}
}

// Close ends Run and every reading under way, and waits for the readings, but
// no longer than closeLimit: one that hangs with its file system must not keep
// the process from ending. Nothing is published afterwards.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
	ended := make(chan struct{})
	go func() {
		h.reading.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeLimit):
	}
}

func (h *Hub) find(name string) *entry {
	i := slices.IndexFunc(h.entries, func(e *entry) bool { return e.name == name })
	if i < 0 {
		return nil
	}
	return h.entries[i]
}
