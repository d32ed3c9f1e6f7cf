package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"corehost/reconcilers"
	"corehost/reconcilers/engine"
)

// Bounds of a try.
const (
	minTry = time.Second
	maxTry = 24 * time.Hour
)

// Plan lists what would be changed now.
func (s *Server) Plan(ctx context.Context) (reconcilers.Plan, error) {
	plan, err := s.Engine.Plan(ctx)
	if err != nil {
		return reconcilers.Plan{}, s.failure(ctx, err)
	}
	plan.Changes = listed(plan.Changes)
	return plan, nil
}

// Apply makes the pending changes, or those of a document, now. ifMatch is
// the ETag of the plan that is meant, or empty.
func (s *Server) Apply(ctx context.Context, req ApplyRequest, ifMatch string) (ApplyResult, error) {
	if req.DryRun {
		return s.dryRun(ctx, req)
	}
	try, err := tryDuration(req.Try)
	if err != nil {
		return ApplyResult{}, err
	}
	var document []byte // nil: what is pending
	if req.Document != "" {
		document = []byte(req.Document)
	}
	result, err := s.Engine.Apply(ctx, engine.ApplyRequest{
		Document: document, IfMatch: condition(ifMatch), Try: try, Actor: ActorFrom(ctx),
	})
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	return full(ApplyResult{
		Revision: result.Revision, Applied: result.Applied, Problems: result.Problems, Diff: result.Diff,
		Converged: result.Converged, Try: result.Try, Restart: s.Engine.Status().Restart,
	}), nil
}

// dryRun shows what an apply would do. It neither confirms nor ends a try.
func (s *Server) dryRun(ctx context.Context, req ApplyRequest) (ApplyResult, error) {
	if req.Document == "" {
		plan, err := s.Plan(ctx)
		return previewed(plan), err
	}
	plan, diff, err := s.Engine.Preview(ctx, []byte(req.Document))
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	result := previewed(plan)
	result.Diff = listed(diff)
	return result, nil
}

func previewed(plan reconcilers.Plan) ApplyResult {
	return full(ApplyResult{Revision: plan.Revision, Applied: plan.Changes, Problems: plan.Problems, Converged: len(plan.Changes) == 0 && len(plan.Problems) == 0})
}

func tryDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < minTry || d > maxTry {
		return 0, NewProblem(http.StatusUnprocessableEntity, "invalid_try", "A change can be tried for between 1s and 24h, such as 60s or 5m.",
			ProblemError{Location: "body.try", Message: fmt.Sprintf("expected a duration between %s and %s", minTry, maxTry)})
	}
	return d, nil
}

// Confirm keeps the change that is being tried.
func (s *Server) Confirm(ctx context.Context) (reconcilers.Try, error) {
	try, err := s.Engine.Confirm(ctx, ActorFrom(ctx))
	return try, s.failure(ctx, err)
}

// Revert takes the change that is being tried back now.
func (s *Server) Revert(ctx context.Context) (reconcilers.Try, error) {
	try, err := s.Engine.Revert(ctx, ActorFrom(ctx))
	return try, s.failure(ctx, err)
}

// Explain says why a value is what it is.
func (s *Server) Explain(ctx context.Context, field string) (reconcilers.Explanation, error) {
	explanation, err := s.Engine.Explain(ctx, field)
	if err != nil {
		return reconcilers.Explanation{}, s.failure(ctx, err)
	}
	explanation.Running = listed(explanation.Running)
	return explanation, nil
}
