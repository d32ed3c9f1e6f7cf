package text

import (
	"fmt"

	"corehost/reconcilers"
)

// Explain is why one value is what it is.
func Explain(s Style, e reconcilers.Explanation) string {
	p := page{Style: s}
	mark := p.paint(green, "●")
	switch {
	case !e.Managed:
		mark = p.paint(dim, "○")
	case !e.Converged:
		mark = p.paint(yellow, "▲")
	}
	p.line(mark + " " + p.paint(bold, e.Field))
	if e.Why != "" {
		p.prose("  ", Clean(e.Why))
	}
	p.gap()
	rows := [][]string{{p.paint(dim, "desired"), p.explainDesired(e)}}
	if e.Configured != nil {
		rows = append(rows, p.explainValue("configured", *e.Configured))
	} else {
		rows = append(rows, []string{p.paint(dim, "configured"), p.paint(dim, "unknown")})
	}
	for _, r := range e.Running {
		rows = append(rows, p.explainValue("running", r))
	}
	if e.Drift != nil {
		rows = append(rows, []string{p.paint(dim, "drift"), "seen " + p.seenBy(*e.Drift)})
	}
	if e.NextTry != nil {
		rows = append(rows, []string{p.paint(dim, "next try"), p.In(*e.NextTry)})
	}
	p.table("  ", rows)
	return p.String()
}

func (p *page) explainDesired(e reconcilers.Explanation) string {
	d := e.Desired
	if d == nil {
		return p.paint(dim, "not managed: the host's own value stands")
	}
	from := fmt.Sprintf("revision %d", d.Revision)
	if d.Line > 0 {
		from += fmt.Sprintf(", desired.yaml line %d", d.Line)
	}
	return p.value(d.Value) + p.paint(dim, " ("+from+by(d.Author)+", "+p.Age(d.At)+")")
}

func (p *page) explainValue(label string, v reconcilers.ExplainValue) []string {
	text, note := p.value(v.Value), v.Note
	if v.Value == "" && v.Note != "" {
		text, note = p.paint(dim, v.Note), ""
	}
	if !v.Seen.IsZero() {
		note = join(note, "seen "+p.Age(v.Seen), ", ")
	}
	if note != "" {
		text += p.paint(dim, " ("+note+")")
	}
	return []string{p.paint(dim, label), Clean(v.Where) + ": " + text}
}
