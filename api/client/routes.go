package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"corehost/api"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// get asks for a value.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var out T
	return out, c.do(ctx, call{method: http.MethodGet, path: path, out: &out})
}

// send asks for a change.
func send[T any](ctx context.Context, c *Client, method, path string, in any, ifMatch string) (T, error) {
	var out T
	return out, c.do(ctx, call{method: method, path: path, in: in, out: &out, ifMatch: ifMatch})
}

// Stats is GET /api/system/stats.
func (c *Client) Stats(ctx context.Context) (api.SystemStats, error) {
	return get[api.SystemStats](ctx, c, "/api/system/stats")
}

// UpdateStatus is GET /api/update/status.
func (c *Client) UpdateStatus(ctx context.Context) (api.UpdateStatus, error) {
	return get[api.UpdateStatus](ctx, c, "/api/update/status")
}

// Status is GET /api/status.
func (c *Client) Status(ctx context.Context) (api.Status, error) {
	return get[api.Status](ctx, c, "/api/status")
}

// ModelInfo is GET /api/model/info.
func (c *Client) ModelInfo(ctx context.Context) (api.ModelInfo, error) {
	return get[api.ModelInfo](ctx, c, "/api/model/info")
}

// ModelOptions is GET /api/model/options.
func (c *Client) ModelOptions(ctx context.Context) (api.ModelOptions, error) {
	return get[api.ModelOptions](ctx, c, "/api/model/options")
}

// SetModel is PUT /api/model/active.
func (c *Client) SetModel(ctx context.Context, in api.SetModel) (api.ModelSet, error) {
	return send[api.ModelSet](ctx, c, http.MethodPut, "/api/model/active", in, "")
}

// SetEffort is PUT /api/model/reasoning.
func (c *Client) SetEffort(ctx context.Context, in api.SetEffort) (api.ModelSet, error) {
	return send[api.ModelSet](ctx, c, http.MethodPut, "/api/model/reasoning", in, "")
}

// Plan is GET /api/plan.
func (c *Client) Plan(ctx context.Context) (reconcilers.Plan, error) {
	return get[reconcilers.Plan](ctx, c, "/api/plan")
}

// Apply is POST /api/apply; ifMatch is the ETag of a plan, or empty.
func (c *Client) Apply(ctx context.Context, in api.ApplyRequest, ifMatch string) (api.ApplyResult, error) {
	return send[api.ApplyResult](ctx, c, http.MethodPost, "/api/apply", in, ifMatch)
}

// Confirm is POST /api/confirm.
func (c *Client) Confirm(ctx context.Context) (reconcilers.Try, error) {
	return send[reconcilers.Try](ctx, c, http.MethodPost, "/api/confirm", nil, "")
}

// Revert is POST /api/revert.
func (c *Client) Revert(ctx context.Context) (reconcilers.Try, error) {
	return send[reconcilers.Try](ctx, c, http.MethodPost, "/api/revert", nil, "")
}

// Explain is GET /api/explain.
func (c *Client) Explain(ctx context.Context, field string) (reconcilers.Explanation, error) {
	return get[reconcilers.Explanation](ctx, c, "/api/explain?field="+url.QueryEscape(field))
}

// Revisions is GET /api/revisions; before 0 begins with the newest.
func (c *Client) Revisions(ctx context.Context, before int64, limit int) (api.RevisionList, error) {
	q := url.Values{"before": {number(before)}, "limit": {strconv.Itoa(limit)}}
	return get[api.RevisionList](ctx, c, "/api/revisions?"+q.Encode())
}

// Revision is GET /api/revisions/{n}.
func (c *Client) Revision(ctx context.Context, n int64) (api.Revision, error) {
	return get[api.Revision](ctx, c, "/api/revisions/"+number(n))
}

// Rollback is POST /api/revisions/{n}/rollback; ifMatch is the ETag of
// desired.yaml, or empty.
func (c *Client) Rollback(ctx context.Context, n int64, ifMatch string) (api.ApplyResult, error) {
	return send[api.ApplyResult](ctx, c, http.MethodPost, "/api/revisions/"+number(n)+"/rollback", nil, ifMatch)
}

// Desired is GET /api/desired as YAML.
func (c *Client) Desired(ctx context.Context) (text []byte, etag string, err error) {
	answer, err := c.send(ctx, http.MethodGet, "/api/desired", nil, http.Header{"Accept": {"application/yaml"}})
	if err != nil {
		return nil, "", err
	}
	return answer.data, answer.header.Get("ETag"), nil
}

// PutDesired is PUT /api/desired as YAML; ifMatch is the ETag of Desired, or
// empty.
func (c *Client) PutDesired(ctx context.Context, text []byte, ifMatch string) (api.ApplyResult, error) {
	header := http.Header{"Content-Type": {"application/yaml"}}
	if ifMatch != "" {
		header.Set("If-Match", ifMatch)
	}
	answer, err := c.send(ctx, http.MethodPut, "/api/desired", text, header)
	if err != nil {
		return api.ApplyResult{}, err
	}
	return decode[api.ApplyResult](answer.data)
}

// Drift is GET /api/drift.
func (c *Client) Drift(ctx context.Context) (api.DriftList, error) {
	return get[api.DriftList](ctx, c, "/api/drift")
}

// AdoptDrift is POST /api/drift/adopt.
func (c *Client) AdoptDrift(ctx context.Context, field string) (api.ApplyResult, error) {
	return send[api.ApplyResult](ctx, c, http.MethodPost, "/api/drift/adopt", api.FieldRequest{Field: field}, "")
}

// IgnoreDrift is POST /api/drift/ignore.
func (c *Client) IgnoreDrift(ctx context.Context, field string, until time.Time) (api.DriftList, error) {
	return send[api.DriftList](ctx, c, http.MethodPost, "/api/drift/ignore", api.IgnoreRequest{Field: field, Until: until}, "")
}

// Units is GET /api/units.
func (c *Client) Units(ctx context.Context) (api.UnitList, error) {
	return get[api.UnitList](ctx, c, "/api/units")
}

// RestartUnit is POST /api/units/{name}/restart.
func (c *Client) RestartUnit(ctx context.Context, name string) (api.UnitResult, error) {
	return send[api.UnitResult](ctx, c, http.MethodPost, "/api/units/"+url.PathEscape(name)+"/restart", nil, "")
}

// SetUnit is PUT /api/units/{name}; state is running or stopped.
func (c *Client) SetUnit(ctx context.Context, name, state string) (api.ApplyResult, error) {
	return send[api.ApplyResult](ctx, c, http.MethodPut, "/api/units/"+url.PathEscape(name), api.SetUnit{State: state}, "")
}

// SetSuspend is PUT /api/suspend.
func (c *Client) SetSuspend(ctx context.Context, active bool, reason string, until *time.Time) (api.ApplyResult, error) {
	return send[api.ApplyResult](ctx, c, http.MethodPut, "/api/suspend", api.SetSuspend{Active: active, Reason: reason, Until: until}, "")
}

// EventPage is GET /api/events as JSON.
func (c *Client) EventPage(ctx context.Context, q journal.Query) (api.EventPage, error) {
	v := url.Values{"before": {number(q.Before)}, "after": {number(q.After)}, "limit": {strconv.Itoa(q.Limit)}, "oldest": {strconv.FormatBool(q.Oldest)}}
	if q.Object != "" {
		v.Set("object", q.Object)
	}
	for i, kind := range q.Kinds {
		if i > 0 {
			v.Set("kind", v.Get("kind")+","+string(kind))
			continue
		}
		v.Set("kind", string(kind))
	}
	return get[api.EventPage](ctx, c, "/api/events?"+v.Encode())
}

// Healthz is GET /healthz.
func (c *Client) Healthz(ctx context.Context) (api.Health, error) {
	return get[api.Health](ctx, c, "/healthz")
}

// Readyz is GET /readyz.
func (c *Client) Readyz(ctx context.Context) (api.Health, error) {
	return get[api.Health](ctx, c, "/readyz")
}

// Metrics is GET /metrics, in the text exposition format.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	answer, err := c.send(ctx, http.MethodGet, "/metrics", nil, http.Header{})
	return answer.data, err
}

// OpenAPI is GET /openapi.json.
func (c *Client) OpenAPI(ctx context.Context) ([]byte, error) {
	answer, err := c.send(ctx, http.MethodGet, "/openapi.json", nil, http.Header{})
	return answer.data, err
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
