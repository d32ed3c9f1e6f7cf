package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"corehost/reconcilers"
)

const (
	// resyncInterval is how often every reconciler looks without a reason; it
	// heals what no event told.
	resyncInterval = 5 * time.Minute
	// alarmMost bounds a timer, so that a clock that was set is noticed.
	alarmMost = 30 * time.Second
	// revertRetry is how long a revert that failed waits for its next attempt.
	revertRetry = 5 * time.Second
)

// Run runs the loops until ctx ends, then waits for changes in flight. A try
// whose time was up before is taken back first.
func (e *Engine) Run(ctx context.Context) error {
	loops, err := e.loops()
	if err != nil {
		return err
	}
	if !e.looping.flag.CompareAndSwap(false, true) {
		return errors.New("run the engine: it runs already")
	}
	defer e.looping.flag.Store(false)
	e.scribe.note([]reconcilers.Event{{Kind: reconcilers.EventStarted, Actor: reconcilers.ActorOperator,
		Message: "the operator started", Revision: e.config.Store.Current().Revision.Number}}, nil)
	e.revertDue(ctx)

	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	var scribe, group sync.WaitGroup
	scribe.Go(func() { e.scribe.run(writing) })
	errs := make(chan error, len(loops))
	for _, l := range loops {
		group.Go(func() { errs <- l.controller.Start(ctx) })
	}
	group.Go(func() { e.watchDocument(ctx, loops) })
	group.Go(func() { e.watchHost(ctx, loops) })
	group.Go(func() { e.watchClock(ctx, loops) })
	group.Go(func() { e.watchRestarts(ctx) })
	group.Wait()
	stopWriting()
	scribe.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func (e *Engine) loops() ([]*loop, error) {
	log := routeLogs(e.config.Log)
	var out []*loop
	for _, w := range e.workers {
		l, err := newLoop(w, log)
		if err != nil {
			return nil, fmt.Errorf("run the engine: %w", err)
		}
		out = append(out, l)
	}
	return out, nil
}

// watchDocument starts a pass of every loop for each state of desired.yaml.
func (e *Engine) watchDocument(ctx context.Context, loops []*loop) {
	for {
		changed := e.config.Store.Changed()
		state := e.config.Store.Current()
		for _, l := range loops {
			l.trigger()
		}
		if state.Invalid != nil || state.Problem != nil || len(loops) == 0 {
			e.overview.look(ctx) // nothing will converge, so nothing else tells
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// watchHost starts a pass of the loops that watch what was just read anew.
func (e *Engine) watchHost(ctx context.Context, loops []*loop) {
	look := make(chan struct{}, 1)
	cancel := e.config.Hub.Subscribe(func(name string) {
		for _, l := range loops {
			if slices.Contains(l.worker.reconciler.Watches(), name) {
				l.trigger()
			}
		}
		select {
		case look <- struct{}{}:
		default:
		}
	})
	defer cancel()
	for {
		select {
		case <-look:
			e.overview.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// watchRestarts restarts what asks for it after each change of the status.
func (e *Engine) watchRestarts(ctx context.Context) {
	for {
		changed := e.Changed()
		e.restarter.once(ctx)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// watchClock does what no event tells: the end of a try, a suspension or an
// ignored drift, a unit that has been up long enough, the slow resync.
func (e *Engine) watchClock(ctx context.Context, loops []*loop) {
	resync := time.NewTicker(resyncInterval)
	defer resync.Stop()
	for {
		changed, now := e.Changed(), e.board.now()
		timer := time.NewTimer(e.nextAlarm(now))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
			timer.Stop()
			continue
		case <-resync.C:
			timer.Stop()
		case <-timer.C:
			if !e.due(now, e.board.now()) {
				continue
			}
		}
		e.revertDue(ctx)
		for _, l := range loops {
			l.trigger()
		}
		e.overview.look(ctx)
	}
}

// alarms are the times at which something happens by itself.
func (e *Engine) alarms() []time.Time {
	times := []time.Time{e.overview.again()}
	if _, until := suspension(e.config.Store.Current().Host, e.board.now()); !until.IsZero() {
		times = append(times, until)
	}
	for _, d := range e.tracker.list() {
		if d.IgnoredUntil != nil {
			times = append(times, *d.IgnoredUntil)
		}
	}
	return times
}

// nextAlarm is how long to sleep at now.
func (e *Engine) nextAlarm(now time.Time) time.Duration {
	wait := alarmMost
	for _, t := range e.alarms() {
		if t.After(now) {
			wait = min(wait, t.Sub(now))
		}
	}
	if left, due := e.trial.overdue(); due {
		wait = min(wait, revertRetry)
	} else if left > 0 {
		wait = min(wait, left)
	}
	return max(wait, time.Millisecond)
}

// due reports whether one of the times lies between then and now.
func (e *Engine) due(then, now time.Time) bool {
	for _, t := range e.alarms() {
		if t.After(then) && !t.After(now) {
			return true
		}
	}
	_, due := e.trial.overdue()
	return due
}

// revertDue takes an overdue try back; a failure is told and tried again.
func (e *Engine) revertDue(ctx context.Context) {
	if err := e.steward.revertDue(ctx); err != nil && ctx.Err() == nil {
		e.config.Log.Error("a try could not be taken back", "error", err)
	}
}
