package reconcilers

import "time"

// EventKind is what an event tells.
type EventKind string

// The kinds of event.
const (
	EventStarted   EventKind = "Started"   // the daemon started
	EventRevised   EventKind = "Revised"   // a new revision of desired.yaml is in force
	EventRefused   EventKind = "Refused"   // desired.yaml is invalid; the last good revision stays
	EventPlanned   EventKind = "Planned"   // changes are to be made
	EventApplied   EventKind = "Applied"   // a change was made
	EventFailed    EventKind = "Failed"    // a change or a plan failed
	EventDrifted   EventKind = "Drifted"   // a managed value was changed by hand
	EventHealed    EventKind = "Healed"    // a drifted value was put back
	EventAdopted   EventKind = "Adopted"   // a drifted value was written into desired.yaml
	EventIgnored   EventKind = "Ignored"   // a drift is left alone until a time
	EventObserved  EventKind = "Observed"  // the host changed by itself: a unit went down
	EventRestored  EventKind = "Restored"  // an earlier revision was written back
	EventTried     EventKind = "Tried"     // a try began
	EventConfirmed EventKind = "Confirmed" // a try was kept
	EventReverted  EventKind = "Reverted"  // a try or an unhealthy change was taken back
	EventRestarted EventKind = "Restarted" // a unit was restarted on request
)

// Event is one entry of the journal. Ids grow by one and never come again.
// It never carries a secret.
type Event struct {
	ID         int64     `json:"id"`
	Time       time.Time `json:"time"`
	Reconciler string    `json:"reconciler,omitempty"`
	Kind       EventKind `json:"kind"`
	Object     string    `json:"object,omitempty"`
	Field      string    `json:"field,omitempty"`
	From       string    `json:"from,omitempty"`
	To         string    `json:"to,omitempty"`
	Message    string    `json:"message"`
	Actor      string    `json:"actor,omitempty"` // file, api:NAME, cli:UID, operator, or who the host names
	Revision   int64     `json:"revision,omitempty"`
}

// Actor names of the product itself; others are "api:<account>", "cli:<uid>".
const (
	ActorFile     = "file"
	ActorOperator = "operator"
	ActorRollback = "rollback"
	ActorTry      = "try"
	ActorHealth   = "health gate"
	ActorSystemd  = "systemd"
)
