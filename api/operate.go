package api

import (
	"time"

	"corehost/desired"
	"corehost/reconcilers"
)

// ApplyRequest is the body of POST /api/apply. If-Match, when given, names
// the ETag of the plan that is meant.
type ApplyRequest struct {
	Document string `json:"document,omitempty"` // new desired.yaml (YAML); empty: what is pending now
	DryRun   bool   `json:"dry_run,omitempty"`  // show the plan, change nothing
	Try      string `json:"try,omitempty"`      // duration: revert by itself unless confirmed
}

// ApplyResult answers POST /api/apply.
type ApplyResult struct {
	Revision  int64                       `json:"revision"`
	Applied   []reconcilers.PlannedChange `json:"applied"`   // with dry_run: what would be
	Problems  []reconcilers.PlanProblem   `json:"problems"`  // what could not be planned or applied
	Diff      []desired.FieldChange       `json:"diff"`      // against the revision before
	Converged bool                        `json:"converged"` // the plan is empty now
	Restart   []reconcilers.RestartNotice `json:"restart"`
	Try       *reconcilers.Try            `json:"try"`
}

// Status is the body of GET /api/status.
type Status struct {
	reconcilers.Status
	Verdict         Verdict  `json:"verdict"`
	RestartRequired bool     `json:"restart_required"` // a unit still runs an old value; Restart names them
	Secrets         *string  `json:"secrets"`          // the one-line summary; null: not known yet
	Versions        Versions `json:"versions"`
	Home            string   `json:"home"`
	Hostname        string   `json:"hostname"`
	Time            string   `json:"time"`
}

// Versions of the product.
type Versions struct {
	Dashboard string `json:"dashboard"`
	Go        string `json:"go"`
	API       string `json:"api"` // core.dev/v1alpha1
}

// Verdict is the answer to "is my host well, and what must I do?".
type Verdict struct {
	Level string        `json:"level"` // healthy, attention, broken
	Title string        `json:"title"` // Healthy · Attention: 2 things to do
	Items []VerdictItem `json:"items"`
}

// VerdictItem is one thing to do: a sentence, why it matters, and the way.
type VerdictItem struct {
	Code    string `json:"code"` // unit_down, restart_required, disk_full, desired_invalid …
	Level   string `json:"level"`
	What    string `json:"what"`
	Why     string `json:"why"`
	Action  string `json:"action,omitempty"`  // a verb for a button: Restart gateway
	Kind    string `json:"kind,omitempty"`    // restart_unit, start_unit, confirm, adopt, link, resume
	Target  string `json:"target,omitempty"`  // unit, field or address of the page
	Command string `json:"command,omitempty"` // the same as a command
}

// Revision is one accepted content of desired.yaml.
type Revision struct {
	Number  int64                 `json:"number"`
	Time    time.Time             `json:"time"`
	Author  string                `json:"author"`
	Note    string                `json:"note,omitempty"`
	Diff    []desired.FieldChange `json:"diff"`
	InForce bool                  `json:"in_force"`
	Text    string                `json:"text,omitempty"`    // only GET /api/revisions/{n}
	Unified string                `json:"unified,omitempty"` // line difference to the one before, only {n}
}

// RevisionList is the body of GET /api/revisions, newest first.
type RevisionList struct {
	Revisions []Revision `json:"revisions"`
	More      bool       `json:"more"`
}

// EventPage is the body of GET /api/events as JSON, newest first.
type EventPage struct {
	Events []reconcilers.Event `json:"events"`
	More   bool                `json:"more"`
}

// IgnoreRequest is the body of POST /api/drift/ignore.
type IgnoreRequest struct {
	Field string    `json:"field"`
	Until time.Time `json:"until"`
}

// FieldRequest names one field: POST /api/drift/adopt.
type FieldRequest struct {
	Field string `json:"field"`
}

// UnitResult answers POST /api/units/{name}/restart, start and stop.
type UnitResult struct {
	Unit     UnitStatus `json:"unit"`
	Healthy  bool       `json:"healthy"`               // active and settled
	Reverted int64      `json:"reverted_to,omitempty"` // revision the health gate went back to
	Message  string     `json:"message"`
}
