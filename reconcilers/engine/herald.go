package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers"
)

const (
	// factAnnounced is the newest revision the journal tells of.
	factAnnounced = "announced_revision"
	// announceMost bounds how many missed revisions are told one by one.
	announceMost = 50
	// fieldsNamed is how many changed fields a message names.
	fieldsNamed = 3
	// rollbackNote is how the store notes a rollback that names its author.
	rollbackNote = "rollback to revision "
)

// herald tells each revision and each refused document once.
type herald struct {
	store *store.Store

	mu        sync.Mutex
	announced int64
	text      *desired.Host // of the announced revision; nil: not known
	refused   string
}

func newHerald(ctx context.Context, s *store.Store, r records) (*herald, error) {
	value, err := r.fact(ctx, factAnnounced)
	if err != nil {
		return nil, err
	}
	announced, _ := strconv.ParseInt(value, 10, 64)
	return &herald{store: s, announced: announced}, nil
}

// news is what has not been told yet about the document.
func (h *herald) news(ctx context.Context) (events []reconcilers.Event, writes []statement) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := h.store.Current()
	for number := max(h.announced+1, state.Revision.Number-announceMost); number < state.Revision.Number; number++ {
		if r, err := h.store.Get(ctx, number); err == nil {
			host, _ := store.Check(r.Text)
			events = append(events, h.revised(r, host))
		}
	}
	if state.Revision.Number > h.announced {
		events = append(events, h.revised(state.Revision, state.Host))
		h.announced = state.Revision.Number
		writes = append(writes, saveFact(factAnnounced, strconv.FormatInt(h.announced, 10)))
	}
	return append(events, h.refusal(state)...), writes
}

func (h *herald) revised(r store.Revision, host *desired.Host) reconcilers.Event {
	kind := reconcilers.EventRevised
	if r.Author == reconcilers.ActorRollback || strings.HasPrefix(r.Note, rollbackNote) {
		kind = reconcilers.EventRestored
	}
	message := fmt.Sprintf("revision %d", r.Number)
	if h.text != nil && host != nil {
		message += ": " + summary(desired.Diff(h.text, host))
	}
	if r.Note != "" {
		message += " (" + r.Note + ")"
	}
	h.text = host
	return reconcilers.Event{
		Time: r.Time, Kind: kind, Object: "desired.yaml", Actor: r.Author, Revision: r.Number, Message: message,
	}
}

// refusal tells when the document became unusable, and when it is mended.
func (h *herald) refusal(state store.State) []reconcilers.Event {
	message := ""
	switch {
	case state.Invalid != nil:
		message = state.Invalid.Error()
	case state.Problem != nil:
		message = state.Problem.Error()
	}
	if message == h.refused {
		return nil
	}
	h.refused = message
	e := reconcilers.Event{
		Time: state.Since, Kind: reconcilers.EventRefused, Object: "desired.yaml",
		Actor: reconcilers.ActorFile, Revision: state.Revision.Number,
		Message: fmt.Sprintf("%s; revision %d stays in force", message, state.Revision.Number),
	}
	if message == "" {
		e.Time, e.Kind, e.Message = time.Time{}, reconcilers.EventObserved, "desired.yaml is valid again"
	}
	return []reconcilers.Event{e}
}

// summary names the first changed fields and counts the rest.
func summary(diff []desired.FieldChange) string {
	if len(diff) == 0 {
		return "the same values"
	}
	var parts []string
	for _, d := range diff[:min(len(diff), fieldsNamed)] {
		parts = append(parts, fmt.Sprintf("%s %s → %s", d.Field, orNothing(d.From), orNothing(d.To)))
	}
	text := strings.Join(parts, ", ")
	if n := len(diff) - fieldsNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
