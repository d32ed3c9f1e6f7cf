package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// The bounds of what a scribe holds back while operator.db cannot be written.
const (
	heldEvents = 256
	heldWrites = 1024
)

// flushDelay gathers what several loops tell at once into one transaction,
// and keeps its fsync out of the way of the change itself.
const flushDelay = 15 * time.Millisecond

// scribe writes what happened, after it happened: the journal and the records.
// When the disk does not take it, the newest part is held and tried again
// with the next entry; the loops go on.
type scribe struct {
	journal *journal.Journal
	records records
	log     *slog.Logger
	kick    chan struct{} // holds one: something waits

	writing sync.Mutex // one transaction at a time; taken before mu

	mu     sync.Mutex
	events []reconcilers.Event
	writes []statement
	err    error // of the last attempt
}

func newScribe(j *journal.Journal, r records, log *slog.Logger) *scribe {
	return &scribe{journal: j, records: r, log: log, kick: make(chan struct{}, 1)}
}

// note takes events and records to be written soon, and logs failures.
func (s *scribe) note(events []reconcilers.Event, writes []statement) {
	if len(events) == 0 && len(writes) == 0 {
		return
	}
	for _, e := range events {
		if e.Kind == reconcilers.EventFailed {
			s.log.Warn("a change failed", "reconciler", e.Reconciler, "object", e.Object, "field", e.Field, "error", e.Message)
		}
	}
	s.mu.Lock()
	s.events = lastOf(append(s.events, events...), heldEvents)
	s.writes = lastOf(append(s.writes, writes...), heldWrites)
	s.mu.Unlock()
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// run writes what is noted until ctx ends, then what is left.
func (s *scribe) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			s.flush(ctx)
			return
		case <-s.kick:
		}
		timer := time.NewTimer(flushDelay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		s.flush(ctx)
	}
}

// flush writes everything noted so far. Its context is not the caller's: what
// was done is told also when the caller has gone. Notes are taken meanwhile.
func (s *scribe) flush(ctx context.Context) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	events, writes := s.events, s.writes
	s.events, s.writes = nil, nil
	s.mu.Unlock()

	ctx = context.WithoutCancel(ctx)
	err := s.journal.Append(ctx, events...)
	if err == nil {
		events = nil
		err = s.records.commit(ctx, writes)
	}
	if err == nil {
		writes = nil
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = lastOf(append(events, s.events...), heldEvents)
	s.writes = lastOf(append(writes, s.writes...), heldWrites)
	if err != nil && s.err == nil {
		s.log.Error("the journal cannot be written", "error", err)
	}
	s.err = err
}

// problem is why the last entry could not be written; nil: it was.
func (s *scribe) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func lastOf[T any](list []T, n int) []T {
	return list[max(0, len(list)-n):]
}
