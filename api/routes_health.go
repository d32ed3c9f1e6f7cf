package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) routesHealth(mux *http.ServeMux, api huma.API) {
	read(api, "/healthz", "healthz", "service", "Is the service alive?", "200 as long as it answers at all.", answer(s.health))
	read(api, "/readyz", "readyz", "service", "Is the service ready?",
		"200 once the first readings are taken. A broken document or a sealed vault do not make it unready.",
		func(ctx context.Context, _ *nothing) (*body[Health], error) {
			if p := s.Ready(); p != nil {
				return nil, p
			}
			return reply(s.health(ctx), nil)
		}, 503)
	mux.Handle("GET /metrics", s.metrics())
	described(api, "/metrics", "metrics", "service", "Numbers for Prometheus", "Text exposition format; nothing secret.",
		&huma.Schema{Type: huma.TypeString}, "text/plain")
}

func (s *Server) health(context.Context) Health { return Health{Status: "ok", Version: s.Version} }
