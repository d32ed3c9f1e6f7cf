package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"corehost/desired"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	"corehost/reconcilers"
)

const (
	// factBad lists the revisions after which a unit did not stay up.
	factBad = "bad_revisions"
	// badKeep bounds that list.
	badKeep = 100
	// logTail is how many lines of a unit's log an event keeps, and logBytes
	// how much of them.
	logTail  = 20
	logBytes = 2000
)

// gate restarts units and looks whether they stay up. When one does not, and
// the revision in force changed what it reads, the last good revision comes
// back, once: a revision found bad is never the reason for a second revert.
type gate struct {
	units    Units
	store    *store.Store
	hub      *hub.Hub
	door     door
	readers  []string
	settle   time.Duration
	log      *slog.Logger
	records  records
	good     func() int64
	takeBack func(ctx context.Context, to int64, why string) (int64, error) // steward.retreat
	converge func(ctx context.Context)                                      // a pass over everything
	tell     func(context.Context, []reconcilers.Event, []statement)

	turn door // one restart at a time
	grip *grip

	mu  sync.Mutex
	bad []int64
}

func (g *gate) load(ctx context.Context) error {
	text, err := g.records.fact(ctx, factBad)
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), &g.bad); err != nil {
		return fmt.Errorf("read fact %s: %w", factBad, err)
	}
	return nil
}

// doubts reports whether a revision must not count as good: a unit failed on
// it, or is being watched right now.
func (g *gate) doubts(revision int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.grip.busy() || slices.Contains(g.bad, revision)
}

// restart restarts a unit and watches it. The error is for a restart that
// could not be asked for; a unit that does not stay up is a result.
func (g *gate) restart(ctx context.Context, name, actor string) (UnitResult, error) {
	if err := g.turn.enter(ctx); err != nil {
		return UnitResult{}, err
	}
	defer g.turn.leave()
	return g.restartNow(ctx, name, actor)
}

// restartDue restarts a unit in the operator's own name when that is still due
// once it is its turn and the host was looked at anew.
func (g *gate) restartDue(ctx context.Context, name string, due func() bool) error {
	if err := g.turn.enter(ctx); err != nil {
		return err
	}
	defer g.turn.leave()
	_ = g.hub.Refresh(ctx, unitObserver, platformObserver) // an old reading shows by its state
	g.tell(ctx, nil, nil)
	if !due() {
		return ctx.Err()
	}
	_, err := g.restartNow(ctx, name, reconcilers.ActorOperator)
	return err
}

// restartNow restarts a unit; the caller has the turn.
func (g *gate) restartNow(ctx context.Context, name, actor string) (UnitResult, error) {
	g.grip.take(name, g.hub.Snapshot().Version)
	defer g.release(ctx)
	started := g.store.Current().Revision.Number
	unit, trouble := g.once(ctx, name)
	if err := ctx.Err(); err != nil {
		return UnitResult{Unit: unit}, err
	}
	if trouble == "" {
		message := name + " was restarted and stays up"
		g.tell(ctx, []reconcilers.Event{{Kind: reconcilers.EventRestarted, Object: name, Actor: actor, Revision: started, Message: message}}, nil)
		return UnitResult{Unit: unit, Healthy: true, Message: message}, nil
	}
	return g.heal(ctx, unit, g.store.Current().Revision.Number, trouble), nil
}

// release lets the unit go as the host shows it now, also for a caller that
// gave up in the middle.
func (g *gate) release(ctx context.Context) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	_ = g.hub.Refresh(fresh, unitObserver) // an old reading shows by its state
	g.grip.free(g.hub.Snapshot().Version)
	g.tell(ctx, nil, nil)
	g.grip.wake()
}

// heal goes back to the last good revision when that can help.
func (g *gate) heal(ctx context.Context, unit observers.Unit, revision int64, trouble string) UnitResult {
	tail := g.tail(ctx, unit.Name)
	good, helps := g.suspect(ctx, unit.Name, revision)
	if !helps {
		message := fmt.Sprintf("%s did not stay up: %s", unit.Name, trouble)
		g.tell(ctx, []reconcilers.Event{{Kind: reconcilers.EventFailed, Object: unit.Name, Actor: reconcilers.ActorHealth,
			Revision: revision, Message: message + tail}}, nil)
		return UnitResult{Unit: unit, Message: message}
	}
	mark := g.condemn(revision)
	why := fmt.Sprintf("%s did not stay up on revision %d: %s", unit.Name, revision, trouble)
	after, err := g.takeBack(ctx, good, why)
	if err != nil {
		message := fmt.Sprintf("%s; going back to revision %d did not work: %v", why, good, err)
		g.tell(ctx, []reconcilers.Event{{Kind: reconcilers.EventFailed, Object: unit.Name, Actor: reconcilers.ActorHealth,
			Revision: revision, Message: message + tail}}, mark)
		return UnitResult{Unit: unit, Message: message}
	}
	g.converge(ctx)
	again, still := g.once(ctx, unit.Name)
	message := fmt.Sprintf("%s; revision %d brings revision %d back, and it is up again", why, after, good)
	if still != "" {
		message = fmt.Sprintf("%s; revision %d brings revision %d back, but it is still not up: %s", why, after, good, still)
	}
	g.tell(ctx, []reconcilers.Event{{Kind: reconcilers.EventReverted, Object: unit.Name, Actor: reconcilers.ActorHealth,
		Revision: after, Message: message + tail}}, mark)
	return UnitResult{Unit: again, Healthy: still == "", Reverted: good, Message: message}
}

// suspect reports whether the revision in force can be the reason: it is newer
// than the last good one, was not found bad before, and changed a value the
// unit reads.
func (g *gate) suspect(ctx context.Context, name string, revision int64) (good int64, ok bool) {
	good = g.good()
	g.mu.Lock()
	known := slices.Contains(g.bad, revision)
	g.mu.Unlock()
	if known || good == 0 || revision <= good || !slices.Contains(g.readers, name) {
		return good, false
	}
	base, err := g.store.Get(ctx, good)
	if err != nil {
		return good, false
	}
	host, err := store.Check(base.Text)
	if err != nil {
		return good, false
	}
	return good, slices.ContainsFunc(desired.Diff(host, g.store.Current().Host), func(d desired.FieldChange) bool {
		f, ok := fieldOf(d.Field)
		return ok && f.unit == ""
	})
}

func (g *gate) condemn(revision int64) []statement {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bad = lastOf(append(g.bad, revision), badKeep)
	text, _ := json.Marshal(g.bad)
	return []statement{saveFact(factBad, string(text))}
}

// once restarts a unit through the door and watches it for the settle time;
// trouble says what went wrong, empty: it stays up.
func (g *gate) once(ctx context.Context, name string) (unit observers.Unit, trouble string) {
	if err := g.command(ctx, name); err != nil {
		return g.read(ctx, name), err.Error()
	}
	first := g.read(ctx, name)
	end := time.NewTimer(g.settle)
	defer end.Stop()
	tick := time.NewTicker(max(g.settle/20, 10*time.Millisecond))
	defer tick.Stop()
	for {
		now := g.read(ctx, name)
		if trouble := ill(first, now); trouble != "" {
			return now, trouble
		}
		select {
		case <-end.C:
			if !now.Up() {
				return now, "it is still " + now.Active
			}
			return now, ""
		case <-ctx.Done():
			return now, ctx.Err().Error()
		case <-tick.C:
		}
	}
}

func (g *gate) command(ctx context.Context, name string) error {
	if err := g.door.enter(ctx); err != nil {
		return err
	}
	defer g.door.leave()
	flight, end := inFlight(ctx)
	defer end()
	return g.units.Restart(flight, name)
}

func (g *gate) read(ctx context.Context, name string) observers.Unit {
	_ = g.hub.Refresh(ctx, unitObserver) // an old reading shows by its state
	u, ok := g.hub.Snapshot().Units.Value.Find(name)
	if !ok {
		u.Name = name
	}
	return u
}

// ill says why a unit that was started is not well.
func ill(first, now observers.Unit) string {
	switch {
	case now.Active == "failed":
		return "it failed (" + now.Result + ")"
	case now.Active == "inactive":
		return "it stopped again"
	case now.Sub == "auto-restart", now.Restarts > first.Restarts:
		return "it ended and was restarted by the service manager"
	case first.Invocation != "" && now.Invocation != "" && first.Invocation != now.Invocation:
		return "it ended and was started again"
	}
	return ""
}

// tail is the end of a unit's log for an event, without what looks like a
// secret; empty when there is none.
func (g *gate) tail(ctx context.Context, name string) string {
	lines, err := g.units.Log(ctx, name, logTail)
	if err != nil {
		g.log.Warn("the log of a unit cannot be read", "unit", name, "error", err)
		return ""
	}
	if len(lines) == 0 {
		return ""
	}
	text := redact(strings.Join(lines, "\n"))
	if len(text) > logBytes {
		text = strings.ToValidUTF8(text[len(text)-logBytes:], "")
	}
	return "\n" + text
}

var (
	namedSecret = regexp.MustCompile(`(?i)((?:authorization|api[-_]?key|token|secret|passw(?:or)?d|bearer)["']?\s*[:=\s]\s*["']?(?:bearer\s+)?)[^\s"',;]+`)
	plainSecret = regexp.MustCompile(`\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|AIza|AKIA)[-_A-Za-z0-9]{8,}`)
)

// redact masks what looks like a secret in somebody else's text.
func redact(text string) string {
	return plainSecret.ReplaceAllString(namedSecret.ReplaceAllString(text, "${1}***"), "***")
}
