package text

import (
	"fmt"
	"time"
)

// Suspended is the answer to a suspension.
func Suspended(s Style, revision int64, reason string, until *time.Time) string {
	p := page{Style: s}
	text := p.paint(yellow, "Suspended") + fmt.Sprintf(" by revision %d: the host is observed, nothing is changed", revision)
	if until != nil {
		text += ", until " + p.Clock(*until)
	}
	p.prose("", text+".")
	if reason != "" {
		p.prose("Reason: ", Clean(reason))
	}
	p.line("Go on: " + p.command("cli resume"))
	return p.String()
}
