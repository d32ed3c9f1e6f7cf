package dashboard

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"corehost/api"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Lengths of the lists.
const (
	revisionsShown = 10
	eventsShown    = 25
)

// RevisionsCard is a page of the history of desired.yaml.
type RevisionsCard struct {
	Rows    []RevisionRow
	Older   string // address of the next page; empty: none
	Newest  string // address of the first page; empty: this is it
	Problem string
}

// RevisionRow is one revision in a list.
type RevisionRow struct {
	Number  int64
	At      *Moment
	Who     string
	Note    string
	Diff    []Difference
	More    int
	InForce bool
	First   bool // there is none before it
}

// EventsCard is a page of the journal.
type EventsCard struct {
	Rows          []ChangeRow
	Kinds         []KindOption
	Kind          string
	Older, Newest string
	Problem       string
}

// KindOption is one choice of the filter.
type KindOption struct {
	Value, Label string
	Chosen       bool
}

func (d *Dashboard) revisionsCard(ctx context.Context, query url.Values, now clock) RevisionsCard {
	before := number(query.Get("revisions"))
	list, err := d.src.Revisions(ctx, before, revisionsShown)
	if err != nil {
		return RevisionsCard{Problem: sentence(problemOf(err).Detail)}
	}
	card := RevisionsCard{Rows: revisionRows(list, now)}
	if n := len(list.Revisions); list.More && n > 0 {
		card.Older = address(query, "revisions", strconv.FormatInt(list.Revisions[n-1].Number, 10), "revisions")
	}
	if before > 0 {
		card.Newest = address(query, "revisions", "", "revisions")
	}
	return card
}

func revisionRows(list api.RevisionList, now clock) []RevisionRow {
	rows := make([]RevisionRow, 0, len(list.Revisions))
	for i, r := range list.Revisions {
		row := RevisionRow{Number: r.Number, At: now.moment(r.Time), Who: who(r.Author), Note: r.Note, InForce: r.InForce}
		row.First = i == len(list.Revisions)-1 && !list.More
		row.Diff, row.More = differences(r.Diff)
		rows = append(rows, row)
	}
	return rows
}

func (d *Dashboard) eventsCard(ctx context.Context, query url.Values, now clock) EventsCard {
	before, kind := number(query.Get("events")), query.Get("kind")
	ask := journal.Query{Before: before, Limit: eventsShown}
	card := EventsCard{Kind: kind, Kinds: kindOptions(kind)}
	if kind != "" {
		ask.Kinds = []reconcilers.EventKind{reconcilers.EventKind(kind)}
	}
	page, err := d.src.Events(ctx, ask)
	if err != nil {
		card.Problem = sentence(problemOf(err).Detail)
		return card
	}
	for _, e := range page.Events {
		card.Rows = append(card.Rows, eventRow(e, now))
	}
	if n := len(page.Events); page.More && n > 0 {
		card.Older = address(query, "events", strconv.FormatInt(page.Events[n-1].ID, 10), "events")
	}
	if before > 0 {
		card.Newest = address(query, "events", "", "events")
	}
	return card
}

var eventKinds = []reconcilers.EventKind{
	reconcilers.EventRevised, reconcilers.EventPlanned, reconcilers.EventApplied, reconcilers.EventFailed,
	reconcilers.EventDrifted, reconcilers.EventHealed, reconcilers.EventAdopted, reconcilers.EventIgnored,
	reconcilers.EventObserved, reconcilers.EventRestarted, reconcilers.EventRestored, reconcilers.EventReverted,
	reconcilers.EventTried, reconcilers.EventConfirmed, reconcilers.EventRefused, reconcilers.EventStarted,
}

func kindOptions(chosen string) []KindOption {
	list := []KindOption{{Label: "All kinds", Chosen: chosen == ""}}
	for _, k := range eventKinds {
		list = append(list, KindOption{Value: string(k), Label: string(k), Chosen: chosen == string(k)})
	}
	return list
}

// address is this page with one parameter of the query changed.
func address(query url.Values, name, value, anchor string) string {
	q := url.Values{}
	for key, list := range query {
		if key != name && slices.Contains([]string{"revisions", "events", "kind"}, key) {
			q[key] = list[:1]
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	return strings.TrimSuffix("/activity?"+q.Encode(), "?") + "#" + anchor
}

// number reads a positive number; anything else is 0.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
