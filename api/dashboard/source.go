package dashboard

import (
	"context"
	"time"

	"corehost/api"
	"corehost/observers/history"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Source is what the pages ask for and how they act; *api.Server is one. Who
// acts is in the context. Errors are *api.Problem. It must be safe for
// concurrent use.
type Source interface {
	Reader
	Operator
}

// Reader answers from what is known.
type Reader interface {
	Stats(ctx context.Context) api.SystemStats
	Status(ctx context.Context) api.Status
	// Ages tells when each part was last read, by the name of its observer.
	Ages(ctx context.Context) map[string]time.Time
	History() []history.Sample
	ModelInfo(ctx context.Context) api.ModelInfo
	ModelOptions(ctx context.Context) api.ModelOptions
	UpdateStatus(ctx context.Context) api.UpdateStatus
	Plan(ctx context.Context) (reconcilers.Plan, error)
	Explain(ctx context.Context, field string) (reconcilers.Explanation, error)
	Desired(ctx context.Context) (text []byte, etag string, err error)
	Revisions(ctx context.Context, before int64, limit int) (api.RevisionList, error)
	Revision(ctx context.Context, number int64) (api.Revision, error)
	Events(ctx context.Context, q journal.Query) (api.EventPage, error)
}

// Operator changes what should be, and restarts units.
type Operator interface {
	SetModel(ctx context.Context, set api.SetModel) (api.ModelSet, error)
	SetEffort(ctx context.Context, set api.SetEffort) (api.ModelSet, error)
	Apply(ctx context.Context, r api.ApplyRequest, ifMatch string) (api.ApplyResult, error)
	Confirm(ctx context.Context) (reconcilers.Try, error)
	Revert(ctx context.Context) (reconcilers.Try, error)
	Rollback(ctx context.Context, number int64, ifMatch string) (api.ApplyResult, error)
	AdoptDrift(ctx context.Context, field string) (api.ApplyResult, error)
	IgnoreDrift(ctx context.Context, field string, until time.Time) (api.DriftList, error)
	RestartUnit(ctx context.Context, name string) (api.UnitResult, error)
	SetUnit(ctx context.Context, name, state string) (api.ApplyResult, error)
	SetSuspend(ctx context.Context, active bool, reason string, until *time.Time) (api.ApplyResult, error)
}
