package reconcilers

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types of every reconciler (Kubernetes API convention).
const (
	Ready       = "Ready"       // converged: the plan is empty
	Reconciling = "Reconciling" // changes are being made or will be retried
	Stalled     = "Stalled"     // waits for a person
)

// Condition types of the host as a whole, besides Ready.
const (
	RestartRequired = "RestartRequired"
	Suspended       = "Suspended"
	DesiredValid    = "DesiredValid"
	Journaling      = "Journaling" // False: operator.db cannot be written; history is kept in memory only
)

// Status is where the host stands, served from memory.
type Status struct {
	Revision    int64              `json:"revision"`   // in force
	Converged   bool               `json:"converged"`  // every reconciler is Ready on Revision
	Conditions  []metav1.Condition `json:"conditions"` // of the host
	Reconcilers []ReconcilerStatus `json:"reconcilers"`
	Restart     []RestartNotice    `json:"restart"` // empty: nothing waits for a restart
	Drift       []Drift            `json:"drift"`
	Try         *Try               `json:"try"` // nil: none runs
	LastGood    int64              `json:"last_good_revision"`
	Reverted    *Revert            `json:"reverted,omitempty"` // nil: Revision was asked for, or it is long ago
}

// ReconcilerStatus is where one reconciler stands.
type ReconcilerStatus struct {
	Name       string             `json:"name"`
	Conditions []metav1.Condition `json:"conditions"`
	NextTry    *time.Time         `json:"next_try,omitempty"` // when a failed change is retried
	Attempts   int                `json:"attempts,omitempty"` // in a row without success
}

// RestartNotice is one unit that still runs an old value.
type RestartNotice struct {
	Unit       string    `json:"unit"`
	Field      string    `json:"field"`
	Running    string    `json:"running"`
	Configured string    `json:"configured"`
	Since      time.Time `json:"since"` // when the configured value changed
	Revision   int64     `json:"revision,omitempty"`
}

// Drift is a managed value that somebody changed by hand.
type Drift struct {
	Field        string     `json:"field"`
	Object       string     `json:"object"`
	Reconciler   string     `json:"reconciler"`
	Desired      string     `json:"desired"`
	Actual       string     `json:"actual"`
	Seen         time.Time  `json:"seen"`         // when it was first seen
	By           string     `json:"by,omitempty"` // "root with vim (pid 4211)"; empty: the host cannot tell
	IgnoredUntil *time.Time `json:"ignored_until,omitempty"`
	IgnoredBy    string     `json:"ignored_by,omitempty"`
}

// Try is a change that reverts by itself unless it is confirmed.
type Try struct {
	ID       int64     `json:"id"`
	Started  time.Time `json:"started"`
	Deadline time.Time `json:"deadline"`
	Revision int64     `json:"revision"` // being tried
	Base     int64     `json:"base"`     // what a revert goes back to
	Actor    string    `json:"actor"`
}

// Revert is what the operator took back by itself: the health gate, or a try
// that nobody confirmed.
type Revert struct {
	Revision int64     `json:"revision"` // taken back
	To       int64     `json:"to"`       // whose document is in force again
	Time     time.Time `json:"time"`
	Reason   string    `json:"reason"` // a clause: "it was not confirmed in time"
}

// Explanation is everything known about one value.
type Explanation struct {
	Field      string          `json:"field"`
	Managed    bool            `json:"managed"`
	Desired    *ExplainDesired `json:"desired"`    // nil: not managed
	Configured *ExplainValue   `json:"configured"` // nil: unknown
	Running    []ExplainValue  `json:"running"`    // for each unit that reads it at start
	Converged  bool            `json:"converged"`
	Why        string          `json:"why"` // a sentence: converged since …, or what holds it back
	NextTry    *time.Time      `json:"next_try,omitempty"`
	Drift      *Drift          `json:"drift,omitempty"`
}

// ExplainDesired is where a desired value comes from.
type ExplainDesired struct {
	Value    string    `json:"value"`
	Revision int64     `json:"revision"` // the revision that set this value
	Author   string    `json:"author"`
	At       time.Time `json:"at"`
	Line     int       `json:"line,omitempty"` // in desired.yaml
}

// ExplainValue is one observed value.
type ExplainValue struct {
	Where string    `json:"where"` // config.yaml, core-gateway
	Value string    `json:"value"`
	Seen  time.Time `json:"seen"`
	Note  string    `json:"note,omitempty"` // "not running"
}
