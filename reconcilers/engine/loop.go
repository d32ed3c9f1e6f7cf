package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// passLimit bounds one pass; a unit that starts slowly is waited for.
const passLimit = 3 * time.Minute

// loop runs the passes of one worker whenever something may have changed: it
// is one controller with one request, its name.
type loop struct {
	worker     *worker
	events     chan event.TypedGenericEvent[string] // holds one: any number of triggers is one pass
	controller controller.TypedController[string]
}

func newLoop(w *worker, log logr.Logger) (*loop, error) {
	l := &loop{worker: w, events: make(chan event.TypedGenericEvent[string], 1)}
	// One process may hold several engines (a test, a second home), and names
	// only label the metrics.
	shared := true
	c, err := controller.NewTypedUnmanaged(w.reconciler.Name(), controller.TypedOptions[string]{
		Reconciler:            reconcile.TypedFunc[string](l.reconcile),
		RateLimiter:           w.backoff,
		ReconciliationTimeout: passLimit,
		SkipNameValidation:    &shared,
		Logger:                log,
	})
	if err != nil {
		return nil, fmt.Errorf("make the loop of %s: %w", w.reconciler.Name(), err)
	}
	same := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, name string) []string { return []string{name} })
	if err := c.Watch(source.TypedChannel(l.events, same)); err != nil {
		return nil, fmt.Errorf("make the loop of %s: %w", w.reconciler.Name(), err)
	}
	l.controller = c
	return l, nil
}

// trigger asks for a pass soon. It never blocks.
func (l *loop) trigger() {
	select {
	case l.events <- event.TypedGenericEvent[string]{Object: l.worker.reconciler.Name()}:
	default:
	}
}

// reconcile is one pass in the words of the controller: an error is retried
// with the worker's backoff, a terminal one waits for a trigger.
func (l *loop) reconcile(ctx context.Context, _ string) (reconcile.Result, error) {
	out, err := l.worker.run(ctx, false)
	if err != nil {
		return reconcile.Result{}, err
	}
	if out.waiting {
		return reconcile.Result{RequeueAfter: max(l.worker.backoff.wait(l.worker.clock.now()), time.Millisecond)}, nil
	}
	w, _ := worst(out.problems)
	switch {
	case w.severity >= blocked:
		return reconcile.Result{}, reconcile.TerminalError(errors.New(out.messages()))
	case w.severity == retry:
		return reconcile.Result{}, errors.New(out.messages())
	}
	return reconcile.Result{}, nil
}

// quiet passes the controllers' messages on as debug messages at most: they
// repeat a failure at every attempt, and the scribe logs it once.
type quiet struct{ slog.Handler }

// quieter brings an error down to a debug message.
const quieter = slog.LevelError - slog.LevelDebug

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.Handler.Enabled(ctx, level-quieter)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level -= quieter
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

// route is done once: the libraries' logger is one for the whole process, and
// setting it while they log is a race.
var route sync.Once

// routeLogs gives the libraries below the engine's logger.
func routeLogs(log *slog.Logger) logr.Logger {
	l := logr.FromSlogHandler(quiet{log.Handler()})
	route.Do(func() {
		crlog.SetLogger(l)
		klog.SetLogger(l)
	})
	return l
}
