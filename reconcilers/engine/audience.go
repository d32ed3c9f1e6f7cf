package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"corehost/reconcilers"
)

// audience hears every change that is made, whoever's pass makes it: an
// apply and a loop may both be at work on one document.
type audience struct {
	mu      sync.Mutex
	members []*member
}

type member struct{ heard []reconcilers.PlannedChange }

// maxHeard bounds what one member hears.
const maxHeard = 1024

// join starts listening. heard is what was made since; leave ends it.
func (a *audience) join() (heard func() []reconcilers.PlannedChange, leave func()) {
	m := &member{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.members = append(a.members, m)
	heard = func() []reconcilers.PlannedChange {
		a.mu.Lock()
		defer a.mu.Unlock()
		return slices.Clone(m.heard)
	}
	leave = func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.members = slices.DeleteFunc(a.members, func(other *member) bool { return other == m })
	}
	return heard, leave
}

// hear tells every member of changes that were made.
func (a *audience) hear(changes []reconcilers.PlannedChange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.members {
		m.heard = lastOf(append(m.heard, changes...), maxHeard)
	}
}

// looping says whether Run is at work.
type looping struct{ flag atomic.Bool }

func (l *looping) yes() bool { return l.flag.Load() }
