package text

import (
	"fmt"
	"strings"

	"corehost/api"
)

// History is the list of revisions, newest first.
func History(s Style, list api.RevisionList) string {
	p := page{Style: s}
	if len(list.Revisions) == 0 {
		p.line("No revisions yet.")
		return p.String()
	}
	for _, r := range list.Revisions {
		p.gap()
		p.line(p.revision(r))
		if r.Note != "" {
			p.prose("    ", p.paint(dim, r.Note))
		}
		p.diff("    ", r.Diff)
	}
	if list.More {
		p.gap()
		oldest := list.Revisions[len(list.Revisions)-1].Number
		p.line(p.paint(dim, "There are older ones: ") + p.command(fmt.Sprintf("cli history --before %d", oldest)))
	}
	return p.String()
}

// revision is the headline of one revision.
func (p *page) revision(r api.Revision) string {
	text := p.paint(bold, fmt.Sprintf("%4d", r.Number)) + "  " + p.Stamp(r.Time) + "  " + Clean(r.Author)
	if r.InForce {
		text += "  " + p.paint(green, "in force")
	}
	return text
}

// Revision is one revision with its difference to the one before.
func Revision(s Style, r api.Revision) string {
	p := page{Style: s}
	head := p.paint(bold, fmt.Sprintf("Revision %d", r.Number))
	if r.InForce {
		head += "  " + p.paint(green, "in force")
	}
	p.line(head)
	p.line(p.Clock(r.Time) + " (" + p.Age(r.Time) + ")" + by(r.Author))
	if r.Note != "" {
		p.prose("", Clean(r.Note))
	}
	if len(r.Diff) > 0 {
		p.gap()
		p.diff("  ", r.Diff)
	}
	if r.Unified != "" {
		p.gap()
		p.unified(r.Unified)
	}
	return p.String()
}

// unified writes a line difference. Lines are the document's own and keep
// their length.
func (p *page) unified(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			p.line(p.paint(dim, line))
		case strings.HasPrefix(line, "@@"):
			p.line(p.paint(cyan, line))
		case strings.HasPrefix(line, "+"):
			p.line(p.paint(green, line))
		case strings.HasPrefix(line, "-"):
			p.line(p.paint(red, line))
		default:
			p.line(Clean(line))
		}
	}
}
