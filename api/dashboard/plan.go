package dashboard

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/reconcilers"
)

// PlanCard is what would be done now.
type PlanCard struct {
	ETag      string
	Revision  int64
	Rows      []PlanRow
	Problems  []reconcilers.PlanProblem
	Absent    []reconcilers.PlanProblem // parts that are not on this host; no failure
	Restart   string                    // what must restart after it, in a sentence
	Problem   string                    // why there is no plan to show
	Blocked   string                    // why it cannot be applied now; empty: it can
	Held      int                       // rows the loops leave alone
	Converged bool
}

// PlanRow is one value the host would get.
type PlanRow struct {
	Object, Action string
	Diff           Difference
	Reason, Held   string
}

// DriftRow is one value that somebody changed by hand.
type DriftRow struct {
	Field, Object   string
	Desired, Actual string
	Seen            *Moment
	By              string
	Ignored         *Moment // until when it is left alone; nil: it is not
	IgnoredBy       string
}

// SuspendCard is the switch that stops every change.
type SuspendCard struct {
	Active  bool
	Message string
	Since   *Moment
}

func (d *Dashboard) planCard(ctx context.Context, status api.Status) PlanCard {
	plan, err := d.src.Plan(ctx)
	if err != nil {
		return PlanCard{Problem: sentence(problemOf(err).Detail)}
	}
	return planCard(plan, status)
}

func planCard(plan reconcilers.Plan, status api.Status) PlanCard {
	card := PlanCard{ETag: plan.ETag, Revision: plan.Revision, Converged: status.Converged}
	var restart []string
	for _, c := range plan.Changes {
		card.Rows = append(card.Rows, PlanRow{
			Object: c.Object, Action: actionText(c.Action), Diff: Difference{c.Field, c.From, c.To},
			Reason: sentence(c.Reason), Held: c.Held,
		})
		if c.Held != "" {
			card.Held++
		}
		for _, unit := range c.Needs.Restart {
			if !slices.Contains(restart, unit) {
				restart = append(restart, unit)
			}
		}
	}
	for _, p := range plan.Problems {
		p.Message = sentence(p.Message)
		if p.Reason == "Absent" {
			card.Absent = append(card.Absent, p)
			continue
		}
		card.Problems = append(card.Problems, p)
	}
	card.Restart = restartText(restart)
	switch {
	case suspended(status):
		card.Blocked = "The host is suspended. Resume it to apply these changes."
	case status.Try != nil:
		card.Blocked = "A change is being tried. Keep it or take it back first."
	}
	return card
}

func actionText(action reconcilers.Action) string {
	if action == reconcilers.ActionSet {
		return "write"
	}
	return string(action)
}

func driftRows(list []reconcilers.Drift, now clock) []DriftRow {
	rows := make([]DriftRow, 0, len(list))
	for _, d := range list {
		rows = append(rows, DriftRow{
			Field: d.Field, Object: d.Object, Desired: d.Desired, Actual: d.Actual, Seen: now.moment(d.Seen), By: d.By,
			Ignored: now.pointer(d.IgnoredUntil), IgnoredBy: who(d.IgnoredBy),
		})
	}
	return rows
}

func suspended(status api.Status) bool {
	c := meta.FindStatusCondition(status.Conditions, reconcilers.Suspended)
	return c != nil && c.Status == metav1.ConditionTrue
}

func suspendCard(status api.Status) SuspendCard {
	card := SuspendCard{Active: suspended(status)}
	if c := meta.FindStatusCondition(status.Conditions, reconcilers.Suspended); c != nil && card.Active {
		card.Message = sentence(c.Message)
	}
	return card
}

// restartText says which units must restart before a change has its effect.
func restartText(units []string) string {
	if len(units) == 0 {
		return "No running unit needs a restart for it."
	}
	return "It takes effect when " + names(units) + verb(len(units), " is", " are") + " restarted."
}
