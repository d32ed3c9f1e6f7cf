package engine

import (
	"slices"
	"sync"

	"corehost/observers"
)

// onItsWay is the state in which a unit asks for nothing: it is neither up
// nor at rest.
const onItsWay = "deactivating"

// grip says which unit the health gate has in hand. What the host shows of it
// meanwhile is the operator's own doing: no drift, no news, and nothing to
// change until the gate lets go.
type grip struct {
	freed chan struct{} // holds one: a unit was let go

	mu       sync.Mutex
	unit     string
	held     bool
	from, to uint64 // versions of the snapshots it covers; to, when let go, is the first that counts again
}

func newGrip() *grip { return &grip{freed: make(chan struct{}, 1)} }

func (g *grip) take(unit string, version uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unit, g.held, g.from = unit, true, version
}

// free lets go; the snapshot of version shows the unit as it was left.
func (g *grip) free(version uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.to = false, version
}

// wake has the loops look at what was left to the gate.
func (g *grip) wake() {
	select {
	case g.freed <- struct{}{}:
	default:
	}
}

// busy reports whether any unit is in hand now.
func (g *grip) busy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// has reports whether a unit is in hand now.
func (g *grip) has(unit string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held && g.unit == unit
}

// in is the unit that a snapshot shows in the gate's hand; empty: none.
func (g *grip) in(have *observers.Snapshot) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if have.Version < g.from || !g.held && have.Version >= g.to {
		return ""
	}
	return g.unit
}

// veil is the snapshot that plans are made from: a unit in hand is on its way.
func (g *grip) veil(have *observers.Snapshot) (seen *observers.Snapshot, unit string) {
	unit = g.in(have)
	i := slices.IndexFunc(have.Units.Value.Units, func(u observers.Unit) bool { return u.Name == unit })
	if i < 0 {
		return have, unit
	}
	veiled := *have
	veiled.Units.Value.Units = slices.Clone(have.Units.Value.Units)
	veiled.Units.Value.Units[i].Active = onItsWay
	return &veiled, unit
}
