package text

import (
	"fmt"
	"slices"
	"strings"

	"corehost/api"
	"corehost/desired"
	"corehost/reconcilers"
)

// value shows one value; an absent one is told from an empty screen.
func (s Style) value(v string) string {
	if v == "" {
		return s.paint(dim, "not set")
	}
	return Clean(v)
}

// change writes `field: old → new`, on three lines when one cannot hold it.
func (p *page) change(indent, field, from, to, note string) {
	p.arrow(indent, field, p.side(red, from), p.side(green, to), note)
}

// side is the value before or after a change, in its colour.
func (p *page) side(t tint, value string) string {
	if value == "" {
		return p.value(value)
	}
	return p.paint(t, value)
}

func (p *page) arrow(indent, field, old, now, note string) {
	text := indent + Clean(field) + ": " + old + " → " + now
	if visible(text) > p.width() {
		p.line(indent + Clean(field) + ":")
		p.line(indent + "    " + old)
		text = indent + "  → " + now
	}
	switch {
	case note == "":
		p.line(text)
	case visible(text)+2+visible(note) <= p.width():
		p.line(text + "  " + note)
	default:
		p.line(text)
		p.prose(indent+"    ", note)
	}
}

// Diff is the difference between two documents.
func Diff(s Style, changes []desired.FieldChange) string {
	p := page{Style: s}
	p.diff("", changes)
	return p.String()
}

func (p *page) diff(indent string, changes []desired.FieldChange) {
	for _, c := range changes {
		p.change(indent, c.Field, c.From, c.To, "")
	}
}

// Plan is the body of GET /api/plan.
func Plan(s Style, plan reconcilers.Plan) string {
	p := page{Style: s}
	switch n := len(plan.Changes); {
	case n == 0 && len(plan.Problems) == 0:
		p.line(fmt.Sprintf("Nothing to do: the host is as revision %d says.", plan.Revision))
	case n == 0:
		p.line(fmt.Sprintf("Revision %d: no changes can be planned.", plan.Revision))
	default:
		p.line(p.paint(bold, Count(n, "change", "changes")) + fmt.Sprintf(" to bring the host to revision %d:", plan.Revision))
	}
	p.planned(plan.Changes)
	p.problems(plan.Problems)
	if units := restarts(plan.Changes); len(units) > 0 {
		p.gap()
		p.prose("", "Takes effect when "+list(units)+" "+verb(units, "is", "are")+" restarted.")
	}
	return p.String()
}

// planned writes changes by their object: what is done to it, then its fields.
func (p *page) planned(changes []reconcilers.PlannedChange) {
	last := ""
	for _, c := range changes {
		if head := string(c.Action) + " " + c.Object; head != last {
			p.gap()
			p.prose("  ", strings.TrimRight(p.paint(cyan, string(c.Action))+" "+p.paint(bold, c.Object)+p.reason(c), " "))
			last = head
		}
		note := ""
		if c.Held != "" {
			note = p.paint(yellow, "held: "+c.Held)
		}
		now := p.side(green, c.To)
		if c.Action == reconcilers.ActionDelete && c.To == "" {
			now = p.paint(dim, "removed")
		}
		p.arrow("    ", c.Field, p.side(red, c.From), now, note)
	}
}

func (p *page) reason(c reconcilers.PlannedChange) string {
	if c.Reason == "" {
		return ""
	}
	return p.paint(dim, "  "+c.Reason)
}

func (p *page) problems(problems []reconcilers.PlanProblem) {
	for i, problem := range problems {
		if i == 0 {
			p.gap()
		}
		p.prose("  "+p.paint(red, problem.Reconciler)+"  ", Clean(problem.Message)+" "+p.paint(dim, "("+problem.Reason+")"))
	}
}

// restarts lists the units that changes need restarted, in order, once.
func restarts(changes []reconcilers.PlannedChange) []string {
	var units []string
	for _, c := range changes {
		for _, unit := range c.Needs.Restart {
			if unit = Clean(unit); !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	return units
}

// DryRun is the answer to POST /api/apply with dry_run: what would become of
// a document.
func DryRun(s Style, result api.ApplyResult) string {
	p := page{Style: s}
	if len(result.Diff) > 0 {
		p.line(p.paint(bold, "desired.yaml would change:"))
		p.diff("  ", result.Diff)
		p.gap()
	}
	if len(result.Applied) == 0 && len(result.Problems) == 0 {
		p.line("The host would not change.")
	} else {
		p.line(p.paint(bold, "The host would change:"))
	}
	p.planned(result.Applied)
	p.problems(result.Problems)
	p.gap()
	p.line(p.paint(dim, "A dry run: nothing was changed."))
	return p.String()
}

// Applied is the answer to POST /api/apply, rollback and whatever else brings
// the host to a revision.
func Applied(s Style, result api.ApplyResult) string {
	p := page{Style: s}
	if len(result.Diff) > 0 {
		p.line(p.paint(bold, fmt.Sprintf("Revision %d", result.Revision)))
		p.diff("  ", result.Diff)
	}
	if len(result.Applied) > 0 {
		p.gap()
		p.line(p.paint(bold, "Done on the host"))
	}
	p.planned(result.Applied)
	p.problems(result.Problems)
	p.gap()
	if result.Converged {
		p.line(p.paint(green, "✓") + fmt.Sprintf(" Converged: the host is as revision %d says.", result.Revision))
	}
	if result.Try != nil {
		p.gap()
		p.prose("", p.try(*result.Try))
	}
	p.restart(result.Restart)
	return strings.TrimLeft(p.String(), "\n")
}

// try says what runs out, when, and how to keep it.
func (p *page) try(t reconcilers.Try) string {
	back := fmt.Sprintf(" it goes back to revision %d ", t.Base)
	if t.Base == t.Revision {
		back = " config.yaml goes back to what it was before "
	}
	return p.paint(yellow, fmt.Sprintf("Trying revision %d:", t.Revision)) + back + p.In(t.Deadline) +
		", unless you keep it: " + p.command("cli confirm")
}

// restart writes the units that still run an old value and what to do.
func (p *page) restart(notices []reconcilers.RestartNotice) {
	if len(notices) == 0 {
		return
	}
	p.gap()
	p.line(p.paint(yellow, "Restart required"))
	var rows [][]string
	for _, n := range notices {
		rows = append(rows, []string{p.paint(bold, n.Unit), "still runs " + Clean(n.Field) + " " + p.value(n.Running)})
	}
	p.table("  ", rows)
	for _, unit := range noticed(notices) {
		p.line("  " + p.command(restartCommand(unit)))
	}
}

// restartCommand is what a person types to restart a unit. The dashboard runs
// the operator, which cannot restart itself and say how it went.
func restartCommand(unit string) string {
	if unit == "core-dashboard" {
		return "systemctl restart " + unit
	}
	return "cli unit restart " + unit
}

func noticed(notices []reconcilers.RestartNotice) []string {
	var units []string
	for _, n := range notices {
		if !slices.Contains(units, n.Unit) {
			units = append(units, n.Unit)
		}
	}
	return units
}

func verb(words []string, one, many string) string {
	if len(words) == 1 {
		return one
	}
	return many
}
