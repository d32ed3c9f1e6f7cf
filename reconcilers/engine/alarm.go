package engine

import (
	"context"
	"log/slog"
	"time"

	"corehost/config/home"
	"corehost/desired/store"
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

// alarm does what no event tells: the end of a try, of a suspension, of an
// ignored drift, a unit that has been up long enough, the news of a revert, the
// slow resync.
type alarm struct {
	store    *store.Store
	board    *board
	overview *overview
	tracker  *tracker
	trial    *trial
	steward  *steward
	log      *slog.Logger

	checked time.Time // no alarm up to here is still to be rung
	resync  time.Time // when the next resync is due
	retry   time.Time // no revert before
	told    string    // the failure of a revert that is in the journal
}

// run rings whenever one of the times has come, until ctx ends.
func (a *alarm) run(ctx context.Context, ring func()) {
	a.checked = a.board.now()
	a.resync = a.checked.Add(resyncInterval)
	for {
		changed, now := a.board.Changed(), a.board.now()
		if a.due(now) {
			a.takeBack(ctx)
			ring()
		}
		timer := time.NewTimer(a.next(a.board.now()))
		select {
		case <-ctx.Done():
		case <-changed:
		case <-a.overview.later:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// due reports whether a time has come since it was last asked.
func (a *alarm) due(now time.Time) bool {
	rings := !a.resync.After(now)
	if rings {
		a.resync = now.Add(resyncInterval)
	}
	for _, t := range a.times() {
		rings = rings || t.After(a.checked) && !t.After(now)
	}
	a.checked = now
	_, overdue := a.trial.overdue()
	return rings || overdue && !a.retry.After(now)
}

// times are the moments at which something happens by itself.
func (a *alarm) times() []time.Time {
	times := []time.Time{a.overview.again()}
	if _, until := suspension(a.store.Current().Host, a.board.now()); !until.IsZero() {
		times = append(times, until)
	}
	if r := a.store.Current().Revision; r.Author == reconcilers.ActorHealth || r.Author == reconcilers.ActorTry {
		times = append(times, r.Time.Add(revertShown))
	}
	for _, d := range a.tracker.list() {
		if d.IgnoredUntil != nil {
			times = append(times, *d.IgnoredUntil)
		}
	}
	return times
}

// next is how long to sleep at now.
func (a *alarm) next(now time.Time) time.Duration {
	wait := min(alarmMost, a.resync.Sub(now))
	for _, t := range a.times() {
		if t.After(now) {
			wait = min(wait, t.Sub(now))
		}
	}
	if left, overdue := a.trial.overdue(); overdue {
		wait = min(wait, a.retry.Sub(now))
	} else if left > 0 {
		wait = min(wait, left)
	}
	return max(wait, time.Millisecond)
}

// takeBack takes an overdue try back. A failure is told once and tried again.
func (a *alarm) takeBack(ctx context.Context) {
	err := a.steward.revertDue(ctx)
	if err == nil || ctx.Err() != nil {
		a.told = ""
		return
	}
	a.retry = a.board.now().Add(revertRetry)
	if err.Error() == a.told {
		return
	}
	a.told = err.Error()
	a.log.Error("a try could not be taken back", "error", err)
	a.overview.tell(ctx, []reconcilers.Event{{
		Kind: reconcilers.EventFailed, Object: home.DesiredFile, Actor: reconcilers.ActorTry,
		Message: err.Error() + "; it is tried again",
	}}, nil)
}
