package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// bodyTime bounds how long a client may take to send its body.
const bodyTime = 30 * time.Second

// body is an answer as JSON, with the entity tag it may carry.
type body[T any] struct {
	ETag string `header:"ETag" doc:"Identity of what was answered, for If-Match"`
	Body T
}

// nothing is a request without parameters.
type nothing struct{}

// routes registers every address, and the description of them all.
func (s *Server) routes(mux *http.ServeMux) {
	api := humago.New(mux, humaConfig(s.Version))
	s.routesSystem(mux, api)
	s.routesModel(api)
	s.routesDesired(api)
	s.routesPlan(api)
	s.routesRevision(api)
	s.routesDrift(api)
	s.routesUnit(api)
	s.routesEvent(api)
	s.routesHealth(mux, api)
	finish(api.OpenAPI())
	serveDescription(mux, api.OpenAPI())
}

// read registers an answer that changes nothing.
func read[I, O any](api huma.API, path, id, tag, summary, description string, handler func(context.Context, *I) (*O, error), errors ...int) {
	huma.Register(api, operation(http.MethodGet, path, id, tag, summary, description, errors), handler)
}

// act registers a change.
func act[I, O any](api huma.API, method, path, id, tag, summary, description string, handler func(context.Context, *I) (*O, error), errors ...int) {
	huma.Register(api, operation(method, path, id, tag, summary, description, append(errors, http.StatusForbidden, http.StatusRequestEntityTooLarge)), handler)
}

func operation(method, path, id, tag, summary, description string, errors []int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Tags: []string{tag},
		Errors: errors, MaxBodyBytes: MaxBody + 1, BodyReadTimeout: bodyTime,
	}
}

// answer wraps a value that cannot fail.
func answer[T any](get func(context.Context) T) func(context.Context, *nothing) (*body[T], error) {
	return func(ctx context.Context, _ *nothing) (*body[T], error) {
		return &body[T]{Body: get(ctx)}, nil
	}
}

// reply wraps a value or its problem.
func reply[T any](value T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{Body: value}, nil
}
