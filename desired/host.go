package desired

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Version and kind of the one document this package knows.
const (
	APIVersion = "core.dev/v1alpha1"
	Kind       = "Host"
)

// Host says what one host should be. It is shaped like a Kubernetes resource
// so that a fleet can hold the same document; metadata.generation is the
// number of the revision it was read from.
type Host struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              Spec   `json:"spec,omitzero"`
	Status            Status `json:"status,omitzero"`
}

// Status is what the engine found out about the host; it is served, never
// written to the file.
type Status struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Spec is the desired state. A nil pointer, an empty list or an empty string
// means "not managed", unless the field says otherwise.
type Spec struct {
	Suspend       *Suspend       `json:"suspend,omitempty"`
	Drift         DriftPolicy    `json:"drift,omitempty"`
	Model         *Model         `json:"model,omitempty"`
	Agent         *Agent         `json:"agent,omitempty"`
	Backup        *Backup        `json:"backup,omitempty"`
	Vault         *Vault         `json:"vault,omitempty"`
	Units         []Unit         `json:"units,omitempty"`
	Signatures    *Signatures    `json:"signatures,omitempty"`
	Reviews       *Reviews       `json:"reviews,omitempty"`
	Resident      *Resident      `json:"resident,omitempty"`
	Notifications []Notification `json:"notifications,omitempty"`
	Update        *Update        `json:"update,omitempty"`
}

// Suspend stops every change to the host while it is active. In YAML it is
// `true`, `false`, or a mapping with a reason and an optional end.
type Suspend struct {
	Active bool         `json:"active"`
	Reason string       `json:"reason,omitempty"`
	Until  *metav1.Time `json:"until,omitempty"`
}

// DriftPolicy is what to do when somebody edits a managed value by hand.
type DriftPolicy string

// The drift policies; heal is the default.
const (
	DriftHeal   DriftPolicy = "heal"
	DriftReport DriftPolicy = "report"
)

// Model selects the active provider and model. A nil field is not managed; an
// empty Default means "follow the provider's default model".
type Model struct {
	Provider *string `json:"provider,omitempty"`
	Default  *string `json:"default,omitempty"`
}

// Agent holds settings of every agent.
type Agent struct {
	ReasoningEffort *Effort `json:"reasoningEffort,omitempty"`
}

// Effort is the reasoning effort (thinking mode) asked of a model.
type Effort string

// The efforts. Off removes the key from config.yaml.
const (
	EffortOff    Effort = "off"
	EffortLow    Effort = "low"
	EffortMedium Effort = "medium"
	EffortHigh   Effort = "high"
)

// Backup says when whole-server backups are made and which are kept.
type Backup struct {
	Schedule  *string    `json:"schedule,omitempty"` // five-field cron, local time
	Retention *Retention `json:"retention,omitempty"`
}

// Retention counts verified finished backups to keep; zero switches a rule
// off, and the newest good one is kept whatever the counts say.
type Retention struct {
	KeepLast    int `json:"keepLast,omitempty"`
	KeepDaily   int `json:"keepDaily,omitempty"`
	KeepWeekly  int `json:"keepWeekly,omitempty"`
	KeepMonthly int `json:"keepMonthly,omitempty"`
}

// Vault holds the reminders for provider keys.
type Vault struct {
	Rotation *Rotation `json:"rotation,omitempty"`
}

// Rotation says at which age a key is overdue and how long before it is due.
type Rotation struct {
	MaxAge       metav1.Duration `json:"maxAge,omitempty"`
	RemindBefore metav1.Duration `json:"remindBefore,omitempty"`
}

// Unit says how one systemd service unit should be. Name has no ".service".
type Unit struct {
	Name                  string    `json:"name"`
	State                 UnitState `json:"state,omitempty"`
	RestartOnConfigChange bool      `json:"restartOnConfigChange,omitempty"`
}

// UnitState is the wanted state of a unit; empty is not managed.
type UnitState string

// The unit states.
const (
	UnitRunning UnitState = "running"
	UnitStopped UnitState = "stopped"
)

// Signatures tunes the pattern miner and holds the decisions people made.
type Signatures struct {
	MinSessions   *int             `json:"minSessions,omitempty"`
	ProposeAt     *int             `json:"proposeAt,omitempty"`
	SweepInterval *metav1.Duration `json:"sweepInterval,omitempty"`
	Decisions     []Decision       `json:"decisions,omitempty"`
}

// Decision is a person's answer to a recurring pattern.
type Decision struct {
	ID     string         `json:"id"`
	Status DecisionStatus `json:"status"`
}

// DecisionStatus is approved or dismissed.
type DecisionStatus string

// The decisions.
const (
	DecisionApproved  DecisionStatus = "approved"
	DecisionDismissed DecisionStatus = "dismissed"
)

// Reviews switches the meta-reviewer: auto or off.
type Reviews struct {
	MetaReviewer string `json:"metaReviewer,omitempty"`
}

// Resident configures fix attempts.
type Resident struct {
	Repository   string           `json:"repository,omitempty"`
	BaseBranch   string           `json:"baseBranch,omitempty"`
	TestCommand  []string         `json:"testCommand,omitempty"`
	Timeout      *metav1.Duration `json:"timeout,omitempty"`
	PollInterval *metav1.Duration `json:"pollInterval,omitempty"`
	AgentCommand []string         `json:"agentCommand,omitempty"`
}

// Notification names the vault secret that holds a notification URL.
type Notification struct {
	Secret string `json:"secret"`
}

// Update configures the release feed and whether releases install themselves.
type Update struct {
	Repository string `json:"repository,omitempty"`
	Channel    string `json:"channel,omitempty"`
	AutoApply  bool   `json:"autoApply,omitempty"`
}
