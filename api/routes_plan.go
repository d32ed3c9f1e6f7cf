package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"corehost/reconcilers"
)

type applyInput struct {
	IfMatch string `header:"If-Match" doc:"ETag of the plan that is meant; * or absent: whatever it is now"`
	Body    *ApplyRequest
}

type explainInput struct {
	Field string `query:"field" required:"true" minLength:"1" maxLength:"256" doc:"model.provider, model.default, agent.reasoning_effort, units[core-gateway].state …" example:"model.provider"`
}

func (s *Server) routesPlan(api huma.API) {
	read(api, "/api/plan", "get-plan", "operate", "What would be changed now",
		"Empty on a converged host. The ETag names the revision and the observed state the plan was made from.",
		func(ctx context.Context, _ *nothing) (*body[reconcilers.Plan], error) {
			plan, err := s.Plan(ctx)
			if err != nil {
				return nil, err
			}
			return &body[reconcilers.Plan]{ETag: quoted(plan.ETag), Body: plan}, nil
		})
	act(api, http.MethodPost, "/api/apply", "apply", "operate", "Make the changes now and wait",
		"Without a document: what is pending. With one: it becomes the desired state first. try takes everything back by itself unless it is confirmed. dry_run shows the plan and changes nothing.",
		func(ctx context.Context, in *applyInput) (*body[ApplyResult], error) {
			if in.Body == nil {
				in.Body = &ApplyRequest{}
			}
			return reply(s.Apply(ctx, *in.Body, in.IfMatch))
		}, 400, 409, 412, 415, 422, 507)
	act(api, http.MethodPost, "/api/confirm", "confirm", "operate", "Keep the change that is being tried", "",
		func(ctx context.Context, _ *nothing) (*body[reconcilers.Try], error) { return reply(s.Confirm(ctx)) }, 409)
	act(api, http.MethodPost, "/api/revert", "revert", "operate", "Take the change that is being tried back now",
		"What was there before comes back as a new revision.",
		func(ctx context.Context, _ *nothing) (*body[reconcilers.Try], error) { return reply(s.Revert(ctx)) }, 409)
	read(api, "/api/explain", "explain", "operate", "Why a value is what it is",
		"The desired value with its revision and author, the configured and the running values, and what holds it back.",
		func(ctx context.Context, in *explainInput) (*body[reconcilers.Explanation], error) {
			return reply(s.Explain(ctx, in.Field))
		}, 404, 422)
}
