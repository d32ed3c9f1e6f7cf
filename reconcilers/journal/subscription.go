package journal

import (
	"corehost/reconcilers"
)

// queue is how many events a subscriber may lag behind.
const queue = 256

// Subscription is one reader of the live feed.
type Subscription struct {
	// C carries every event appended after Subscribe, in order. It is closed
	// when the reader lagged behind by more than 256 events, and by Close; the
	// reader then reads on with Page, from the last id it saw.
	C <-chan reconcilers.Event

	c       chan reconcilers.Event
	journal *Journal
}

// Subscribe starts a feed. Close it when done.
func (j *Journal) Subscribe() *Subscription {
	c := make(chan reconcilers.Event, queue)
	s := &Subscription{C: c, c: c, journal: j}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.readers[s] = struct{}{}
	return s
}

// Close ends the feed. It may be called more than once.
func (s *Subscription) Close() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.drop(s)
}

// deliver hands events over without waiting; false: the reader is too slow.
func (s *Subscription) deliver(events []reconcilers.Event) bool {
	for _, e := range events {
		select {
		case s.c <- e:
		default:
			return false
		}
	}
	return true
}

// drop forgets a reader. The journal's lock is held.
func (j *Journal) drop(s *Subscription) {
	if _, ok := j.readers[s]; ok {
		delete(j.readers, s)
		close(s.c)
	}
}
