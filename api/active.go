package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"corehost/config/provider"
	"corehost/config/yamledit"
)

// Warnings of the answers about the model.
const (
	WarnUnknownModel = "unknown_model"          // the catalogue does not list it; it may be newer than the catalogue
	WarnNoDial       = "not_supported_by_model" // the model has no effort to set
)

// maxModelName bounds the name of a model, in bytes.
const maxModelName = 256

// SetModel writes provider and model into desired.yaml and waits for
// config.yaml to follow. Nothing is written unless the provider is known and
// its key at hand.
func (s *Server) SetModel(ctx context.Context, body SetModel) (ModelSet, error) {
	slug, model := strings.TrimSpace(body.Provider), strings.TrimSpace(body.Model)
	r := s.resolve()
	p, err := usableProvider(r, slug)
	if err != nil {
		return ModelSet{}, err
	}
	if model == "" && p.DefaultModel == "" {
		return ModelSet{}, NewProblem(http.StatusUnprocessableEntity, "no_default_model",
			fmt.Sprintf("%s has no default model, so a model must be named. Nothing was written.", p.Name),
			ProblemError{Location: "body.model", Message: "expected the name of a model"})
	}
	if len(model) > maxModelName || strings.ContainsFunc(model, unicode.IsControl) {
		return ModelSet{}, NewProblem(http.StatusUnprocessableEntity, "invalid_model", "This cannot be the name of a model.",
			ProblemError{Location: "body.model", Message: "expected up to 256 characters of one line"})
	}
	written, err := s.edit(ctx, "model "+strings.TrimSpace(slug+" "+model),
		yamledit.Set("spec.model.provider", slug), yamledit.Set("spec.model.default", model))
	if err != nil {
		return ModelSet{}, err
	}
	set := ModelSet{RestartRequired: true, Provider: slug, Model: first(model, p.DefaultModel), Revision: written.Revision, Converged: written.Converged}
	if _, listed := p.Model(model); model != "" && !listed {
		set.Warning = WarnUnknownModel
	}
	return set, nil
}

// usableProvider is the provider of a slug, or the problem with it.
func usableProvider(r resolved, slug string) (provider.Provider, error) {
	p, ok := r.catalogue.Get(slug)
	if !ok {
		return p, unknownProvider(r.catalogue, slug)
	}
	if !p.Usable(r.have.Keys.Value.Has) {
		return p, NewProblem(http.StatusConflict, "key_missing",
			fmt.Sprintf("%s needs a key and there is none. Put %s into the .env file of the home, then try again. Nothing was written.", p.Name, p.KeyEnv()))
	}
	return p, nil
}

func unknownProvider(c *provider.Catalogue, slug string) *Problem {
	if slug == "" {
		return NewProblem(http.StatusUnprocessableEntity, "unknown_provider", "Say which provider. Nothing was written.",
			ProblemError{Location: "body.provider", Message: "expected the slug of a provider"})
	}
	detail := fmt.Sprintf("There is no provider %q.", slug)
	if near := c.Near(slug); near != "" {
		detail += fmt.Sprintf(" Did you mean %q?", near)
	}
	return NewProblem(http.StatusUnprocessableEntity, "unknown_provider", detail+" Nothing was written.",
		ProblemError{Location: "body.provider", Message: "expected one of GET /api/model/options"})
}
