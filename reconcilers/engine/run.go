package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"corehost/reconcilers"
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
	e.alarm.takeBack(ctx)

	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	var scribe, group sync.WaitGroup
	scribe.Go(func() { e.scribe.run(writing) })
	errs := make(chan error, len(loops))
	for _, l := range loops {
		group.Go(func() { errs <- l.controller.Start(ctx) })
	}
	group.Go(func() { e.watchDocument(ctx, loops) })
	group.Go(func() { e.watchHost(ctx, loops) })
	group.Go(func() {
		e.alarm.run(ctx, func() {
			for _, l := range loops {
				l.trigger()
			}
			e.overview.look(ctx)
		})
	})
	group.Go(func() { e.watchRestarts(ctx) })
	group.Go(func() { e.watchGate(ctx, loops) })
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
		if name != unitObserver && name != platformObserver {
			return // nothing in the overview comes from it
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

// watchGate starts a pass of every loop when the health gate lets a unit go:
// what it had in hand was left alone meanwhile.
func (e *Engine) watchGate(ctx context.Context, loops []*loop) {
	for {
		select {
		case <-e.gate.grip.freed:
			for _, l := range loops {
				l.trigger()
			}
		case <-ctx.Done():
			return
		}
	}
}
