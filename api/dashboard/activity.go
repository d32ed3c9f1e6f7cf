package dashboard

import (
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/reconcilers"
)

// ActivityView is the page of what goes on and what went on.
type ActivityView struct {
	Try        *TryCard
	Plan       PlanCard
	Drift      []DriftRow
	Suspend    SuspendCard
	Conditions []ConditionGroup
	Revisions  RevisionsCard
	Events     EventsCard
}

// TryCard is a change that is taken back by itself unless it is kept.
type TryCard struct {
	Revision, Base int64
	Deadline       *Moment
	Left           string
	Who            string
	Passed         string // share of the time that has passed, 0 to 100
}

// ConditionGroup is where one reconciler, or the host, stands.
type ConditionGroup struct {
	Name, Text string
	Pill       Pill
	Message    string
	Open       bool // it tells of something a person should see
	Rows       []ConditionRow
	NextTry    *Moment
	Attempts   string
}

// ConditionRow is one condition.
type ConditionRow struct {
	Type, Status, Reason, Message string
	Tone                          string
	Since                         *Moment
}

func (d *Dashboard) activityPage(r *http.Request, now clock, status api.Status, _ Failure) (body, error) {
	ctx, query := r.Context(), r.URL.Query()
	view := ActivityView{
		Try:        tryCard(status.Try, now),
		Drift:      driftRows(status.Drift, now),
		Suspend:    suspendCard(status),
		Conditions: conditionGroups(status.Status, now),
		Plan:       d.planCard(ctx, status),
		Revisions:  d.revisionsCard(ctx, query, now),
		Events:     d.eventsCard(ctx, query, now),
	}
	made := body{template: "activity", title: "Activity", name: "activity", view: view}
	if !view.Suspend.Active {
		made.forms = append(made.forms, formName("suspend", ""))
	}
	for _, row := range view.Drift {
		made.forms = append(made.forms, formName("ignore", row.Field))
	}
	return made, nil
}

func tryCard(try *reconcilers.Try, now clock) *TryCard {
	if try == nil {
		return nil
	}
	card := &TryCard{Revision: try.Revision, Base: try.Base, Deadline: now.moment(try.Deadline), Who: who(try.Actor)}
	left := max(try.Deadline.Sub(now.now), 0)
	card.Left = spans(left)
	if whole := try.Deadline.Sub(try.Started); whole > 0 {
		card.Passed = fmt.Sprintf("%.1f", min(max(100*(1-left.Seconds()/whole.Seconds()), 0), 100))
	}
	return card
}

// conditionGroups is the host first, then each reconciler.
func conditionGroups(status reconcilers.Status, now clock) []ConditionGroup {
	groups := []ConditionGroup{conditionGroup("Host", "the host as a whole", status.Conditions, now)}
	for _, r := range status.Reconcilers {
		group := conditionGroup(r.Name, reconcilerText(r.Name), r.Conditions, now)
		group.NextTry = now.pointer(r.NextTry)
		if r.Attempts > 0 {
			group.Attempts = count(r.Attempts, "attempt") + " without success"
		}
		groups = append(groups, group)
	}
	return groups
}

// reconcilerText says what a reconciler looks after.
func reconcilerText(name string) string {
	return map[string]string{
		"model": "provider and model in config.yaml", "reasoning": "reasoning effort in config.yaml",
		"unit": "service units running or stopped", "retention": "how many backups are kept",
	}[name]
}

func conditionGroup(name, text string, conditions []metav1.Condition, now clock) ConditionGroup {
	group := ConditionGroup{Name: name, Text: text}
	state := map[string]metav1.Condition{}
	for _, c := range conditions {
		state[c.Type] = c
		tone := conditionTone(c)
		group.Open = group.Open || tone == "bad" || tone == "warn" && c.Type != reconcilers.RestartRequired
		group.Rows = append(group.Rows, ConditionRow{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: sentence(c.Message),
			Tone: tone, Since: now.moment(c.LastTransitionTime.Time),
		})
	}
	group.Pill, group.Message = summary(state)
	return group
}

// summary is one word for a set of conditions, and the message behind it.
func summary(state map[string]metav1.Condition) (Pill, string) {
	is := func(kind string, status metav1.ConditionStatus) bool { return state[kind].Status == status }
	switch {
	case is(reconcilers.Stalled, metav1.ConditionTrue):
		return Pill{Word: "STALLED", Tone: "bad"}, sentence(state[reconcilers.Stalled].Message)
	case is(reconcilers.Reconciling, metav1.ConditionTrue):
		return Pill{Word: "WORKING", Tone: "warn", Pulse: true}, sentence(state[reconcilers.Reconciling].Message)
	case is(reconcilers.Ready, metav1.ConditionTrue):
		return Pill{Word: "READY", Tone: "good"}, sentence(state[reconcilers.Ready].Message)
	case is(reconcilers.Ready, metav1.ConditionFalse):
		return Pill{Word: "NOT READY", Tone: "warn"}, sentence(state[reconcilers.Ready].Message)
	}
	return Pill{Word: "UNKNOWN"}, sentence(first(state[reconcilers.Ready].Message, "It has not been looked at since the start"))
}

// goodWhenFalse are the conditions that a healthy host does not have.
var goodWhenFalse = []string{reconcilers.Reconciling, reconcilers.Stalled, reconcilers.RestartRequired, reconcilers.Suspended}

func conditionTone(c metav1.Condition) string {
	if c.Status == metav1.ConditionUnknown {
		return ""
	}
	good := (c.Status == metav1.ConditionTrue) != slices.Contains(goodWhenFalse, c.Type)
	switch {
	case good:
		return "good"
	case c.Type == reconcilers.Stalled || c.Type == reconcilers.DesiredValid:
		return "bad"
	}
	return "warn"
}
