package text

import "corehost/reconcilers"

// Drift is the list of managed values that somebody changed by hand.
func Drift(s Style, drift []reconcilers.Drift) string {
	p := page{Style: s}
	if len(drift) == 0 {
		p.line("No drift: every managed value is as the document says.")
		return p.String()
	}
	for _, d := range drift {
		p.gap()
		p.line(p.paint(bold, d.Field) + "  " + p.paint(dim, d.Object))
		p.row("desired", p.value(d.Desired))
		p.row("actual", p.value(d.Actual))
		p.row("seen", p.seenBy(d))
		if d.IgnoredUntil != nil && d.IgnoredUntil.After(p.Now) {
			p.row("ignored", "until "+p.Clock(*d.IgnoredUntil)+by(d.IgnoredBy))
		}
	}
	p.gap()
	p.line("Take the host's value:  " + p.command("cli drift adopt FIELD"))
	p.line("Leave it for a while:   " + p.command("cli drift ignore FIELD --until 24h"))
	p.line("Put it back now:        " + p.command("cli apply"))
	return p.String()
}

func (p *page) seenBy(d reconcilers.Drift) string {
	if d.By == "" {
		return p.Age(d.Seen) + p.paint(dim, " (the host cannot tell who)")
	}
	return p.Age(d.Seen) + by(d.By)
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return ", by " + Clean(who)
}
