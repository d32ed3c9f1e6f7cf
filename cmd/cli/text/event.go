package text

import (
	"fmt"
	"strings"

	"corehost/reconcilers"
)

// kindWidth is the width of the longest kind of event.
const kindWidth = len("Confirmed")

// Event is one entry of the journal: time, kind, what happened, by whom.
func Event(s Style, e reconcilers.Event) string {
	p := page{Style: s}
	head := p.paint(dim, p.Stamp(e.Time)) + "  " + pad(p.paint(tintOf(e.Kind), string(e.Kind)), kindWidth) + "  "
	what, log, _ := strings.Cut(p.what(e), "\n")
	p.prose(head, Clean(what)+p.paint(dim, p.where(e)))
	p.log(log)
	return p.String()
}

// what is the message, or the change itself where there is none.
func (p *page) what(e reconcilers.Event) string {
	if e.Message != "" {
		return e.Message
	}
	if e.Field != "" {
		return fmt.Sprintf("%s: %s → %s", e.Field, e.From, e.To)
	}
	return strings.TrimSpace(e.Reconciler + " " + e.Object)
}

// log writes the end of a unit's log that came with an event, line by line.
func (p *page) log(text string) {
	for line := range strings.Lines(text) {
		p.prose("    ", Clean(strings.TrimRight(line, "\n")))
	}
}

func (p *page) where(e reconcilers.Event) string {
	var parts []string
	if e.Actor != "" && e.Actor != reconcilers.ActorOperator {
		parts = append(parts, e.Actor)
	}
	if revision := fmt.Sprintf("revision %d", e.Revision); e.Revision != 0 && !strings.Contains(e.Message, revision) {
		parts = append(parts, revision)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func tintOf(kind reconcilers.EventKind) tint {
	switch kind {
	case reconcilers.EventApplied, reconcilers.EventHealed, reconcilers.EventConfirmed, reconcilers.EventAdopted:
		return green
	case reconcilers.EventFailed, reconcilers.EventRefused:
		return red
	case reconcilers.EventDrifted, reconcilers.EventReverted, reconcilers.EventTried, reconcilers.EventIgnored:
		return yellow
	}
	return cyan
}
