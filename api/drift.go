package api

import (
	"context"
	"net/http"
	"time"

	"corehost/desired/store"
	"corehost/reconcilers"
)

// maxIgnore bounds how long a drift can be left alone.
const maxIgnore = 366 * 24 * time.Hour

// DriftList is the body of GET /api/drift.
type DriftList struct {
	Drift []reconcilers.Drift `json:"drift" doc:"Managed values that somebody changed by hand"`
}

// Drift lists the managed values that somebody changed by hand.
func (s *Server) Drift(context.Context) DriftList { return DriftList{Drift: listed(s.Engine.Drift())} }

// AdoptDrift writes the host's value into desired.yaml.
func (s *Server) AdoptDrift(ctx context.Context, field string) (ApplyResult, error) {
	return s.write(ctx, func(w store.Write) (store.Revision, error) {
		return s.Engine.Adopt(ctx, field, w.Author)
	})
}

// IgnoreDrift leaves a drift alone until a time.
func (s *Server) IgnoreDrift(ctx context.Context, field string, until time.Time) (DriftList, error) {
	now := s.Now()
	if !until.After(now) || until.After(now.Add(maxIgnore)) {
		return DriftList{}, NewProblem(http.StatusUnprocessableEntity, "invalid_until", "A drift can be left alone until a time between now and a year from now.",
			ProblemError{Location: "body.until", Message: "expected a time in the coming year"})
	}
	if err := s.Engine.Ignore(ctx, field, until, ActorFrom(ctx)); err != nil {
		return DriftList{}, s.failure(ctx, err)
	}
	return s.Drift(ctx), nil
}
