package api

import (
	"context"
	"log/slog"
	"time"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/history"
	"corehost/reconcilers"
	"corehost/reconcilers/engine"
	"corehost/reconcilers/journal"
)

// Engine is what the API asks of the reconcile loops.
type Engine interface {
	Status() reconcilers.Status
	Changed() <-chan struct{}
	Plan(ctx context.Context) (reconcilers.Plan, error)
	Preview(ctx context.Context, text []byte) (reconcilers.Plan, []desired.FieldChange, error)
	Apply(ctx context.Context, r engine.ApplyRequest) (engine.ApplyResult, error)
	Wait(ctx context.Context, revision int64) bool
	Confirm(ctx context.Context, actor string) (reconcilers.Try, error)
	Revert(ctx context.Context, actor string) (reconcilers.Try, error)
	Explain(ctx context.Context, field string) (reconcilers.Explanation, error)
	Drift() []reconcilers.Drift
	Adopt(ctx context.Context, field, actor string) (store.Revision, error)
	Ignore(ctx context.Context, field string, until time.Time, actor string) error
	RestartUnit(ctx context.Context, name, actor string) (engine.UnitResult, error)
}

// Store is what the API asks of desired.yaml and its revisions.
type Store interface {
	Refresh(ctx context.Context) error
	Current() store.State
	Edit(ctx context.Context, w store.Write, edits ...yamledit.Edit) (store.Revision, error)
	Replace(ctx context.Context, w store.Write, text []byte) (store.Revision, error)
	Rollback(ctx context.Context, w store.Write, number int64) (store.Revision, error)
	Get(ctx context.Context, number int64) (store.Revision, error)
	List(ctx context.Context, before int64, limit int) ([]store.Revision, error)
}

// Hub is what the API asks of the observers.
type Hub interface {
	Snapshot() *observers.Snapshot
	Subscribe(fn func(name string)) (cancel func())
}

// Journal is what the API asks of the record of events.
type Journal interface {
	Page(ctx context.Context, q journal.Query) (events []reconcilers.Event, more bool, err error)
	Subscribe() *journal.Subscription
	Last() int64
}

// History is what the API asks of the recent past of the host's figures.
type History interface {
	Load() []history.Sample
}

// Config is what a Server is made of. Every part is required, but History.
type Config struct {
	Engine  Engine
	Store   Store
	Hub     Hub
	Journal Journal
	History History // nil: no past is known
	Paths   home.Paths
	Version string
	Readers []string  // units that read config.yaml at their start
	Self    string    // which of them this process is; empty: none
	Started time.Time // start of this process
	Now     func() time.Time
	Log     *slog.Logger
}
