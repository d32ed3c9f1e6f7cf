package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"corehost/config/operatordb"
	"corehost/config/platform"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Errors of the engine. All may come wrapped.
var (
	ErrNoTry        = errors.New("no try is running")
	ErrTryRunning   = errors.New("a try is running; confirm or revert it first")
	ErrPlanStale    = errors.New("the plan is not what would be done now; nothing was changed")
	ErrSuspended    = errors.New("the host is suspended; nothing was changed")
	ErrUnknownField = errors.New("no such field")
	ErrNoDrift      = errors.New("this field is not drifted")
	ErrNoUnit       = errors.New("no such unit on this host")
	ErrSelf         = errors.New("the operator does not restart itself; restart it with systemctl")
)

// Config is what an engine is made of. Store, Hub, Journal, DB and Platform
// are required.
type Config struct {
	Store       *store.Store
	Hub         *hub.Hub
	Journal     *journal.Journal
	DB          *operatordb.DB
	Reconcilers []reconcilers.Reconciler
	Units       Units // nil: this host has no service manager
	Platform    *platform.File
	Readers     []string         // units that read config.yaml at their start
	Self        string           // which of them this process is; empty: none
	Started     time.Time        // start of this process; zero: now
	Now         func() time.Time // nil: time.Now
	Log         *slog.Logger     // nil: discarded
	Settle      time.Duration    // how long a restarted unit must stay active to be healthy; 0: 5 s
}

// Units changes service units. Names have no ".service"; each call returns
// when the service manager has done the job.
type Units interface {
	Start(ctx context.Context, name string) error
	Stop(ctx context.Context, name string) error
	Restart(ctx context.Context, name string) error
	// Log returns the newest lines of a unit's log, oldest first.
	Log(ctx context.Context, name string, lines int) ([]string, error)
}

// ApplyRequest asks for a pass over everything, now.
type ApplyRequest struct {
	Document []byte        // new desired.yaml; nil: what is pending
	IfMatch  string        // ETag of the plan that is meant; empty: whatever it is
	Try      time.Duration // revert by itself after this unless confirmed; 0: keep
	Actor    string        // author of the revision
	Note     string
}

// ApplyResult says what came of it.
type ApplyResult struct {
	Revision  int64
	Applied   []reconcilers.PlannedChange
	Problems  []reconcilers.PlanProblem
	Diff      []desired.FieldChange // of Document against the revision before
	Converged bool
	Try       *reconcilers.Try // set when one was begun
}

// UnitResult says what came of a restart.
type UnitResult struct {
	Unit     observers.Unit
	Healthy  bool   // active, and still so after Config.Settle
	Reverted int64  // revision the health gate went back to; 0: it did not
	Message  string // a sentence for a person
}

// settleDefault is Config.Settle when it is zero.
const settleDefault = 5 * time.Second

func (c Config) withDefaults() (Config, error) {
	if c.Store == nil || c.Hub == nil || c.Journal == nil || c.DB == nil || c.Platform == nil {
		return c, errors.New("an engine needs a store, a hub, a journal, a database and config.yaml")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Started.IsZero() {
		c.Started = c.Now()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Settle == 0 {
		c.Settle = settleDefault
	}
	return c, nil
}
