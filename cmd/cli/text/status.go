package text

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/reconcilers"
)

// labels is the width of the label column of the status: that of the
// contract's line "secrets: …", which all others line up with.
const labels = len("secrets: ")

// Overview is all that `cli status` shows. Stats and Model are nil when they
// could not be had; the rest is shown all the same.
type Overview struct {
	Status api.Status
	Stats  *api.SystemStats
	Model  *api.ModelInfo
	Plan   *reconcilers.Plan // only when no daemon runs: nothing follows by itself
}

// Status is the overview of one host: the verdict with what to do about it,
// then how things stand.
func Status(s Style, o Overview) string {
	p := page{Style: s}
	p.verdict(o.Status)
	p.gap()
	p.desired(o.Status, o.Plan)
	p.loops(o.Status.Reconcilers)
	p.suspended(o.Status.Conditions)
	p.trying(o.Status.Try)
	p.drifted(o.Status.Drift)
	p.waiting(o.Status.Restart)
	p.modelLine(o.Model)
	p.unitLines(o.Stats)
	p.hostLines(o.Stats)
	p.row("home", Clean(o.Status.Home))
	p.journal(o.Status.Conditions)
	if o.Plan != nil {
		p.row("daemon", p.paint(yellow, "not running:")+" the host follows only when "+p.command("cli apply")+" is run")
	}
	p.secrets(o)
	return p.String()
}

// row writes "label:  text", wrapped below itself.
func (p *page) row(label, text string) {
	if text != "" {
		p.prose(p.label(label), text)
	}
}

func (p *page) label(label string) string {
	if label == "" {
		return strings.Repeat(" ", labels)
	}
	return pad(p.paint(dim, label+":"), labels)
}

func (p *page) rows(label string, lines []string) {
	for _, line := range lines {
		p.row(label, line)
		label = ""
	}
}

func (p *page) verdict(status api.Status) {
	mark, t := "●", green
	switch status.Verdict.Level {
	case "attention":
		mark, t = "▲", yellow
	case "broken":
		mark, t = "✖", red
	}
	head := p.paint(t, mark) + " " + p.paint(bold, status.Verdict.Title)
	if status.Hostname != "" {
		head += p.paint(dim, "  "+status.Hostname)
	}
	p.line(head)
	for i, item := range status.Verdict.Items {
		p.gap()
		p.prose(fmt.Sprintf("  %d  ", i+1), p.paint(bold, item.What))
		if item.Why != "" {
			p.prose("     ", Clean(item.Why))
		}
		if item.Command != "" {
			p.line("     " + p.command(item.Command))
		}
	}
}

func (p *page) desired(status api.Status, plan *reconcilers.Plan) {
	text := fmt.Sprintf("revision %d", status.Revision)
	switch {
	case status.Revision == 0:
		text = "no revision yet"
	case plan != nil && len(plan.Changes) > 0:
		text += ", " + p.paint(yellow, Count(len(plan.Changes), "change", "changes")+" pending:") + " " + p.command("cli plan")
	case status.Converged, plan != nil && len(plan.Problems) == 0:
		text += ", " + p.paint(green, "converged")
	default:
		text += ", " + p.paint(yellow, "not converged")
	}
	if status.LastGood != 0 && status.LastGood != status.Revision {
		text += fmt.Sprintf("; last good revision %d", status.LastGood)
	}
	p.row("desired", text)
	if c := meta.FindStatusCondition(status.Conditions, reconcilers.DesiredValid); c != nil && c.Status == metav1.ConditionFalse {
		p.row("", p.paint(red, "desired.yaml is not in force:")+" "+Clean(c.Message))
	}
}

// loops shows the reconcilers that are well in one line, the others with
// what holds them.
func (p *page) loops(list []reconcilers.ReconcilerStatus) {
	var well, lines []string
	for _, r := range list {
		if state, c := standing(r); c != nil {
			lines = append(lines, p.loop(r, state, *c))
			continue
		}
		well = append(well, r.Name)
	}
	if len(well) > 0 {
		lines = slices.Insert(lines, 0, p.paint(green, "ready:")+" "+Clean(strings.Join(well, ", ")))
	}
	p.rows("loops", lines)
}

// standing is the state of a reconciler and its condition; nil when it is ready.
func standing(r reconcilers.ReconcilerStatus) (string, *metav1.Condition) {
	for _, kind := range []string{reconcilers.Stalled, reconcilers.Reconciling} {
		if c := meta.FindStatusCondition(r.Conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
			return strings.ToLower(kind), c
		}
	}
	if c := meta.FindStatusCondition(r.Conditions, reconcilers.Ready); c != nil && c.Status != metav1.ConditionTrue {
		return "not ready", c
	}
	return "", nil
}

func (p *page) loop(r reconcilers.ReconcilerStatus, state string, c metav1.Condition) string {
	t := yellow
	if state == "stalled" {
		t = red
	}
	text := p.paint(t, state+":") + " " + p.paint(bold, r.Name) + ", " + Clean(c.Message)
	if r.NextTry != nil {
		text += p.paint(dim, fmt.Sprintf(" (attempt %d; next %s)", r.Attempts+1, p.In(*r.NextTry)))
	}
	return text
}

func (p *page) suspended(conditions []metav1.Condition) {
	if c := meta.FindStatusCondition(conditions, reconcilers.Suspended); c != nil && c.Status == metav1.ConditionTrue {
		p.row("suspend", p.paint(yellow, "nothing is changed:")+" "+Clean(c.Message)+"; go on with "+p.command("cli resume"))
	}
}

func (p *page) trying(t *reconcilers.Try) {
	if t != nil {
		p.row("try", p.try(*t))
	}
}

func (p *page) drifted(drift []reconcilers.Drift) {
	var lines []string
	for _, d := range drift {
		text := Clean(d.Field) + " is " + p.value(d.Actual) + ", should be " + p.value(d.Desired)
		if d.By != "" {
			text += ", by " + Clean(d.By)
		}
		text += ", seen " + p.Age(d.Seen)
		if d.IgnoredUntil != nil && d.IgnoredUntil.After(p.Now) {
			text += p.paint(dim, " (ignored until "+p.Clock(*d.IgnoredUntil)+")")
		}
		lines = append(lines, text)
	}
	p.rows("drift", lines)
}

func (p *page) waiting(notices []reconcilers.RestartNotice) {
	var lines []string
	for _, n := range notices {
		lines = append(lines, p.paint(yellow, n.Unit)+" still runs "+Clean(n.Field)+" "+p.value(n.Running)+
			", configured "+p.Age(n.Since)+": "+p.value(n.Configured))
	}
	p.rows("restart", lines)
}

func (p *page) modelLine(m *api.ModelInfo) {
	if m == nil {
		return
	}
	if m.Provider == "" && m.Model == "" {
		p.row("model", p.paint(dim, "none configured"))
		return
	}
	text := p.value(m.Provider) + " / " + p.value(m.Model)
	if m.ReasoningEffort != "" {
		text += ", effort " + Clean(m.ReasoningEffort)
	}
	if m.EffectiveContextLength != nil {
		text += ", context " + tokens(*m.EffectiveContextLength)
	}
	p.row("model", text)
}

func (p *page) unitLines(stats *api.SystemStats) {
	if stats == nil || len(stats.Units) == 0 {
		return
	}
	if why := sharedReason(stats.Units); why != "" {
		p.row("units", p.paint(dim, "not known: ")+Clean(why))
		return
	}
	widest := 0
	for _, u := range stats.Units {
		widest = max(widest, visible(u.Name))
	}
	label := p.label("units")
	for _, u := range stats.Units {
		p.prose(label+pad(Clean(u.Name), widest)+"  "+p.unitState(u)+" ", p.unitDetail(u))
		label = p.label("")
	}
}

func (p *page) hostLines(stats *api.SystemStats) {
	if stats == nil {
		return
	}
	var parts []string
	if stats.OS != "" {
		parts = append(parts, Clean(stats.OS))
	}
	if stats.UptimeSeconds != nil {
		parts = append(parts, "up "+Duration(time.Duration(*stats.UptimeSeconds)*time.Second))
	}
	if l := stats.LoadAvg; l != nil {
		parts = append(parts, fmt.Sprintf("load %.2f"+glue+"%.2f"+glue+"%.2f", l.One, l.Five, l.Fifteen))
	}
	if m := stats.Memory; m != nil {
		parts = append(parts, p.share("memory", m.UsedPercent, m.Red))
	}
	if d := stats.Disk; d != nil {
		parts = append(parts, p.share("disk", d.UsedPercent, d.Red))
	}
	p.row("host", strings.Join(parts, ", "))
}

func (p *page) share(name string, percent float64, high bool) string {
	text := fmt.Sprintf("%s %.0f %%", name, percent)
	if high {
		text = p.paint(red, text)
	}
	return strings.ReplaceAll(text, " ", glue)
}

func (p *page) journal(conditions []metav1.Condition) {
	if c := meta.FindStatusCondition(conditions, reconcilers.Journaling); c != nil && c.Status == metav1.ConditionFalse {
		p.row("history", p.paint(yellow, "kept in memory only:")+" "+Clean(c.Message))
	}
}

// secrets is the contract's line when it is known. It is never wrapped:
// people search for it.
func (p *page) secrets(o Overview) {
	switch {
	case o.Status.Secrets != nil:
		line := Clean(*o.Status.Secrets)
		if !strings.HasPrefix(line, "secrets: ") {
			line = "secrets: " + line
		}
		p.line(line)
	case o.Stats != nil && o.Stats.Vault != nil && o.Stats.Vault.Detail != "":
		p.row("vault", Clean(o.Stats.Vault.Detail))
	}
}
