package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"corehost/api"
)

// TestEveryFailureIsAProblem asks for what cannot be had.
func TestEveryFailureIsAProblem(t *testing.T) {
	in := install(t)
	js := []string{"Content-Type", "application/json"}
	tests := map[string]struct {
		method, path, body string
		headers            []string
		status             int
		code               string
	}{
		"an unknown address":       {method: "GET", path: "/api/nope", status: 404, code: "not_found"},
		"the bare prefix":          {method: "GET", path: "/api", status: 404, code: "not_found"},
		"a trailing slash":         {method: "GET", path: "/api/plan/", status: 404, code: "not_found"},
		"a wrong method":           {method: "DELETE", path: "/api/plan", status: 405, code: "method_not_allowed"},
		"a wrong method on health": {method: "POST", path: "/healthz", status: 405, code: "method_not_allowed"},
		"half a body":              {method: "PUT", path: "/api/model/active", body: "{", headers: js, status: 400, code: "malformed"},
		"no body":                  {method: "PUT", path: "/api/model/active", headers: js, status: 400, code: "malformed"},
		"a body of another type":   {method: "PUT", path: "/api/model/active", body: "provider=x", headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415, code: "unsupported_media_type"},
		"a wrong type":             {method: "PUT", path: "/api/model/active", body: `{"provider":7}`, headers: js, status: 422, code: "invalid"},
		"an unknown member":        {method: "PUT", path: "/api/model/active", body: `{"provider":"ollama","modle":"x"}`, headers: js, status: 422, code: "invalid"},
		"a number that is none":    {method: "GET", path: "/api/revisions/first", status: 422, code: "invalid"},
		"a page too long":          {method: "GET", path: "/api/events?limit=100000", status: 422, code: "invalid"},
		"no field":                 {method: "GET", path: "/api/explain", status: 422, code: "invalid"},
		"an unknown field":         {method: "GET", path: "/api/explain?field=model.colour", status: 404, code: "unknown_field"},
		"a restart by nobody":      {method: "POST", path: "/api/units/core-gateway/restart", headers: js, status: 409, code: "no_service_manager"},
		"an unknown unit":          {method: "PUT", path: "/api/units/core-nothing", body: `{"state":"running"}`, headers: js, status: 404, code: "unknown_unit"},
		"a foreign host":           {method: "GET", path: "/api/plan", headers: []string{"Host", "evil.example:7710"}, status: 403, code: "foreign_host"},
		"a change cross-origin":    {method: "POST", path: "/api/confirm", headers: []string{"Origin", "http://evil.example"}, status: 403, code: "cross_origin"},
		"a change cross-site":      {method: "PUT", path: "/api/model/active", body: `{"provider":"ollama"}`, headers: append([]string{"Sec-Fetch-Site", "cross-site"}, js...), status: 403, code: "cross_origin"},
		"a null origin":            {method: "POST", path: "/api/apply", body: `{}`, headers: append([]string{"Origin", "null"}, js...), status: 403, code: "cross_origin"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := in.ask(tt.method, tt.path, tt.body, tt.headers...)
			var p api.Problem
			if err := json.Unmarshal([]byte(got.body), &p); err != nil || got.header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("not a problem: %+v, %v", got, err)
			}
			if got.status != tt.status || p.Status != tt.status || p.Code != tt.code || p.Detail == "" || p.Title != http.StatusText(tt.status) || !strings.HasSuffix(p.Type, ":"+p.Code) {
				t.Errorf("got %d %+v, want %d %s", got.status, p, tt.status, tt.code)
			}
			if tt.status == 405 && !strings.Contains(got.header.Get("Allow"), "GET") {
				t.Errorf("no Allow: %v", got.header)
			}
		})
	}
	if in.read("desired.yaml") != firstDesired {
		t.Error("a refused request wrote")
	}
}

// endless is a body of n bytes whose length is not told before.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = '#'
	}
	e.left -= n
	return n, nil
}

func TestBodyCap(t *testing.T) {
	in := install(t)
	for _, path := range []string{"PUT /api/desired", "PUT /api/model/active", "POST /api/confirm", "POST /", "PUT /api/nothing"} {
		method, address, _ := strings.Cut(path, " ")
		for name, body := range map[string]io.Reader{
			"told":     strings.NewReader(strings.Repeat("#", api.MaxBody+1)),
			"not told": &endless{api.MaxBody + 1},
		} {
			got := in.stream(method, address, body, "Content-Type", "application/json")
			if got.status != 413 || got.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s, length %s: got %d %.200s", path, name, got.status, got.body)
			}
		}
	}
	if got := in.stream("PUT", "/api/desired", &endless{api.MaxBody}, "Content-Type", "application/yaml"); got.status == 413 && strings.Contains(got.body, "25 MB") {
		t.Errorf("a body of exactly the cap is not over it: %.200s", got.body)
	}
}

func TestLoopbackNamesAndPages(t *testing.T) {
	in := install(t)
	for _, host := range []string{"localhost", "localhost:7710", "127.0.0.1", "127.8.9.1:80", "[::1]:7710", "LOCALHOST."} {
		if got := in.ask("GET", "/healthz", "", "Host", host); got.status != 200 {
			t.Errorf("%s: got %+v", host, got)
		}
	}
	for _, host := range []string{"localhost.evil.example", "10.0.0.1", "127.0.0.1.evil.example", "0.0.0.0:7710"} {
		if got := in.ask("GET", "/healthz", "", "Host", host); got.status != 403 {
			t.Errorf("%s: got %+v", host, got)
		}
	}
	for _, path := range []string{"/", "/model", "/apis"} {
		if got := in.ask("GET", path, ""); got.body != "page "+path {
			t.Errorf("%s is a page: %+v", path, got)
		}
	}
}

// TestDescription checks that the description is one, and complete.
func TestDescription(t *testing.T) {
	in := install(t)
	data, err := in.client.OpenAPI(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID, Summary string
			Responses            map[string]any
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("got OpenAPI %q", doc.OpenAPI)
	}
	want := []string{
		"GET /api/system/stats", "GET /api/update/status", "GET /api/model/info", "GET /api/model/options", "PUT /api/model/active", "PUT /api/model/reasoning",
		"GET /api/desired", "PUT /api/desired", "PUT /api/suspend", "GET /api/plan", "POST /api/apply", "POST /api/confirm", "POST /api/revert", "GET /api/explain", "GET /api/status",
		"GET /api/revisions", "GET /api/revisions/{number}", "POST /api/revisions/{number}/rollback", "GET /api/events", "GET /api/drift", "POST /api/drift/adopt", "POST /api/drift/ignore",
		"GET /api/units", "POST /api/units/{name}/restart", "PUT /api/units/{name}", "GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.json",
	}
	var got []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
			if op.Summary == "" || op.OperationID == "" || len(op.Responses) == 0 {
				t.Errorf("%s %s is not described: %+v", method, path, op)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for name, schema := range doc.Components.Schemas {
		for member, property := range schema.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
}

// TestLists checks that no list is ever null: scripts loop over them.
func TestLists(t *testing.T) {
	in := install(t)
	for _, path := range []string{"/api/system/stats", "/api/status", "/api/model/options", "/api/model/info", "/api/plan", "/api/drift", "/api/units", "/api/revisions", "/api/events", "/api/explain?field=model.provider"} {
		got := in.ask("GET", path, "")
		var v map[string]any
		if err := json.Unmarshal([]byte(got.body), &v); err != nil || got.status != 200 {
			t.Fatalf("%s: %+v", path, got)
		}
		for _, name := range []string{"units", "warnings", "conditions", "reconcilers", "restart", "drift", "items", "providers", "running", "changes", "revisions", "events"} {
			if value, ok := v[name]; ok && value == nil {
				t.Errorf("%s: %s is null", path, name)
			}
		}
	}
}

func TestHealthAndMetrics(t *testing.T) {
	in := install(t)
	if h, err := in.client.Healthz(t.Context()); err != nil || h.Status != "ok" || h.Version != "1.2.3" {
		t.Errorf("got %+v, %v", h, err)
	}
	if _, err := in.client.Readyz(t.Context()); err != nil {
		t.Error(err)
	}
	_ = in.ask("GET", "/api/nothing/sk-ant-secret", "")
	data, err := in.client.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"corehost_converged ", "corehost_revision ", `corehost_reading_age_seconds{observer="host"}`, `corehost_http_requests_total{method="GET",route="GET /healthz",status="200"} 1`, "controller_runtime_"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(string(data), "sk-ant") {
		t.Error("an address of a request is in the metrics")
	}
}
