package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is the one form of every failure: application/problem+json
// (RFC 9457) with a code that programs may rely on.
type Problem struct {
	Type   string         `json:"type" doc:"URI of the kind of problem; it ends in the code" example:"urn:corehost:problem:stale"`
	Title  string         `json:"title" doc:"The HTTP status in words" example:"Precondition Failed"`
	Status int            `json:"status" doc:"The HTTP status" example:"412"`
	Detail string         `json:"detail" doc:"What happened and what to do, in a sentence"`
	Code   string         `json:"code" doc:"Stable name of the problem, in snake_case" example:"stale"`
	Errors []ProblemError `json:"errors,omitempty" doc:"Each place that is wrong"`
}

// ProblemError is one place that is wrong.
type ProblemError struct {
	Location string `json:"location" doc:"Where: body.effort, query.field, desired.yaml:3:5" example:"body.effort"`
	Message  string `json:"message" doc:"What is wrong there"`
}

// NewProblem makes a problem of a status, a stable code and a sentence.
func NewProblem(status int, code, detail string, errors ...ProblemError) *Problem {
	return &Problem{
		Type: "urn:corehost:problem:" + code, Title: http.StatusText(status), Status: status,
		Detail: detail, Code: code, Errors: errors,
	}
}

// Error is the sentence.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status; with it huma answers with the problem itself.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of RFC 9457.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// codes names the problems that huma itself finds in a request.
var codes = map[int]string{
	http.StatusBadRequest:            "malformed",
	http.StatusNotAcceptable:         "not_acceptable",
	http.StatusRequestTimeout:        "timeout",
	http.StatusRequestEntityTooLarge: "too_large",
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusUnprocessableEntity:   "invalid",
	http.StatusInternalServerError:   "internal",
}

// details says the same to a person.
var details = map[int]string{
	http.StatusBadRequest:            "The request cannot be read.",
	http.StatusRequestTimeout:        "The request came too slowly and was given up.",
	http.StatusRequestEntityTooLarge: "The request body is larger than 25 MB.",
	http.StatusUnsupportedMediaType:  "The request body has a type that is not understood here. Send application/json.",
	http.StatusUnprocessableEntity:   "The request is understood but has values that are not possible.",
}

// translate turns huma's own error model into a Problem. Values from the
// request are not echoed: they may be secrets.
func translate(_ huma.Context, _ string, body any) (any, error) {
	model, ok := body.(*huma.ErrorModel)
	if !ok {
		return body, nil
	}
	code, ok := codes[model.Status]
	if !ok {
		code = "internal"
	}
	p := NewProblem(model.Status, code, model.Detail)
	if text, ok := details[model.Status]; ok {
		p.Detail = text
	}
	for _, e := range model.Errors {
		if e == nil {
			continue
		}
		p.Errors = append(p.Errors, ProblemError{Location: e.Location, Message: e.Message})
		if model.Status == http.StatusUnsupportedMediaType {
			p.Errors = nil
		}
	}
	return p, nil
}
