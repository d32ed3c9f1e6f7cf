package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
	"corehost/desired/store"
	"corehost/reconcilers"
)

const (
	// revertIgnore is how long values are left alone that a revert put back
	// against the document in force.
	revertIgnore = 24 * time.Hour
	// revertAttempts bounds the race with somebody who writes at that moment.
	revertAttempts = 5
)

// revert takes the running try back now.
func (s *steward) revert(ctx context.Context, actor, why string) (reconcilers.Try, error) {
	if err := s.door.enter(ctx); err != nil {
		return reconcilers.Try{}, err
	}
	defer s.door.leave()
	a, running := s.trial.get()
	if !running {
		return reconcilers.Try{}, ErrNoTry
	}
	return a.Try, s.takeBack(ctx, a, actor, why)
}

// revertDue takes the running try back when its time is up.
func (s *steward) revertDue(ctx context.Context) error {
	if _, due := s.trial.overdue(); !due {
		return nil
	}
	if err := s.door.enter(ctx); err != nil {
		return err
	}
	defer s.door.leave()
	a, _ := s.trial.get()
	if _, due := s.trial.overdue(); !due {
		return nil
	}
	return s.takeBack(ctx, a, reconcilers.ActorTry, "it was not confirmed in time")
}

// retreat goes back to a revision because the present one does harm: by taking
// the running try back, else as a rollback. It returns the new revision.
func (s *steward) retreat(ctx context.Context, to int64, why string) (int64, error) {
	if err := s.door.enter(ctx); err != nil {
		return 0, err
	}
	defer s.door.leave()
	if a, running := s.trial.get(); running {
		err := s.takeBack(ctx, a, reconcilers.ActorHealth, why)
		return s.store.Current().Revision.Number, err
	}
	r, err := s.store.Rollback(ctx, store.Write{Author: reconcilers.ActorHealth, Note: noteOf(to, why)}, to)
	return r.Number, err
}

// takeBack undoes a try: first the document, so that no loop defends it, then
// config.yaml, then the books. It can be repeated from any point. The door is
// held.
func (s *steward) takeBack(ctx context.Context, a attempt, actor, why string) error {
	ctx, end := inFlight(ctx)
	defer end()
	before := s.store.Current()
	after, err := s.document(ctx, a, before, actor, why)
	if err != nil {
		return fmt.Errorf("take back the try: %w", err)
	}
	tried, was, err := s.config(a)
	if err != nil {
		return fmt.Errorf("take back the try: %w", err)
	}
	s.planner.look(ctx) // before a loop plans from what is no more
	var ignores []statement
	if after == before.Revision.Number {
		ignores = s.ignore(tried, was)
	}
	err = s.trial.end(ctx, tryReverted)
	s.tell(ctx, []reconcilers.Event{reverted(a, before, after, actor, why)}, ignores)
	return err
}

// document brings desired.yaml back to the base as a new revision, in the name
// of who ended the try.
func (s *steward) document(ctx context.Context, a attempt, before store.State, actor, why string) (int64, error) {
	present := before.Revision.Number
	if a.Base == 0 || present == a.Base {
		return present, nil
	}
	base, err := s.store.Get(ctx, a.Base)
	if err != nil {
		return present, err
	}
	if before.FileSum == base.Sum && before.Revision.Sum == base.Sum {
		return present, nil // a killed revert came this far
	}
	w := store.Write{Author: actor, Note: noteOf(a.Base, why)}
	for range revertAttempts {
		revision, rerr := s.store.Rollback(ctx, w, a.Base)
		if rerr == nil {
			return revision.Number, nil
		}
		if err = rerr; !errors.Is(err, home.ErrChanged) {
			break
		}
		_ = s.store.Refresh(ctx) // the next rollback tells
	}
	return present, err
}

// config brings config.yaml back: the exact bytes when nobody else wrote to
// it meanwhile, else only the values, so that no bytes of others are lost. It
// returns what it said and what it says now. A file that does not parse is
// somebody's work in progress and left alone.
func (s *steward) config(a attempt) (tried, was platform.Config, err error) {
	file, tried, err := s.platform.Read()
	var broken *platform.Problem
	if errors.As(err, &broken) {
		return tried, tried, nil
	}
	if err != nil {
		return tried, tried, err
	}
	before := a.bytes()
	was, broken = platform.Parse(before)
	switch {
	case broken != nil:
		return tried, tried, nil
	case home.SumOf(file.Data) == home.SumOf(before) && (file.Sum != home.NoFile) == a.Existed:
	case onlyOurs(before, file.Data, was, tried):
		_, err = s.platform.Restore(file.Sum, before)
	default:
		_, err = s.platform.Edit(file.Sum, edits(tried, was)...)
	}
	return tried, was, err
}

// bytes are config.yaml's before the try; nil: there was no file.
func (a attempt) bytes() []byte {
	if a.Existed && a.before == nil {
		return []byte{}
	}
	return a.before
}

// ignore leaves alone for a day what the revert put back against the document
// in force, so that healing does not fight it.
func (s *steward) ignore(now, was platform.Config) []statement {
	version := s.planner.hub.Snapshot().Version
	var out []statement
	until := s.clock.now().Add(revertIgnore).UTC()
	for _, f := range configFields {
		tried, back := configValue(now, f.name), configValue(was, f.name)
		if tried == back {
			continue
		}
		whole, _ := fieldOf(f.name)
		out = append(out, s.tracker.put(reconcilers.Drift{
			Field: f.name, Object: whole.object, Reconciler: s.planner.ownerOf(whole),
			Desired: tried, Actual: back, Seen: s.clock.now().UTC(), By: reconcilers.ActorTry,
			IgnoredUntil: &until, IgnoredBy: reconcilers.ActorTry,
		}, version))
	}
	return out
}

// ownerOf names the reconciler of a field; empty: none has it.
func (p planner) ownerOf(f field) string {
	for _, r := range p.reconcilers {
		if slices.Contains(r.Owns(), f.owner) {
			return r.Name()
		}
	}
	return ""
}

// onlyOurs reports whether a file differs from what it was by nothing but the
// operator's own splices: repeating them gives the same bytes.
func onlyOurs(before, after []byte, was, now platform.Config) bool {
	list := edits(was, now)
	model := slices.DeleteFunc(slices.Clone(list), func(e yamledit.Edit) bool { return e.Path == platform.KeyEffort })
	effort := slices.DeleteFunc(slices.Clone(list), func(e yamledit.Edit) bool { return e.Path != platform.KeyEffort })
	for _, order := range [][][]yamledit.Edit{{model, effort}, {effort, model}} {
		data, ok := before, true
		for _, step := range order {
			if len(step) == 0 {
				continue
			}
			next, err := platform.Edit(data, step...)
			data, ok = next, ok && err == nil
		}
		if ok && home.SumOf(data) == home.SumOf(after) {
			return true
		}
	}
	return false
}

// edits are the splices that bring the values of one reading to another's.
func edits(from, to platform.Config) []yamledit.Edit {
	var out []yamledit.Edit
	for _, f := range configFields {
		old, value := configValue(from, f.name), configValue(to, f.name)
		switch {
		case old == value:
		case value == "":
			out = append(out, yamledit.Remove(f.name))
		default:
			out = append(out, yamledit.Set(f.name, value))
		}
	}
	return out
}

func reverted(a attempt, before store.State, after int64, actor, why string) reconcilers.Event {
	message := fmt.Sprintf("the try was taken back: %s; ", why)
	if after == before.Revision.Number {
		message += "config.yaml is as it was before"
	} else {
		message += fmt.Sprintf("revision %d is revision %d again", after, a.Base)
	}
	if a.Revision != 0 && before.Revision.Number != a.Revision && after != before.Revision.Number {
		message += fmt.Sprintf("; edits made meanwhile can be found in revision %d", before.Revision.Number)
	}
	return reconcilers.Event{
		Kind: reconcilers.EventReverted, Object: home.DesiredFile, Actor: actor, Revision: after, Message: message,
	}
}
