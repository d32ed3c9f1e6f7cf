package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	"corehost/reconcilers"
)

// factLastGood is the newest revision the host was proven well on.
const factLastGood = "last_good_revision"

// overview looks at the host as a whole: it keeps the restart ledger, decides
// which revision is the last good one, hears units come and go, and shows all
// of it on the board. Whatever happened is told through it.
type overview struct {
	store   *store.Store
	hub     *hub.Hub
	board   *board
	scribe  *scribe
	herald  *herald
	ledger  *ledger
	tracker *tracker
	trial   *trial
	gate    *gate
	clock   clock

	readers []string
	self    string
	started moment // of this process
	settle  time.Duration
	later   chan struct{} // holds one: again has a new answer
	memory  error         // why operator.db is kept in memory; nil: it is not

	mu       sync.Mutex
	lastGood int64
	units    map[string]observers.Unit // as last heard
	unsure   time.Time                 // when to look again whether units stay up; zero: no need
}

// tell looks at the host and hands everything to the scribe, with what the
// caller has to tell.
func (o *overview) tell(ctx context.Context, events []reconcilers.Event, writes []statement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	news, marks := o.herald.news(ctx)
	events = slices.Concat(news, events)
	writes = slices.Concat(marks, writes)

	state, have := o.store.Current(), o.hub.Snapshot()
	events = append(events, o.hear(have)...)
	writes = append(writes, o.ledger.observe(have, o.clock.at(), state.Revision.Number)...)
	p := picture{
		restart: o.notices(have), drift: o.tracker.list(), try: o.trial.running(),
		lastGood: o.lastGood, journaling: o.journaling(),
	}
	writes = append(writes, o.board.show(p)...)
	if o.proven(state.Revision.Number, have) {
		p.lastGood = state.Revision.Number
		o.lastGood = p.lastGood
		writes = append(writes, saveFact(factLastGood, strconv.FormatInt(p.lastGood, 10)))
		writes = append(writes, o.board.show(p)...)
	}
	o.scribe.note(events, writes)
}

// look is tell without anything of one's own to tell.
func (o *overview) look(ctx context.Context) { o.tell(ctx, nil, nil) }

// good is the last good revision; 0: there was none yet.
func (o *overview) good() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lastGood
}

// again is when it is worth to look again without an event; zero: never.
func (o *overview) again() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.unsure
}

func (o *overview) notices(have *observers.Snapshot) []reconcilers.RestartNotice {
	return o.ledger.notices(runners(o.readers, o.self, o.started, have))
}

func (o *overview) journaling() error {
	if o.memory != nil {
		return o.memory
	}
	return o.scribe.problem()
}

// proven reports whether the revision in force has become the last good one.
func (o *overview) proven(revision int64, have *observers.Snapshot) bool {
	o.unsure = time.Time{}
	status := o.board.Status()
	if revision == o.lastGood || !status.Converged || status.Revision != revision || len(status.Restart) > 0 ||
		status.Try != nil || o.gate.doubts(revision) || !have.Units.Known(have.At) {
		return false
	}
	wait, ok := steady(o.readers, o.self, have, o.clock.at(), o.settle)
	if wait > 0 {
		o.unsure = o.clock.now().Add(wait)
		select {
		case o.later <- struct{}{}:
		default:
		}
	}
	return ok
}

// steady reports whether every unit that reads config.yaml either does not
// want to run or has been up long enough; wait is how long until that can be
// said.
func steady(readers []string, self string, have *observers.Snapshot, now moment, settle time.Duration) (wait time.Duration, ok bool) {
	ok = true
	for _, name := range readers {
		u, found := have.Units.Value.Find(name)
		if name == self || !found || !u.Installed() || u.Active == "inactive" {
			continue
		}
		if !u.Up() {
			ok = false
			continue
		}
		if left := settle - now.since(startOf(u, have.Units.Value.BootID)); left > 0 {
			ok, wait = false, max(wait, left)
		}
	}
	return wait, ok
}

// hear tells the units that went up or down since it last listened. What one
// in the gate's hand does is the operator's own doing; how it ends is heard.
func (o *overview) hear(have *observers.Snapshot) []reconcilers.Event {
	if !have.Units.Known(have.At) || !have.Units.Value.Manager {
		return nil
	}
	var events []reconcilers.Event
	units := map[string]observers.Unit{}
	inHand := o.gate.grip.in(have)
	for _, u := range have.Units.Value.Units {
		before, known := o.units[u.Name]
		if u.Name == inHand {
			if known {
				units[u.Name] = before
			}
			continue
		}
		units[u.Name] = u
		if known && before.Up() != u.Up() {
			events = append(events, turned(before, u, have.Units.At))
		}
	}
	o.units = units
	return events
}

func turned(before, u observers.Unit, at time.Time) reconcilers.Event {
	message := u.Name + " is up"
	if !u.Up() {
		message = fmt.Sprintf("%s is down: %s", u.Name, u.Active)
		if u.Result != "" && u.Result != "success" {
			message += " (" + u.Result + ")"
		}
	}
	return reconcilers.Event{
		Time: at, Kind: reconcilers.EventObserved, Object: u.Name, From: before.Active, To: u.Active,
		Message: message, Actor: reconcilers.ActorSystemd,
	}
}
