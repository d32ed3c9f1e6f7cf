package text

import (
	"fmt"

	"corehost/api"
)

// Units is the list of service units.
func Units(s Style, units []api.UnitStatus) string {
	p := page{Style: s}
	rows := [][]string{p.header("UNIT", "STATE", "DETAIL")}
	for _, u := range units {
		rows = append(rows, []string{Clean(u.Name), p.unitState(u), p.unitDetail(u)})
	}
	why := sharedReason(units)
	if why != "" {
		for i := range units {
			rows[i+1][2] = ""
		}
	}
	p.table("", rows)
	if why != "" {
		p.gap()
		p.prose("", p.paint(yellow, "The states are not known: ")+Clean(why))
	}
	return p.String()
}

// sharedReason is the one reason why no unit's state is known, or empty.
func sharedReason(units []api.UnitStatus) string {
	for _, u := range units {
		if u.Known || u.Reason != units[0].Reason {
			return ""
		}
	}
	if len(units) == 0 {
		return ""
	}
	return units[0].Reason
}

// UnitRestarted is the answer to a restart.
func UnitRestarted(s Style, result api.UnitResult) string {
	p := page{Style: s}
	mark := p.paint(green, "✓")
	if !result.Healthy {
		mark = p.paint(red, "✖")
	}
	message := Clean(result.Message)
	if message == "" {
		message = result.Unit.Name + " was restarted"
	}
	p.prose(mark+" ", message)
	p.line("  " + p.unitState(result.Unit) + " " + p.unitDetail(result.Unit))
	if result.Reverted != 0 {
		p.prose("  ", p.paint(yellow, fmt.Sprintf("The desired state went back to revision %d.", result.Reverted)))
	}
	return p.String()
}

// stateWidth is that of the widest state with its question mark.
const stateWidth = len("ACTIVE?")

// unitState is ACTIVE or DOWN; a question mark says that the reading is old
// or failed.
func (p *page) unitState(u api.UnitStatus) string {
	switch {
	case !u.Known:
		return p.paint(dim, pad(u.State+"?", stateWidth))
	case u.State == "ACTIVE":
		return p.paint(green, pad(u.State, stateWidth))
	default:
		return p.paint(red, pad(u.State, stateWidth))
	}
}

func (p *page) unitDetail(u api.UnitStatus) string {
	text := Clean(u.Reason)
	if text == "" {
		text = Clean(u.SubState)
	}
	switch {
	case u.Since == nil || u.Since.IsZero():
	case u.Reason != "": // tells what happened
		text = join(text, coarse(p.Now.Sub(*u.Since))+" ago", ", ")
	default:
		text = join(text, "for "+coarse(p.Now.Sub(*u.Since)), " ")
	}
	if u.PID > 0 {
		text = join(text, fmt.Sprintf("pid %d", u.PID), ", ")
	}
	if u.Restarts > 0 {
		text = join(text, Count(u.Restarts, "restart", "restarts"), ", ")
	}
	return text
}

// header is the first row of a table.
func (p *page) header(names ...string) []string {
	for i, name := range names {
		names[i] = p.paint(dim, name)
	}
	return names
}

// join puts two texts together when there are two.
func join(a, b, between string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
