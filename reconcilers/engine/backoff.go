package engine

import (
	"math/rand/v2"
	"sync"
	"time"
)

// The delays between attempts: doubled from first to most, each shortened by
// up to a quarter at random so that loops do not march in step.
const (
	backoffFirst = time.Second
	backoffMost  = 5 * time.Minute
)

// backoff counts failures in a row. It never gives up, and starts over on
// success or a new revision. It is the rate limiter of its controller's queue.
type backoff struct {
	mu       sync.Mutex
	attempts int
	delay    time.Duration
	next     time.Time // when the next attempt is due; zero: now
}

// fail notes a failed attempt at now and returns when the next one is due.
func (b *backoff) fail(now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attempts++
	b.delay = jitter(delayAfter(b.attempts))
	b.next = now.Add(b.delay)
	return b.next
}

// reset forgets all failures.
func (b *backoff) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attempts, b.delay, b.next = 0, 0, time.Time{}
}

// wait is how long the next attempt is still off at now. A clock set back
// cannot make it longer than the delay was.
func (b *backoff) wait(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, min(b.delay, b.next.Sub(now)))
}

// state is what the status shows: attempts in a row and when the next is due.
func (b *backoff) state() (attempts int, next time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.attempts, b.next
}

// When answers the queue: the delay fail decided.
func (b *backoff) When(string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.delay, backoffFirst/2)
}

// Forget is the queue's word for success; reset is called by the pass, which
// knows success from waiting.
func (b *backoff) Forget(string) {}

// NumRequeues answers the queue: failures in a row.
func (b *backoff) NumRequeues(string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.attempts
}

func delayAfter(attempts int) time.Duration {
	d := backoffFirst
	for range attempts - 1 {
		if d >= backoffMost {
			break
		}
		d *= 2
	}
	return min(d, backoffMost)
}

func jitter(d time.Duration) time.Duration {
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}
