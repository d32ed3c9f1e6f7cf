package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type fieldInput struct {
	Body FieldRequest
}

type ignoreInput struct {
	Body IgnoreRequest
}

func (s *Server) routesDrift(api huma.API) {
	read(api, "/api/drift", "list-drift", "operate", "Managed values that somebody changed by hand", "When it was seen and, where the host can tell, who did it.", answer(s.Drift))
	act(api, http.MethodPost, "/api/drift/adopt", "adopt-drift", "operate", "Take the host's value over", "Writes it into desired.yaml.",
		func(ctx context.Context, in *fieldInput) (*body[ApplyResult], error) {
			return reply(s.AdoptDrift(ctx, in.Body.Field))
		}, 400, 404, 409, 415, 422, 507)
	act(api, http.MethodPost, "/api/drift/ignore", "ignore-drift", "operate", "Leave a drift alone until a time", "Answers with what has drifted now.",
		func(ctx context.Context, in *ignoreInput) (*body[DriftList], error) {
			return reply(s.IgnoreDrift(ctx, in.Body.Field, in.Body.Until))
		}, 400, 404, 409, 415, 422)
}
