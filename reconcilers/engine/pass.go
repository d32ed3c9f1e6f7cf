package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"corehost/desired/store"
	"corehost/observers"
	"corehost/reconcilers"
)

// maxRounds bounds how often one pass looks again after a change.
const maxRounds = 5

// pass is one pass under way: plan, hold back, apply, look again, until
// nothing is left to do.
type pass struct {
	*worker
	force bool

	out      outcome
	planned  []problem          // of the newest plan
	failures map[string]problem // of changes, by aim
	made     []reconcilers.Change
	events   []reconcilers.Event
	writes   []statement
}

func (p *pass) converge(ctx context.Context) {
	for range maxRounds {
		if !p.round(ctx) || ctx.Err() != nil {
			return
		}
	}
	p.failures[""] = problem{retry, "", reasonUnsettled,
		fmt.Sprintf("the host was still not as desired after %d changes in a row", maxRounds)}
}

// round plans once and makes what is not held; false: nothing is left to do.
func (p *pass) round(ctx context.Context) bool {
	state := p.store.Current()
	have, inHand := p.grip.veil(p.hub.Snapshot())
	p.renew(state.Revision.Number)
	changes, err := planOf(p.reconciler, state.Host, have)
	p.planned = problemsOf("", err)
	p.judge(state, have, changes, inHand)
	todo := p.pick(state, changes, have.At)
	if len(todo) == 0 || p.early(todo) {
		return false
	}
	p.begin()
	for _, c := range todo {
		if !p.step(ctx, c) {
			break
		}
	}
	if ctx.Err() == nil {
		_ = p.hub.Refresh(ctx, p.reconciler.Watches()...) // as in run
	}
	return true
}

// renew starts over when the revision is a new one.
func (p *pass) renew(revision int64) {
	if revision != p.revision {
		p.revision = revision
		p.backoff.reset()
		clear(p.failed)
		clear(p.failures)
	}
	p.out.revision = revision
}

// judge keeps the books of drift.
func (p *pass) judge(state store.State, have *observers.Snapshot, changes []reconcilers.Change, inHand string) {
	w, bad := worst(p.planned)
	l := look{
		reconciler: p.reconciler.Name(), revision: state.Revision.Number,
		want: state.Host, have: have,
		changes: changes, complete: !bad || w.severity == absent, made: p.made, inHand: inHand,
	}
	for _, f := range managed(state.Host) {
		if p.owned(f) {
			l.owned = append(l.owned, f)
		}
	}
	found := p.tracker.judge(l)
	p.events = append(p.events, found.events...)
	p.writes = append(p.writes, found.writes...)
}

// pick leaves out what is held and what failed in this pass already.
func (p *pass) pick(state store.State, changes []reconcilers.Change, now time.Time) []reconcilers.Change {
	suspended, _ := suspension(state.Host, now)
	h := holder{suspended: suspended, policy: state.Host.Spec.Drift, drift: p.tracker.all(), now: now, force: p.force}
	p.out.held = h.held(changes)
	p.tellWaiting(changes, suspended)
	var todo []reconcilers.Change
	for _, c := range changes {
		if whole(c, p.out.held) == "" && !p.hasFailed(c) {
			todo = append(todo, c)
		}
	}
	return todo
}

// hasFailed: changes of one object build on each other, so its first failure
// stops the rest of them; other objects go on.
func (p *pass) hasFailed(c reconcilers.Change) bool {
	for _, f := range p.failures {
		if f.object == c.Object {
			return true
		}
	}
	return false
}

// early reports whether this is what failed a while ago and is not due yet.
func (p *pass) early(todo []reconcilers.Change) bool {
	if p.force || len(p.failed) == 0 || p.backoff.wait(p.clock.now()) == 0 {
		return false
	}
	for _, c := range todo {
		if !p.failed[aim(c)] {
			return false
		}
	}
	p.out.waiting = true
	return true
}

// begin shows that changes are being made.
func (p *pass) begin() {
	if !p.out.applying {
		p.out.applying = true
		attempts, _ := p.backoff.state()
		p.writes = append(p.writes, p.board.reconciler(p.reconciler.Name(), p.out.conditions(), attempts, time.Time{})...)
	}
}

// step makes one change; false: plan again first.
func (p *pass) step(ctx context.Context, c reconcilers.Change) bool {
	drift, drifted := p.driftOf(c)
	if drifted && !p.force && p.fighting() {
		p.fail(c, problem{retry, c.Object, reasonFighting, fmt.Sprintf(
			"%s is changed again and again, so it is put back less and less often%s", drift.Field, by(drift.By))})
		return true
	}
	err := p.change(ctx, c, p.out.revision)
	switch {
	case err == nil:
		p.done(c, drift, drifted)
	case ctx.Err() != nil || errors.Is(err, reconcilers.ErrStale):
		return false
	default:
		for _, failure := range problemsOf(c.Object, err) {
			p.fail(c, failure)
		}
	}
	return true
}

// driftOf is the drift a change puts back.
func (p *pass) driftOf(c reconcilers.Change) (reconcilers.Drift, bool) {
	for _, f := range c.Fields {
		if d, ok := p.tracker.find(f.Field); ok && d.Desired == f.To {
			return d, true
		}
	}
	return reconcilers.Drift{}, false
}
