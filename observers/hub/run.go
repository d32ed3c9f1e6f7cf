package hub

import (
	"context"
	"sync"
	"time"

	"corehost/observers"
)

// gap is the shortest time from the end of one woken reading to the next: the
// first event after a quiet time is answered at once, a storm twenty times a
// second.
const gap = 50 * time.Millisecond

// The pause before events are subscribed to again doubles from first to last.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// Run reads every observer now, then in its interval and whenever it wakes,
// until ctx ends or the hub is closed. It returns nil then. Call it once.
func (h *Hub) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	var running sync.WaitGroup
	for _, e := range h.entries {
		running.Go(func() { h.poll(ctx, e) })
		if e.waker != nil {
			running.Go(func() { h.listen(ctx, e) })
		}
	}
	running.Wait()
	return nil
}

// poll reads one observer until ctx ends.
func (h *Hub) poll(ctx context.Context, e *entry) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		case <-e.wake:
		}
		if h.refresh(ctx, e) != nil || !pause(ctx, gap) {
			return
		}
		next.Reset(e.interval)
	}
}

// listen keeps an observer's events coming until ctx ends.
func (h *Hub) listen(ctx context.Context, e *entry) {
	wake := func() {
		select {
		case e.wake <- struct{}{}:
		default: // a reading is asked for already
		}
	}
	wait := firstPause
	for {
		began := time.Now()
		wakeSafely(ctx, e.waker, wake)
		if time.Since(began) > lastPause {
			wait = firstPause
		}
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, lastPause)
	}
}

// wakeSafely waits for events. How it ended does not matter: a failure, a
// panic and a quiet end are all answered by subscribing again later, and the
// interval covers the time between.
func wakeSafely(ctx context.Context, w observers.Waker, wake func()) {
	defer func() { _ = recover() }()
	_ = w.Wake(ctx, wake)
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
