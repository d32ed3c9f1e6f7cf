package engine

import (
	"context"
	"time"
)

// grace is how long a change in flight may go on after its caller gave up:
// it ends made or not made, and a clean stop waits for it.
const grace = 10 * time.Second

// door is the one mutex every change to the host passes. Unlike sync.Mutex it
// can be given up while waiting.
type door chan struct{}

func newDoor() door { return make(door, 1) }

// enter waits for the door. The caller must leave it.
func (d door) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d door) leave() { <-d }

// inFlight is the context of one change: it outlives its caller by the grace
// period, so that cancellation falls between changes and not inside one.
func inFlight(ctx context.Context) (context.Context, context.CancelFunc) {
	flight, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-flight.Done():
		}
	})
	return flight, func() { stop(); cancel() }
}
