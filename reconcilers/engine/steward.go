package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers"
)

// steward takes what a person asks of the whole host: apply now, try, keep,
// take back. It decides under the door, so that no loop changes the host
// between the look and the deed.
type steward struct {
	store    *store.Store
	platform *platform.File
	door     door
	trial    *trial
	planner  planner
	tracker  *tracker
	clock    clock
	memory   error // why a deadline cannot be on disk; nil: it can
	good     func() int64
	tell     func(context.Context, []reconcilers.Event, []statement)
}

// accept checks a request against the present state and puts its document in
// force. Nothing is changed when it returns an error.
func (s *steward) accept(ctx context.Context, r ApplyRequest) (ApplyResult, error) {
	if err := s.door.enter(ctx); err != nil {
		return ApplyResult{}, err
	}
	defer s.door.leave()
	state := s.store.Current()
	result := ApplyResult{Revision: state.Revision.Number}
	diff, err := s.admit(ctx, r, state)
	if err != nil {
		return result, err
	}
	result.Diff = diff
	if r.Try > 0 {
		if err := s.begin(ctx, r, state); err != nil {
			return result, err
		}
	}
	if r.Document != nil {
		result.Revision, err = s.replace(ctx, r, state)
	}
	if r.Try > 0 {
		err = s.seal(ctx, result.Revision, err)
		result.Try = s.trial.running()
	}
	return result, err
}

// admit refuses what must not be done now.
func (s *steward) admit(ctx context.Context, r ApplyRequest, state store.State) ([]desired.FieldChange, error) {
	if _, running := s.trial.get(); running && (r.Document != nil || r.Try > 0) {
		return nil, ErrTryRunning
	}
	want, diff := state.Host, []desired.FieldChange(nil)
	if r.Document != nil {
		host, err := store.Check(r.Document)
		if err != nil {
			return nil, err
		}
		want, diff = host, desired.Diff(state.Host, host)
	}
	if err := s.matches(ctx, r); err != nil {
		return nil, err
	}
	// A document that lifts the suspension is the way out of it.
	was, _ := suspension(state.Host, s.clock.now())
	stays, _ := suspension(want, s.clock.now())
	if was && stays {
		return nil, ErrSuspended
	}
	return diff, nil
}

// matches compares the plan that is meant with the one that would be carried
// out now.
func (s *steward) matches(ctx context.Context, r ApplyRequest) error {
	if r.IfMatch == "" || s.planner.now(ctx).ETag == r.IfMatch {
		return nil
	}
	if r.Document != nil {
		if plan, _, err := s.planner.preview(ctx, r.Document); err == nil && plan.ETag == r.IfMatch {
			return nil
		}
	}
	return ErrPlanStale
}

func (s *steward) replace(ctx context.Context, r ApplyRequest, state store.State) (int64, error) {
	w := store.Write{Author: r.Actor, Note: r.Note}
	if r.IfMatch != "" {
		w.IfMatch = state.FileSum
	}
	revision, err := s.store.Replace(ctx, w, r.Document)
	if err != nil {
		return state.Revision.Number, err
	}
	return revision.Number, nil
}

// begin puts the deadline and the exact bytes of config.yaml on disk.
func (s *steward) begin(ctx context.Context, r ApplyRequest, state store.State) error {
	if s.memory != nil {
		return fmt.Errorf("a try needs its deadline on disk: %w", s.memory)
	}
	file, _, err := s.platform.Read()
	var broken *platform.Problem
	if err != nil && !errors.As(err, &broken) {
		return err
	}
	base := state.Revision.Number
	if good := s.good(); r.Document == nil && good > 0 {
		base = good
	}
	now := s.clock.at()
	end := now.add(r.Try)
	return s.trial.begin(ctx, attempt{
		Try: reconcilers.Try{
			Started: now.Wall.UTC(), Deadline: end.Wall.UTC(),
			Base: base, Actor: r.Actor,
		},
		Boot: end.Boot, Mono: end.Mono, Document: r.Document != nil,
	}, file)
}

// seal notes what is being tried, or ends a try whose document did not land.
func (s *steward) seal(ctx context.Context, revision int64, failed error) error {
	if failed != nil {
		return errors.Join(failed, s.trial.end(ctx, tryReverted))
	}
	if err := s.trial.tried(ctx, revision); err != nil {
		return err
	}
	t := s.trial.running()
	s.tell(ctx, []reconcilers.Event{{
		Time: t.Started, Kind: reconcilers.EventTried, Object: home.DesiredFile, Actor: t.Actor, Revision: revision,
		Message: fmt.Sprintf("revision %d is tried; it goes back to revision %d at %s unless confirmed",
			revision, t.Base, t.Deadline.Format(time.RFC3339)),
	}}, nil)
	return nil
}

// confirm keeps the running try.
func (s *steward) confirm(ctx context.Context, actor string) (reconcilers.Try, error) {
	if err := s.door.enter(ctx); err != nil {
		return reconcilers.Try{}, err
	}
	defer s.door.leave()
	a, running := s.trial.get()
	if _, due := s.trial.overdue(); !running || due {
		return reconcilers.Try{}, ErrNoTry
	}
	if err := s.trial.end(ctx, tryConfirmed); err != nil {
		return reconcilers.Try{}, err
	}
	s.tell(ctx, []reconcilers.Event{{
		Kind: reconcilers.EventConfirmed, Object: home.DesiredFile, Actor: actor, Revision: s.store.Current().Revision.Number,
		Message: fmt.Sprintf("the try of revision %d is kept", a.Revision),
	}}, nil)
	return a.Try, nil
}
