package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

type eventsInput struct {
	Accept  string   `header:"Accept" doc:"text/event-stream: a stream; otherwise a page"`
	LastID  string   `header:"Last-Event-ID" doc:"Id of the last event that was seen: the stream goes on after it"`
	Before  int64    `query:"before" minimum:"0" doc:"Only events with a smaller id"`
	After   int64    `query:"after" minimum:"0" doc:"Only events with a larger id"`
	Limit   int      `query:"limit" minimum:"0" maximum:"200" doc:"At most this many; 0: 50"`
	Kind    []string `query:"kind" maxItems:"20" doc:"Only these kinds" example:"[\"Applied\",\"Healed\"]"`
	Object  string   `query:"object" maxLength:"256" doc:"Only events of this object" example:"config.yaml"`
	Oldest  bool     `query:"oldest" doc:"Oldest first"`
	FromURL string   `query:"last_event_id" doc:"The same as Last-Event-ID, for clients that cannot set headers"`
}

type eventsOutput struct {
	Body func(huma.Context)
}

func (s *Server) routesEvent(api huma.API) {
	get := operation(http.MethodGet, "/api/events", "list-events", "events", "What happened",
		"A page as JSON, newest first; or with Accept: text/event-stream a stream: first one message `state` with status and stats, then `event` for each event and `status` and `stats` when they change. Last-Event-ID resumes: what was missed is replayed, oldest first; beyond 1000 events state.missed is true instead.",
		[]int{422, 503})
	get.Responses = map[string]*huma.Response{"200": {Description: "A page, or a stream", Content: map[string]*huma.MediaType{
		typeJSON:            {Schema: schemaOf[EventPage](api)},
		"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString, Description: "Messages state, event, status and stats; data is JSON"}},
	}}}
	_ = schemaOf[State](api)
	huma.Register(api, get, s.getEvents)
}

func (s *Server) getEvents(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	if strings.Contains(in.Accept, "text/event-stream") {
		lastID := first(in.LastID, in.FromURL)
		return &eventsOutput{Body: func(hctx huma.Context) {
			r, w := humago.Unwrap(hctx)
			s.serveEvents(w, r, lastID)
		}}, nil
	}
	page, err := s.Events(ctx, in.query())
	if err != nil {
		return nil, err
	}
	return &eventsOutput{Body: func(hctx huma.Context) {
		hctx.SetHeader("Content-Type", typeJSON)
		_, _ = hctx.BodyWriter().Write(encode(page))
	}}, nil
}

func (in *eventsInput) query() journal.Query {
	q := journal.Query{Before: in.Before, After: in.After, Limit: in.Limit, Object: in.Object, Oldest: in.Oldest}
	for _, kind := range in.Kind {
		q.Kinds = append(q.Kinds, reconcilers.EventKind(kind))
	}
	return q
}
