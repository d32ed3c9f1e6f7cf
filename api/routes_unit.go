package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type unitInput struct {
	Name string `path:"name" maxLength:"256" doc:"Name of the unit without .service" example:"core-gateway"`
}

type setUnitInput struct {
	Name string `path:"name" maxLength:"256" doc:"Name of the unit without .service" example:"core-gateway"`
	Body SetUnit
}

func (s *Server) routesUnit(api huma.API) {
	read(api, "/api/units", "list-units", "units", "The service units", "The five of the platform and those named in desired.yaml.", answer(s.Units))
	act(api, http.MethodPost, "/api/units/{name}/restart", "restart-unit", "units", "Restart a unit",
		"Waits until it is seen to be well. When it is not, and a newer revision changed what it reads, the last good revision comes back.",
		func(ctx context.Context, in *unitInput) (*body[UnitResult], error) {
			return reply(s.RestartUnit(ctx, in.Name))
		}, 404, 409)
	act(api, http.MethodPut, "/api/units/{name}", "put-unit", "units", "Say whether a unit should run",
		"Written to desired.yaml; the loops start or stop it and keep it so.",
		func(ctx context.Context, in *setUnitInput) (*body[ApplyResult], error) {
			return reply(s.SetUnit(ctx, in.Name, in.Body.State))
		}, 400, 404, 409, 415, 422, 507)
}
