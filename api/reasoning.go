package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"corehost/config/yamledit"
	"corehost/desired"
)

var efforts = []desired.Effort{desired.EffortOff, desired.EffortLow, desired.EffortMedium, desired.EffortHigh}

// SetEffort writes the reasoning effort into desired.yaml and waits for
// config.yaml to follow. A model without an effort to set takes it with a
// warning: the next model may have one.
func (s *Server) SetEffort(ctx context.Context, body SetEffort) (ModelSet, error) {
	effort := strings.ToLower(strings.TrimSpace(body.Effort))
	if !slices.Contains(efforts, desired.Effort(effort)) {
		return ModelSet{}, NewProblem(http.StatusUnprocessableEntity, "invalid_effort", "The effort can be OFF, LOW, MEDIUM or HIGH. Nothing was written.",
			ProblemError{Location: "body.effort", Message: "expected OFF, LOW, MEDIUM or HIGH"})
	}
	written, err := s.edit(ctx, "reasoning effort "+effort, yamledit.Set("spec.agent.reasoningEffort", effort))
	if err != nil {
		return ModelSet{}, err
	}
	set := ModelSet{RestartRequired: true, Effort: effort, Revision: written.Revision, Converged: written.Converged}
	if effort != string(desired.EffortOff) && !s.hasDial() {
		set.Warning = WarnNoDial
	}
	return set, nil
}

// hasDial reports whether the active model lets its effort be set. A model
// that the catalogue does not know is given the benefit of the doubt.
func (s *Server) hasDial() bool {
	r := s.resolve()
	p, ok := r.catalogue.Get(r.choice.Provider)
	if !ok {
		return true
	}
	m, ok := p.Model(r.choice.Model)
	return !ok || m.Reasoning
}
