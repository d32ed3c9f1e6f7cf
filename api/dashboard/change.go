package dashboard

import (
	"context"
	"fmt"
	"strings"

	"corehost/api"
	"corehost/desired"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Difference is one value before and after.
type Difference struct{ Field, From, To string }

// ChangeRow is one line of what happened.
type ChangeRow struct {
	ID       int64
	At       *Moment
	Kind     string
	Tone     string
	Text     string
	Log      string // end of a unit's log that came with it; empty: none
	Diff     []Difference
	More     int // values that changed besides those in Diff
	Who      string
	Revision int64
	Undo     int64 // revision that an undo goes back to; 0: no undo here
}

// Bounds of the list of latest changes.
const (
	latestShown = 7
	latestRead  = 40
	diffShown   = 4
)

// latest lists what changed last. The newest revision has an undo, which
// shows what it will do before it does it.
func (d *Dashboard) latest(ctx context.Context, now clock) ([]ChangeRow, string) {
	page, err := d.src.Events(ctx, journal.Query{Limit: latestRead})
	if err != nil {
		return nil, sentence(problemOf(err).Detail)
	}
	revisions, err := d.src.Revisions(ctx, 0, latestRead)
	if err != nil {
		return nil, sentence(problemOf(err).Detail)
	}
	return latestRows(page.Events, revisions.Revisions, now), ""
}

func latestRows(events []reconcilers.Event, revisions []api.Revision, now clock) []ChangeRow {
	byNumber := map[int64]int{}
	for i, r := range revisions {
		byNumber[r.Number] = i
	}
	rows := []ChangeRow{}
	for _, e := range events {
		if len(rows) == latestShown || !worthTelling(e, revisions, byNumber) {
			continue
		}
		row := eventRow(e, now)
		if i, ok := byNumber[e.Revision]; ok && isRevision(e.Kind) {
			row.Diff, row.More = differences(revisions[i].Diff)
			if len(row.Diff) > 0 {
				row.Text = ""
			}
			if revisions[i].InForce && i+1 < len(revisions) {
				row.Undo = revisions[i+1].Number
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// isRevision reports whether an event tells of a new revision.
func isRevision(kind reconcilers.EventKind) bool {
	return kind == reconcilers.EventRevised || kind == reconcilers.EventRestored
}

// worthTelling leaves out what another line says already: plans, and what was
// applied because of a revision on the list.
func worthTelling(e reconcilers.Event, revisions []api.Revision, byNumber map[int64]int) bool {
	switch e.Kind {
	case reconcilers.EventPlanned, reconcilers.EventStarted:
		return false
	case reconcilers.EventApplied:
		i, ok := byNumber[e.Revision]
		if !ok {
			return true
		}
		for _, change := range revisions[i].Diff {
			if sameField(change.Field, e.Field) {
				return false
			}
		}
	}
	return true
}

// sameField compares a path of desired.yaml with a field of the host, which
// spell one of them differently.
func sameField(path, field string) bool {
	return path == field || path == "agent.reasoningEffort" && field == "agent.reasoning_effort"
}

func eventRow(e reconcilers.Event, now clock) ChangeRow {
	message, log, _ := strings.Cut(e.Message, "\n")
	row := ChangeRow{
		ID: e.ID, At: now.moment(e.Time), Kind: string(e.Kind), Tone: toneOf(e.Kind),
		Text: sentence(message), Log: log, Who: who(e.Actor), Revision: e.Revision,
	}
	if e.Field == "" || e.From == "" && e.To == "" {
		return row
	}
	switch {
	case bare(e):
		row.Text, row.Diff = "", []Difference{{e.Field, e.From, e.To}}
	case !strings.Contains(e.Message, e.To) || !strings.Contains(e.Message, e.From):
		row.Diff = []Difference{{e.Field, e.From, e.To}}
	}
	return row
}

// bare reports whether a message says no more than the difference does.
func bare(e reconcilers.Event) bool {
	const arrows = 16 // what "field: a → b" and "not set" have besides the values
	return strings.Contains(e.Message, e.Field) && len(e.Message) <= len(e.Field)+len(e.From)+len(e.To)+arrows
}

func toneOf(kind reconcilers.EventKind) string {
	switch kind {
	case reconcilers.EventApplied, reconcilers.EventHealed, reconcilers.EventConfirmed, reconcilers.EventAdopted:
		return "good"
	case reconcilers.EventFailed, reconcilers.EventRefused:
		return "bad"
	case reconcilers.EventDrifted, reconcilers.EventReverted, reconcilers.EventTried:
		return "warn"
	}
	return ""
}

// differences is the first few of a list of changes, and how many follow.
func differences(changes []desired.FieldChange) ([]Difference, int) {
	list := make([]Difference, 0, min(len(changes), diffShown))
	for _, c := range changes[:min(len(changes), diffShown)] {
		list = append(list, Difference{c.Field, c.From, c.To})
	}
	return list, len(changes) - len(list)
}

// allDifferences is every change.
func allDifferences(changes []desired.FieldChange) []Difference {
	list := make([]Difference, 0, len(changes))
	for _, c := range changes {
		list = append(list, Difference{c.Field, c.From, c.To})
	}
	return list
}

// who says in words who acted.
func who(actor string) string {
	kind, name, _ := strings.Cut(actor, ":")
	switch {
	case actor == "":
		return ""
	case actor == reconcilers.ActorFile:
		return "edited in the file"
	case actor == reconcilers.ActorOperator:
		return "by itself"
	case actor == api.ActorLoopback:
		return "from this machine"
	case kind == "api":
		return name + ", dashboard or API"
	case kind == "cli" && name == "0":
		return "root, cli"
	case kind == "cli":
		return fmt.Sprintf("user %s, cli", name)
	}
	return actor
}
