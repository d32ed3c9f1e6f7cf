package api

import (
	"context"

	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Events is a page of the journal, newest first unless the query says
// otherwise.
func (s *Server) Events(ctx context.Context, q journal.Query) (EventPage, error) {
	q.Limit = page(q.Limit)
	events, more, err := s.Journal.Page(ctx, q)
	if err != nil {
		return EventPage{}, s.failure(ctx, err)
	}
	return EventPage{Events: listed(events), More: more}, nil
}

// missed lists what was written to the journal after an id, oldest first.
// whole is false when that is more than a stream replays.
func (s *Server) missed(ctx context.Context, after, upTo int64) (events []reconcilers.Event, whole bool, err error) {
	for after < upTo && len(events) < maxReplay {
		page, more, err := s.Journal.Page(ctx, journal.Query{After: after, Limit: maxPage, Oldest: true})
		if err != nil {
			return nil, false, err
		}
		if len(page) == 0 {
			break
		}
		events = append(events, page...)
		after = page[len(page)-1].ID
		if !more {
			break
		}
	}
	return events, after >= upTo, nil
}
