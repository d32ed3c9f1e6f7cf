package hub

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"corehost/observers"
)

// ErrClosed means that the hub was closed.
var ErrClosed = errors.New("the observers are closed")

// read takes one reading. A panic is an error of this reading.
func read[T any](ctx context.Context, now func() time.Time, o observers.Observer[T], slot func(*observers.Snapshot) *observers.Reading[T]) update {
	at := now() // of the beginning: the value is at least this new
	value, err := observe(ctx, o)
	tried := now()
	return func(s *observers.Snapshot) bool {
		r := slot(s)
		old := *r
		r.Tried, r.Err, r.Interval = tried, err, o.Interval()
		if err == nil {
			r.Value, r.At = value, at
		}
		return differs(old, *r)
	}
}

func observe[T any](ctx context.Context, o observers.Observer[T]) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("observe %s: panic: %v", o.Name(), p)
		}
	}()
	return o.Observe(ctx)
}

// differs compares what was read, not when.
func differs[T any](before, after observers.Reading[T]) bool {
	if before.Tried.IsZero() || (before.Err == nil) != (after.Err == nil) {
		return true
	}
	if after.Err != nil && before.Err.Error() != after.Err.Error() {
		return true
	}
	return !reflect.DeepEqual(before.Value, after.Value)
}

// refresh returns when a reading of e that started after the call is
// published. Callers that wait for the same turn share the reading.
func (h *Hub) refresh(ctx context.Context, e *entry) error {
	before := e.started.Load()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-h.life.Done():
		return ErrClosed
	}
	if e.started.Load() > before {
		<-e.turn
		return nil
	}
	done := make(chan struct{})
	if !h.begin(func() { h.take(e); close(done) }) {
		<-e.turn
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin runs a reading on its own, so that it survives the caller. False
// after Close.
func (h *Hub) begin(take func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.reading.Go(take)
	return true
}

// take reads and publishes; the caller holds the turn, which ends here.
func (h *Hub) take(e *entry) {
	defer func() { <-e.turn }()
	e.started.Add(1)
	ctx, cancel := context.WithTimeout(h.life, readLimit)
	defer cancel()
	put := e.observe(ctx)
	if h.life.Err() != nil {
		return
	}
	for _, fn := range h.publish(put) {
		fn(e.name)
	}
}

// publish replaces the snapshot and returns who is to be told.
func (h *Hub) publish(put update) []func(string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := *h.newest.Load()
	next.Version++
	changed := put(&next)
	next.At = h.now()
	h.newest.Store(&next)
	if !changed {
		return nil
	}
	told := make([]func(string), 0, len(h.subscribers))
	for _, fn := range h.subscribers {
		told = append(told, fn)
	}
	return told
}
