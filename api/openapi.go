package api

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"corehost/reconcilers"
)

// tags group the routes in the description.
var tags = []*huma.Tag{
	{Name: "system", Description: "The host as last observed, from memory."},
	{Name: "model", Description: "The model that drives the agents, and its reasoning effort."},
	{Name: "desired", Description: "What should be: the document, its revisions, suspension."},
	{Name: "operate", Description: "What would be done, doing it now, trying it, and why things are as they are."},
	{Name: "units", Description: "The service units of the platform."},
	{Name: "events", Description: "What happened, as pages and as a stream."},
	{Name: "service", Description: "The service itself: health, metrics, this description."},
}

// about is the text above the routes.
const about = `A declarative operator for one host. A write here is a write to desired.yaml; the loops bring the host to it.

A change returns when the host has followed, or after 2 s with converged: false. Every failure is application/problem+json with a stable code. Times are RFC 3339 in UTC; sizes are MiB and GiB as free -m and df -BG print them.

The service listens on loopback and on a unix socket only, refuses changes from pages of another origin, and takes bodies of up to 25 MB.`

func humaConfig(version string) huma.Config {
	config := huma.DefaultConfig("Corehost", version)
	config.Info.Description = about
	config.Tags = tags
	config.DocsPath, config.SchemasPath, config.OpenAPIPath = "", "", ""
	config.CreateHooks = nil // no $schema links in answers
	config.Transformers = []huma.Transformer{translate}
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	return config
}

// schemaName names the two Status types apart and body[T] by its content.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[reconcilers.Status]() {
		return "EngineStatus"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// finish makes the description say what the answers really are: a pointer to
// a struct may be null, a list never is.
func finish(doc *huma.OpenAPI) {
	registry := doc.Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			nullable(schema, field)
			describe(schema, name, field)
		}
	}
}

func nullable(schema *huma.Schema, field reflect.StructField) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	property := schema.Properties[name]
	if property == nil {
		return
	}
	if property.Type == huma.TypeArray {
		property.Nullable = false
	}
	if field.Type.Kind() == reflect.Pointer && property.Ref != "" && !strings.Contains(options, "omitempty") {
		schema.Properties[name] = &huma.Schema{
			Description: property.Description,
			AnyOf:       []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
		}
	}
}

// describe gives a field of another package the words that its Go comment has.
func describe(schema *huma.Schema, name string, field reflect.StructField) {
	member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	property := schema.Properties[member]
	if property == nil || property.Description != "" {
		return
	}
	for _, key := range []string{name + "." + member, member} {
		if text, ok := descriptions[key]; ok {
			property.Description = text
			return
		}
	}
}

// serveDescription serves GET /openapi.json: made once, the same for all.
func serveDescription(mux *http.ServeMux, doc *huma.OpenAPI) {
	doc.AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: "/openapi.json", OperationID: "get-openapi", Tags: []string{"service"},
		Summary: "This description", Description: "OpenAPI 3.1 description of every address.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The description", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: huma.TypeObject}}},
		}},
	})
	text := encode(doc)
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text)
	})
}

// described documents a route whose bytes do not come from huma.
func described(api huma.API, path, id, tag, summary, description string, schema *huma.Schema, contentType string) {
	api.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: id, Tags: []string{tag}, Summary: summary, Description: description,
		Responses: map[string]*huma.Response{"200": {
			Description: "OK", Content: map[string]*huma.MediaType{contentType: {Schema: schema}},
		}},
	})
}

// schemaOf is the reference to the schema of a type.
func schemaOf[T any](api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}
