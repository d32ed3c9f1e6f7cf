package api

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"corehost/config/home"
	"corehost/desired"
)

const (
	typeJSON = "application/json"
	typeYAML = "application/yaml"
)

type getDesiredInput struct {
	Accept string `header:"Accept" doc:"application/yaml (the file as it is) or application/json" example:"application/yaml"`
}

type putDesiredInput struct {
	ContentType string `header:"Content-Type" doc:"application/yaml or application/json"`
	IfMatch     string `header:"If-Match" doc:"ETag of the document this one is made from; * or absent: whatever is there"`
	RawBody     []byte `contentType:"application/yaml"`
}

type bytesOutput struct {
	ContentType string `header:"Content-Type"`
	ETag        string `header:"ETag"`
	Vary        string `header:"Vary"`
	Body        []byte
}

type suspendInput struct {
	Body SetSuspend
}

func (s *Server) routesDesired(api huma.API) {
	get := operation(http.MethodGet, "/api/desired", "get-desired", "desired", "The document in force",
		"desired.yaml byte for byte, or as JSON by Accept. While the file on disk is broken this is the last good revision.", nil)
	get.Responses = map[string]*huma.Response{"200": {Description: "The document", Content: documentContent()}}
	huma.Register(api, get, s.getDesired)
	put := operation(http.MethodPut, "/api/desired", "put-desired", "desired", "Replace the document",
		"YAML replaces the file as a whole. JSON changes only the values that differ, so that comments and order stay; where that is not possible it is refused. Broken bytes that are replaced are kept beside the file.",
		[]int{403, 409, 412, 413, 415, 422, 507})
	put.RequestBody = &huma.RequestBody{Required: true, Content: documentContent()}
	put.SkipValidateBody = true
	huma.Register(api, put, s.putDesired)
	act(api, http.MethodPut, "/api/suspend", "put-suspend", "desired", "Suspend or resume",
		"While suspended the host is observed and plans are made, but nothing is changed.",
		func(ctx context.Context, in *suspendInput) (*body[ApplyResult], error) {
			return reply(s.SetSuspend(ctx, in.Body.Active, in.Body.Reason, in.Body.Until))
		}, 400, 409, 415, 422, 507)
}

func documentContent() map[string]*huma.MediaType {
	return map[string]*huma.MediaType{
		typeYAML: {Schema: &huma.Schema{Type: huma.TypeString, Description: "desired.yaml"}, Example: "apiVersion: core.dev/v1alpha1\nkind: Host\nmetadata: {name: this-host}\nspec:\n  model: {provider: anthropic}\n"},
		typeJSON: {Schema: &huma.Schema{Type: huma.TypeObject, Description: "The same as JSON", AdditionalProperties: true}},
	}
}

func (s *Server) getDesired(ctx context.Context, in *getDesiredInput) (*bytesOutput, error) {
	text, etag, err := s.Desired(ctx)
	if err != nil {
		return nil, err
	}
	out := &bytesOutput{ContentType: typeYAML, ETag: etag, Vary: "Accept", Body: text}
	if !prefersJSON(in.Accept) {
		return out, nil
	}
	host, err := desired.Decode(home.DesiredFile, text)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	out.ContentType = typeJSON
	out.Body, err = json.Marshal(struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   map[string]string `json:"metadata,omitempty"`
		Spec       desired.Spec      `json:"spec"`
	}{desired.APIVersion, desired.Kind, named(host.Name), host.Spec})
	return out, err
}

func named(name string) map[string]string {
	if name == "" {
		return nil
	}
	return map[string]string{"name": name}
}

func (s *Server) putDesired(ctx context.Context, in *putDesiredInput) (*body[ApplyResult], error) {
	text := bytes.Clone(in.RawBody)
	kind, _, err := mime.ParseMediaType(in.ContentType)
	if in.ContentType == "" {
		kind, err = typeYAML, nil
	}
	switch {
	case err == nil && (kind == typeJSON || strings.HasSuffix(kind, "+json")):
		return reply(s.PutDesiredJSON(ctx, text, in.IfMatch))
	case err == nil && (kind == typeYAML || kind == "text/yaml" || kind == "application/x-yaml" || kind == "text/x-yaml" || kind == "text/plain"):
		return reply(s.PutDesired(ctx, text, in.IfMatch))
	}
	return nil, NewProblem(http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the document as application/yaml or application/json.")
}

// prefersJSON reads an Accept header: JSON when it is asked for and YAML is
// not. Without a wish it is the file as it is.
func prefersJSON(accept string) bool {
	accept = strings.ToLower(accept)
	json, yaml := strings.Index(accept, "json"), strings.Index(accept, "yaml")
	return json >= 0 && (yaml < 0 || json < yaml)
}
