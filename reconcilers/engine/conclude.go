package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"corehost/reconcilers"
)

// A fight: more than fightHeals heals of one reconciler within fightWindow
// mean that another program sets the value too. From then on healing waits
// for the backoff, so that two machines do not wear out the disk.
const (
	fightHeals  = 10
	fightWindow = time.Minute
)

// done tells of a change that was made.
func (p *pass) done(c reconcilers.Change, drift reconcilers.Drift, healed bool) {
	now := p.clock.now()
	kind := reconcilers.EventApplied
	if healed {
		kind = reconcilers.EventHealed
		p.heals = append(p.heals, now)
	}
	shown := show(c, nil)
	for _, f := range shown {
		message := fmt.Sprintf("%s: %s → %s", f.Field, orNothing(f.From), orNothing(f.To))
		switch {
		case healed:
			message = fmt.Sprintf("%s is %s again; it had become %s%s",
				f.Field, orNothing(f.To), orNothing(f.From), by(drift.By))
		case c.Reason != "":
			message += " (" + c.Reason + ")"
		}
		p.events = append(p.events, reconcilers.Event{
			Time: now, Kind: kind, Reconciler: c.Reconciler, Object: c.Object, Field: f.Field,
			From: f.From, To: f.To, Message: message, Actor: reconcilers.ActorOperator, Revision: p.out.revision,
		})
	}
	p.made = append(p.made, c)
	p.out.applied = append(p.out.applied, shown...)
	p.applied(shown)
}

// fail tells of a change that could not be made, once for each message.
func (p *pass) fail(c reconcilers.Change, failure problem) {
	key := aim(c)
	p.failures[key] = failure
	if failure.severity == absent {
		return
	}
	p.tellFailure(key, c.Object, c.Fields[0].Field, failure)
}

func (p *pass) tellFailure(key, object, field string, failure problem) {
	if p.told[key] == failure.message {
		return
	}
	p.told[key] = failure.message
	p.events = append(p.events, reconcilers.Event{
		Time: p.clock.now(), Kind: reconcilers.EventFailed, Reconciler: p.reconciler.Name(), Object: object,
		Field: field, Message: failure.message, Actor: reconcilers.ActorOperator, Revision: p.out.revision,
	})
}

// fighting reports whether healing has become a fight.
func (p *pass) fighting() bool {
	start := p.clock.now().Add(-fightWindow)
	p.heals = slices.DeleteFunc(p.heals, func(t time.Time) bool { return t.Before(start) })
	return len(p.heals) >= fightHeals
}

// tellWaiting tells once what suspension keeps from being done.
func (p *pass) tellWaiting(changes []reconcilers.Change, suspended bool) {
	var aims []string
	if suspended {
		for _, c := range changes {
			aims = append(aims, aim(c))
		}
	}
	waits := strings.Join(aims, "\n")
	if waits == p.waits {
		return
	}
	p.waits = waits
	if waits == "" {
		return
	}
	for _, c := range changes {
		for _, f := range show(c, nil) {
			p.events = append(p.events, reconcilers.Event{
				Time: p.clock.now(), Kind: reconcilers.EventPlanned, Reconciler: c.Reconciler, Object: c.Object,
				Field: f.Field, From: f.From, To: f.To, Actor: reconcilers.ActorOperator, Revision: p.out.revision,
				Message: fmt.Sprintf("%s: %s → %s waits: the host is suspended", f.Field, orNothing(f.From), orNothing(f.To)),
			})
		}
	}
}

// conclude turns the pass into conditions, events and the time of the next
// attempt.
func (p *pass) conclude(ctx context.Context) outcome {
	p.out.problems = slices.Clone(p.planned)
	for _, f := range p.failures {
		p.out.problems = append(p.out.problems, f)
	}
	slices.SortFunc(p.out.problems, func(a, b problem) int {
		return strings.Compare(a.object+a.message, b.object+b.message)
	})
	p.out.applying = false
	switch {
	case ctx.Err() != nil: // cut short: what was done is told, nothing is judged
	case p.out.waiting: // the conditions of the failure stand
	default:
		p.settle()
	}
	p.tell(ctx, p.events, p.writes)
	return p.out
}

// settle sets the backoff and the conditions.
func (p *pass) settle() {
	var next time.Time
	now := p.clock.now()
	clear(p.failed)
	if p.out.failed() {
		next = p.backoff.fail(now)
		for key := range p.failures {
			p.failed[key] = true
		}
		p.tellPlanned()
	} else {
		p.backoff.reset()
		p.tellMended(now)
	}
	if w, _ := worst(p.out.problems); w.severity >= blocked {
		next = time.Time{}
	}
	attempts, _ := p.backoff.state()
	p.writes = append(p.writes, p.board.reconciler(p.reconciler.Name(), p.out.conditions(), attempts, next)...)
}

// planKey is the aim of a plan itself among the failures told.
const planKey = "plan"

// tellPlanned tells why there is no whole plan.
func (p *pass) tellPlanned() {
	for _, f := range p.planned {
		if f.severity > absent {
			p.tellFailure(planKey+" "+f.reason, f.object, "", f)
		}
	}
}

// tellMended ends the failures that were told.
func (p *pass) tellMended(now time.Time) {
	if len(p.told) > 0 && len(p.out.applied) == 0 {
		p.events = append(p.events, reconcilers.Event{
			Time: now, Kind: reconcilers.EventObserved, Reconciler: p.reconciler.Name(),
			Message: p.reconciler.Name() + " is well again", Revision: p.out.revision,
		})
	}
	clear(p.told)
}
