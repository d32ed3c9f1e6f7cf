package api_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/api"
	"corehost/config/home"
	"corehost/desired"
	"corehost/reconcilers/journal"
)

var errDone = errors.New("seen")

// problemOf is the problem an error must be.
func problemOf(t *testing.T, err error) *api.Problem {
	t.Helper()
	var p *api.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a problem", err)
	}
	return p
}

func TestSetModelReachesConfig(t *testing.T) {
	in := install(t)
	got, err := in.client.SetModel(t.Context(), api.SetModel{Provider: "anthropic"})
	if err != nil {
		t.Fatal(err)
	}
	if !got.RestartRequired || !got.Converged || got.Provider != "anthropic" || got.Model == "" || got.Revision < 2 {
		t.Errorf("got %+v", got)
	}
	text := in.read(home.DesiredFile)
	if !strings.Contains(text, "provider: anthropic   # at home") || !strings.HasPrefix(text, "# what this host should be") {
		t.Errorf("desired.yaml lost something:\n%s", text)
	}
	config := in.read(home.PlatformFile)
	if !strings.Contains(config, "provider: anthropic") || !strings.Contains(config, "logging: {level: info} # keep") {
		t.Errorf("config.yaml did not follow:\n%s", config)
	}
	if bak := in.read(home.PlatformFile + ".bak"); bak != firstConfig {
		t.Errorf("config.yaml.bak is not what was there before:\n%s", bak)
	}
	info, err := in.client.ModelInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Provider != "anthropic" || info.Model != got.Model || !info.RestartRequired || info.Source["provider"] != "desired" {
		t.Errorf("model info does not tell: %+v", info)
	}
	if len(info.Running.Units) != 2 || info.Running.Units[1].Unit != "core-dashboard" || !info.Running.Units[1].Running || info.Running.Units[1].Provider != "ollama" {
		t.Errorf("the daemon runs what it started with: %+v", info.Running.Units)
	}
}

func TestSetModelRefusesAndWritesNothing(t *testing.T) {
	in := install(t)
	tests := map[string]struct {
		body   api.SetModel
		status int
		code   string
		says   string
	}{
		"a typo":             {api.SetModel{Provider: "antropic"}, 422, "unknown_provider", `Did you mean "anthropic"`},
		"no provider":        {api.SetModel{}, 422, "unknown_provider", "Say which provider"},
		"no key":             {api.SetModel{Provider: "openai"}, 409, "key_missing", "OPENAI_API_KEY"},
		"no default model":   {api.SetModel{Provider: "ollama"}, 422, "no_default_model", "a model must be named"},
		"a name of two rows": {api.SetModel{Provider: "anthropic", Model: "a\nb"}, 422, "invalid_model", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := in.client.SetModel(t.Context(), tt.body)
			p := problemOf(t, err)
			if p.Status != tt.status || p.Code != tt.code || !strings.Contains(p.Detail, tt.says) {
				t.Errorf("got %+v", p)
			}
			if got := in.read(home.DesiredFile); got != firstDesired {
				t.Errorf("desired.yaml was written:\n%s", got)
			}
		})
	}
}

func TestUnlistedModelIsAWarning(t *testing.T) {
	in := install(t)
	got, err := in.client.SetModel(t.Context(), api.SetModel{Provider: "anthropic", Model: "claude-of-next-year"})
	if err != nil || got.Warning != api.WarnUnknownModel || !got.Converged {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSetEffort(t *testing.T) {
	in := install(t)
	for _, effort := range []string{"HIGH", "medium", "Low"} {
		got, err := in.client.SetEffort(t.Context(), api.SetEffort{Effort: effort})
		if err != nil || !got.Converged || got.Effort != strings.ToLower(effort) || !strings.Contains(in.read(home.PlatformFile), "reasoning_effort: "+strings.ToLower(effort)) {
			t.Errorf("%s: got %+v, %v\n%s", effort, got, err, in.read(home.PlatformFile))
		}
	}
	got, err := in.client.SetEffort(t.Context(), api.SetEffort{Effort: "OFF"})
	if err != nil || !got.Converged || strings.Contains(in.read(home.PlatformFile), "reasoning_effort") {
		t.Errorf("off removes the key: %+v, %v\n%s", got, err, in.read(home.PlatformFile))
	}
	_, err = in.client.SetEffort(t.Context(), api.SetEffort{Effort: "extreme"})
	if p := problemOf(t, err); p.Status != 422 || p.Code != "invalid_effort" {
		t.Errorf("got %+v", p)
	}
}

func TestBrokenDocumentKeepsTheRestWorking(t *testing.T) {
	in := install(t)
	write(t, filepath.Join(in.home, home.DesiredFile), "apiVersion: core.dev/v1alpha1\nkind: Host\nspec:\n  modle: {}\n")
	status := in.await("the verdict to say so", func(s api.Status) bool { return has(s.Verdict, "desired_invalid") })
	if status.Revision != 1 {
		t.Errorf("revision %d is in force, want the last good one", status.Revision)
	}
	_, err := in.client.SetEffort(t.Context(), api.SetEffort{Effort: "low"})
	p := problemOf(t, err)
	if p.Status != 409 || p.Code != "desired_invalid" || len(p.Errors) == 0 || p.Errors[0].Location != "desired.yaml:4:3" || !strings.Contains(p.Errors[0].Message, "model") {
		t.Errorf("got %+v", p)
	}
	text, etag, err := in.client.Desired(t.Context())
	if err != nil || string(text) != firstDesired {
		t.Fatalf("the last good document is served: %v\n%s", err, text)
	}
	if _, err := in.client.PutDesired(t.Context(), text, etag); problemOf(t, err).Status != 412 {
		t.Errorf("the file on disk is another: %v", err)
	}
	if got, err := in.client.PutDesired(t.Context(), text, "*"); err != nil || !got.Converged {
		t.Errorf("the way back: %+v, %v", got, err)
	}
	in.await("the verdict to be well again", func(s api.Status) bool { return !has(s.Verdict, "desired_invalid") })
}

func has(v api.Verdict, code string) bool {
	for _, item := range v.Items {
		if item.Code == code {
			return true
		}
	}
	return false
}

func TestBrokenConfigIsLeftAlone(t *testing.T) {
	in := install(t)
	const broken = "model:\n\tprovider: x\n"
	write(t, filepath.Join(in.home, home.PlatformFile), broken)
	in.await("the model to be stalled", func(s api.Status) bool { return has(s.Verdict, "stalled") })
	got, err := in.client.SetModel(t.Context(), api.SetModel{Provider: "anthropic"})
	if err != nil || got.Converged {
		t.Errorf("the wish is kept, the host does not follow: %+v, %v", got, err)
	}
	if now := in.read(home.PlatformFile); now != broken {
		t.Errorf("config.yaml was touched:\n%s", now)
	}
	if info, err := in.client.ModelInfo(t.Context()); err != nil || info.Source == nil {
		t.Errorf("model info goes on: %+v, %v", info, err)
	}
}

func TestDocumentConditions(t *testing.T) {
	in := install(t)
	text, etag, err := in.client.Desired(t.Context())
	if err != nil || string(text) != firstDesired || !strings.HasPrefix(etag, `"`) {
		t.Fatalf("got %q %v\n%s", etag, err, text)
	}
	changed := strings.Replace(firstDesired, "m-0", "m-1", 1)
	result, err := in.client.PutDesired(t.Context(), []byte(changed), etag)
	if err != nil || !result.Converged || len(result.Diff) != 1 || result.Diff[0] != (desired.FieldChange{Field: "model.default", From: "m-0", To: "m-1"}) {
		t.Fatalf("got %+v, %v", result, err)
	}
	if _, err := in.client.PutDesired(t.Context(), []byte(firstDesired), etag); problemOf(t, err).Code != "stale" {
		t.Errorf("a stale tag: %v", err)
	}
	if got := in.read(home.DesiredFile); got != changed {
		t.Errorf("a refused write wrote:\n%s", got)
	}
	p := problemOf(t, func() error {
		_, err := in.client.PutDesired(t.Context(), []byte("kind: Hots\n"), "")
		return err
	}())
	if p.Status != 422 || p.Code != "desired_invalid" || len(p.Errors) == 0 {
		t.Errorf("got %+v", p)
	}
	back, err := in.client.Rollback(t.Context(), 1, "")
	if err != nil || !back.Converged || in.read(home.DesiredFile) != firstDesired {
		t.Errorf("rollback: %+v, %v", back, err)
	}
	list, err := in.client.Revisions(t.Context(), 0, 10)
	if err != nil || len(list.Revisions) != 3 || !list.Revisions[0].InForce || list.Revisions[1].Author != api.ActorLoopback {
		t.Errorf("got %+v, %v", list, err)
	}
	one, err := in.client.Revision(t.Context(), 2)
	if err != nil || !strings.Contains(one.Unified, "-    default: m-0") || !strings.Contains(one.Unified, "+    default: m-1") || one.Text != changed {
		t.Errorf("got %+v, %v", one, err)
	}
	if _, err := in.client.Revision(t.Context(), 99); problemOf(t, err).Status != 404 {
		t.Errorf("got %v", err)
	}
}

func TestDocumentAsJSON(t *testing.T) {
	in := install(t)
	got := in.ask(http.MethodGet, "/api/desired", "", "Accept", "application/json")
	if got.status != 200 || got.header.Get("Content-Type") != "application/json" || !strings.Contains(got.body, `"provider":"ollama"`) {
		t.Fatalf("got %+v", got)
	}
	put := in.ask(http.MethodPut, "/api/desired", strings.Replace(got.body, "m-0", "m-2", 1), "Content-Type", "application/json", "If-Match", got.header.Get("ETag"))
	if put.status != 200 {
		t.Fatalf("got %+v", put)
	}
	if text := in.read(home.DesiredFile); text != strings.Replace(firstDesired, "m-0", "m-2", 1) {
		t.Errorf("JSON changes only what differs:\n%s", text)
	}
	if again := in.ask(http.MethodPut, "/api/desired", got.body, "Content-Type", "application/json", "If-Match", got.header.Get("ETag")); again.status != 412 {
		t.Errorf("a stale tag: %+v", again)
	}
	for _, tag := range []string{`""`, `W/""`, `"`, `"x", "y"`} {
		if none := in.ask(http.MethodPut, "/api/desired", firstDesired, "Content-Type", "application/yaml", "If-Match", tag); none.status != 412 {
			t.Errorf("If-Match %s names nothing that is there: %+v", tag, none)
		}
	}
	if bad := in.ask(http.MethodPut, "/api/desired", "a: b", "Content-Type", "image/png"); bad.status != 415 {
		t.Errorf("got %+v", bad)
	}
}

func TestSuspendHoldsAndResumes(t *testing.T) {
	in := install(t)
	until := time.Now().Add(time.Hour)
	if _, err := in.client.SetSuspend(t.Context(), true, "moving disks", &until); err != nil {
		t.Fatal(err)
	}
	in.await("the suspension", func(s api.Status) bool { return has(s.Verdict, "suspended") })
	set, err := in.client.SetModel(t.Context(), api.SetModel{Provider: "anthropic"})
	if err != nil || set.Converged || in.read(home.PlatformFile) != firstConfig {
		t.Errorf("while suspended nothing is changed: %+v, %v", set, err)
	}
	if _, err := in.client.Apply(t.Context(), api.ApplyRequest{}, ""); problemOf(t, err).Code != "suspended" {
		t.Errorf("got %v", err)
	}
	plan, err := in.client.Plan(t.Context())
	if err != nil || len(plan.Changes) == 0 || plan.Changes[0].Held == "" {
		t.Errorf("a plan is made and held: %+v, %v", plan, err)
	}
	if _, err := in.client.SetSuspend(t.Context(), false, "", nil); err != nil {
		t.Fatal(err)
	}
	in.await("the host to follow", func(s api.Status) bool {
		return s.Converged && strings.Contains(in.read(home.PlatformFile), "anthropic")
	})
	if text := in.read(home.DesiredFile); strings.Contains(text, "moving disks") {
		t.Errorf("the reason stays after the end:\n%s", text)
	}
}

func TestTryThenConfirmAndRevert(t *testing.T) {
	in := install(t)
	changed := strings.Replace(firstDesired, "m-0", "m-1", 1)
	got, err := in.client.Apply(t.Context(), api.ApplyRequest{Document: changed, Try: "1h"}, "")
	if err != nil || got.Try == nil || !got.Converged {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := in.client.SetEffort(t.Context(), api.SetEffort{Effort: "low"}); problemOf(t, err).Code != "try_running" {
		t.Errorf("got %v", err)
	}
	if _, err := in.client.Revert(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.await("what was there before", func(s api.Status) bool {
		return s.Try == nil && s.Converged && in.read(home.PlatformFile) == firstConfig
	})
	if _, err := in.client.Confirm(t.Context()); problemOf(t, err).Code != "no_try" {
		t.Errorf("got %v", err)
	}
	for _, try := range []string{"soon", "0s", "48h", "-5m"} {
		if _, err := in.client.Apply(t.Context(), api.ApplyRequest{Try: try}, ""); problemOf(t, err).Code != "invalid_try" {
			t.Errorf("%s: got %v", try, err)
		}
	}
}

func TestDryRunAndStalePlan(t *testing.T) {
	in := install(t)
	changed := strings.Replace(firstDesired, "m-0", "m-1", 1)
	got, err := in.client.Apply(t.Context(), api.ApplyRequest{Document: changed, DryRun: true}, "")
	if err != nil || len(got.Applied) != 1 || got.Applied[0].To != "m-1" || len(got.Diff) != 1 || got.Converged {
		t.Errorf("got %+v, %v", got, err)
	}
	if in.read(home.DesiredFile) != firstDesired || in.read(home.PlatformFile) != firstConfig {
		t.Error("a dry run wrote")
	}
	plan := in.ask(http.MethodGet, "/api/plan", "")
	etag := plan.header.Get("ETag")
	if plan.status != 200 || !strings.HasPrefix(etag, `"`) {
		t.Fatalf("got %+v", plan)
	}
	if _, err := in.client.Apply(t.Context(), api.ApplyRequest{}, etag); err != nil {
		t.Errorf("the plan as it is: %v", err)
	}
	if _, err := in.client.SetEffort(t.Context(), api.SetEffort{Effort: "low"}); err != nil {
		t.Fatal(err)
	}
	if _, err := in.client.Apply(t.Context(), api.ApplyRequest{}, etag); problemOf(t, err).Code != "plan_stale" {
		t.Errorf("got %v", err)
	}
	if _, err := in.client.Apply(t.Context(), api.ApplyRequest{}, "*"); err != nil {
		t.Errorf("any plan: %v", err)
	}
	if got := in.ask(http.MethodPost, "/api/apply", ""); got.status != 200 {
		t.Errorf("without a body it is what is pending: %+v", got)
	}
}

func TestActorIsRecorded(t *testing.T) {
	in := install(t)
	ctx := api.WithActor(context.Background(), "cli:1000")
	if _, err := in.server.SetEffort(ctx, api.SetEffort{Effort: "low"}); err != nil {
		t.Fatal(err)
	}
	list, err := in.client.Revisions(t.Context(), 0, 1)
	if err != nil || list.Revisions[0].Author != "cli:1000" || !list.More {
		t.Errorf("got %+v, %v", list, err)
	}
	page, err := in.client.EventPage(t.Context(), journal.Query{Limit: 100})
	if err != nil || len(page.Events) == 0 {
		t.Fatalf("got %+v, %v", page, err)
	}
}
