package dashboard

import (
	"context"
	"net/http"
	"strings"

	"corehost/api"
	"corehost/reconcilers"
)

// RevisionView is one revision and what going back to it would do.
type RevisionView struct {
	Row   RevisionRow
	Lines []TextLine // line difference to the one before
	Text  string
	Back  *BackCard // nil: it is in force already
}

// TextLine is a line of a difference.
type TextLine struct{ Tone, Text string } // add, del, hunk, or empty

// BackCard is what a roll back would change.
type BackCard struct {
	Number  int64
	ETag    string // of desired.yaml as it was when this was said
	Diff    []Difference
	Host    []PlanRow
	Restart string
	Problem string // why it cannot be said
	Same    bool   // only the text differs, no value
}

func (d *Dashboard) revisionPage(r *http.Request, now clock, status api.Status, _ Failure) (body, error) {
	n := number(r.PathValue("revision"))
	revision, err := d.src.Revision(r.Context(), n)
	if err != nil {
		return body{}, err
	}
	view := RevisionView{Text: revision.Text, Lines: textLines(revision.Unified)}
	view.Row = RevisionRow{
		Number: n, At: now.moment(revision.Time), Who: who(revision.Author), Note: revision.Note,
		InForce: revision.InForce, Diff: allDifferences(revision.Diff),
	}
	if !revision.InForce {
		view.Back = d.backCard(r.Context(), revision, status)
	}
	return body{template: "revision", title: "Revision " + comma(n), name: "activity", view: view}, nil
}

// backCard asks what going back would do, and for the tag that binds the
// answer to the file it was made from.
func (d *Dashboard) backCard(ctx context.Context, revision api.Revision, status api.Status) *BackCard {
	_, etag, unread := d.src.Desired(ctx)
	dry, err := d.src.Apply(ctx, api.ApplyRequest{Document: revision.Text, DryRun: true}, "")
	card := backCard(revision.Number, dry, status)
	if unread == nil {
		card.ETag = etag
	}
	if err != nil {
		card.Problem = sentence(problemOf(err).Detail)
	}
	return &card
}

func backCard(n int64, dry api.ApplyResult, status api.Status) BackCard {
	plan := planCard(reconcilers.Plan{Changes: dry.Applied}, status)
	return BackCard{Number: n, Diff: allDifferences(dry.Diff), Host: plan.Rows, Restart: plan.Restart, Same: len(dry.Diff) == 0}
}

// textLines splits a unified difference into its lines.
func textLines(unified string) []TextLine {
	var list []TextLine
	for line := range strings.SplitSeq(strings.TrimRight(unified, "\n"), "\n") {
		tone := ""
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "diff "):
			continue
		case strings.HasPrefix(line, "@@"):
			tone = "hunk"
		case strings.HasPrefix(line, "+"):
			tone = "add"
		case strings.HasPrefix(line, "-"):
			tone = "del"
		}
		list = append(list, TextLine{tone, line})
	}
	return list
}

// ExplainView is everything known about one value.
type ExplainView struct {
	Field   string
	Pill    Pill
	Why     string
	Desired *ExplainRow
	Values  []ExplainRow
	NextTry *Moment
	Drift   *DriftRow
	Managed bool
}

// ExplainRow is one place where the value stands.
type ExplainRow struct {
	Where, Value, Note string
	Set                bool
	At                 *Moment
	Revision           int64
}

func (d *Dashboard) explainPage(r *http.Request, now clock, _ api.Status, _ Failure) (body, error) {
	explanation, err := d.src.Explain(r.Context(), r.URL.Query().Get("field"))
	if err != nil {
		return body{}, err
	}
	return body{template: "explain", title: explanation.Field, name: "activity", view: explainView(explanation, now)}, nil
}

func explainView(e reconcilers.Explanation, now clock) ExplainView {
	view := ExplainView{Field: e.Field, Managed: e.Managed, Why: sentence(e.Why), NextTry: now.pointer(e.NextTry), Pill: Pill{Word: "CONVERGED", Tone: "good"}}
	switch {
	case !e.Managed:
		view.Pill = Pill{Word: "NOT MANAGED"}
	case !e.Converged:
		view.Pill = Pill{Word: "NOT CONVERGED", Tone: "warn"}
	}
	if d := e.Desired; d != nil {
		view.Desired = &ExplainRow{Where: "desired.yaml", Value: d.Value, Set: true, At: now.moment(d.At), Revision: d.Revision, Note: who(d.Author)}
	}
	if e.Configured != nil {
		view.Values = append(view.Values, explainRow(*e.Configured, now))
	}
	for _, running := range e.Running {
		view.Values = append(view.Values, explainRow(running, now))
	}
	if e.Drift != nil {
		view.Drift = &driftRows([]reconcilers.Drift{*e.Drift}, now)[0]
	}
	return view
}

func explainRow(v reconcilers.ExplainValue, now clock) ExplainRow {
	return ExplainRow{Where: v.Where, Value: v.Value, Note: v.Note, At: now.moment(v.Seen)}
}
