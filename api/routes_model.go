package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type setModelInput struct {
	Body SetModel
}

type setEffortInput struct {
	Body SetEffort
}

func (s *Server) routesModel(api huma.API) {
	read(api, "/api/model/info", "get-model-info", "model", "The active model",
		"Resolved from config.yaml as every runtime does, with what each unit still runs and where each value comes from.", answer(s.ModelInfo))
	read(api, "/api/model/options", "get-model-options", "model", "Every known provider",
		"Its models, whether its key is at hand, and whether one can switch to it.", answer(s.ModelOptions))
	act(api, http.MethodPut, "/api/model/active", "put-model-active", "model", "Choose provider and model",
		"Written to desired.yaml, and from there to config.yaml; live once core-gateway and core-dashboard are restarted. A blank model follows the provider's default. A model that the catalogue does not list is taken with the warning unknown_model.",
		func(ctx context.Context, in *setModelInput) (*body[ModelSet], error) {
			return reply(s.SetModel(ctx, in.Body))
		}, 400, 409, 415, 422, 507)
	act(api, http.MethodPut, "/api/model/reasoning", "put-model-reasoning", "model", "Choose the reasoning effort",
		"OFF removes the key from config.yaml. A model without an effort to set takes it with the warning not_supported_by_model.",
		func(ctx context.Context, in *setEffortInput) (*body[ModelSet], error) {
			return reply(s.SetEffort(ctx, in.Body))
		}, 400, 409, 415, 422, 507)
}
