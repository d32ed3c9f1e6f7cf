package reconcilers

import (
	"slices"

	"corehost/desired"
)

// Action is what a change does to its object.
type Action string

// The actions.
const (
	ActionSet    Action = "set"    // write values into a file
	ActionStart  Action = "start"  // start a unit
	ActionStop   Action = "stop"   // stop a unit
	ActionDelete Action = "delete" // remove a file
)

// Change is one step that is made wholly or not at all.
type Change struct {
	Reconciler string
	Action     Action
	Object     string                // config.yaml, core-gateway, core-20261121T030000Z.tar.gz
	Fields     []desired.FieldChange // what becomes different, in order; at least one
	Reason     string                // why, in a sentence, where the field does not say it
	Needs      Needs
	// From identifies the state of the object the change was planned from, in
	// the reconciler's own terms. Apply refuses when it differs (ErrStale).
	From string
}

// Needs is what must happen after a change before it has its effect.
type Needs struct {
	Restart []string `json:"restart,omitempty"` // units, without ".service"
}

// Equal reports whether two changes do the same to the same state.
func (c Change) Equal(other Change) bool {
	return c.Reconciler == other.Reconciler && c.Action == other.Action && c.Object == other.Object &&
		c.From == other.From && slices.Equal(c.Fields, other.Fields)
}

// PlannedChange is one field of a plan as it is shown to people and programs.
type PlannedChange struct {
	Reconciler string `json:"reconciler"`
	Action     Action `json:"action"`
	Object     string `json:"object"`
	Field      string `json:"field"`
	From       string `json:"from"`
	To         string `json:"to"`
	Reason     string `json:"reason,omitempty"`
	Needs      Needs  `json:"needs"`
	// Held is why the loops do not make this change now: "suspended",
	// "drift reported", "ignored until …"; empty: they will.
	Held string `json:"held,omitempty"`
}

// Plan is everything that would be done now. ETag names the revision and the
// observed state it was made from.
type Plan struct {
	Revision int64           `json:"revision"`
	ETag     string          `json:"etag"`
	Changes  []PlannedChange `json:"changes"`
	Problems []PlanProblem   `json:"problems,omitempty"`
}

// PlanProblem is a reconciler that cannot plan, and why.
type PlanProblem struct {
	Reconciler string `json:"reconciler"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
}
