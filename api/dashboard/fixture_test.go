package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/desired"
	"corehost/observers/history"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// noon is the moment the fixture stands at.
var noon = time.Date(2026, 11, 21, 10, 25, 30, 0, time.UTC)

// fixture is a host made of values, in the place of a real one.
type fixture struct {
	mu        sync.Mutex
	now       func() time.Time
	stats     api.SystemStats
	status    api.Status
	ages      map[string]time.Time
	samples   []history.Sample
	info      api.ModelInfo
	options   api.ModelOptions
	update    api.UpdateStatus
	plan      reconcilers.Plan
	explain   map[string]reconcilers.Explanation
	revisions []api.Revision // newest first
	events    []reconcilers.Event
	refuse    error    // what every change answers with; nil: it is done
	planError error    // what Plan answers with
	done      []string // what was asked for
	watchers  map[chan string]bool
}

func (f *fixture) locked(fn func()) {
	f.mu.Lock()
	fn()
	f.mu.Unlock()
}

// tell sends an event to every open page.
func (f *fixture) tell(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.watchers {
		select {
		case c <- name:
		default:
		}
	}
}

// ServeHTTP is the event stream of the fixture.
func (f *fixture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := make(chan string, 16)
	f.locked(func() { f.watchers[c] = true })
	defer f.locked(func() { delete(f.watchers, c) })
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "event: state\ndata: {}\n\n")
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case name := <-c:
			if name == "hang up" {
				return
			}
			fmt.Fprintf(w, "event: %s\ndata: {}\n\n", name)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func read[T any](f *fixture, get func() T) T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return get()
}

func (f *fixture) Stats(context.Context) api.SystemStats {
	return read(f, func() api.SystemStats {
		s := f.stats
		s.Units = slices.Clone(s.Units)
		return s
	})
}
func (f *fixture) Status(context.Context) api.Status {
	return read(f, func() api.Status {
		s := f.status
		s.Time = f.now().UTC().Format(time.RFC3339)
		return s
	})
}
func (f *fixture) Ages(context.Context) map[string]time.Time {
	return read(f, func() map[string]time.Time { return f.ages })
}
func (f *fixture) History() []history.Sample {
	return read(f, func() []history.Sample { return f.samples })
}
func (f *fixture) ModelInfo(context.Context) api.ModelInfo {
	return read(f, func() api.ModelInfo { return f.info })
}
func (f *fixture) ModelOptions(context.Context) api.ModelOptions {
	return read(f, func() api.ModelOptions { return f.options })
}
func (f *fixture) UpdateStatus(context.Context) api.UpdateStatus {
	return read(f, func() api.UpdateStatus { return f.update })
}
func (f *fixture) Plan(context.Context) (reconcilers.Plan, error) {
	return read(f, func() reconcilers.Plan { return f.plan }), f.planError
}

func (f *fixture) Explain(_ context.Context, field string) (reconcilers.Explanation, error) {
	e, ok := f.explain[field]
	if !ok {
		return e, api.NewProblem(http.StatusNotFound, "unknown_field", fmt.Sprintf("There is no field %q.", field))
	}
	return e, nil
}

func (f *fixture) Desired(context.Context) ([]byte, string, error) { return nil, `"f00d"`, nil }

func (f *fixture) Revisions(_ context.Context, before int64, limit int) (api.RevisionList, error) {
	list := api.RevisionList{}
	for _, r := range read(f, func() []api.Revision { return f.revisions }) {
		switch {
		case before > 0 && r.Number >= before:
		case len(list.Revisions) == limit:
			list.More = true
		default:
			r.Text, r.Unified = "", ""
			list.Revisions = append(list.Revisions, r)
		}
	}
	return list, nil
}

func (f *fixture) Revision(_ context.Context, number int64) (api.Revision, error) {
	for _, r := range read(f, func() []api.Revision { return f.revisions }) {
		if r.Number == number {
			return r, nil
		}
	}
	return api.Revision{}, api.NewProblem(http.StatusNotFound, "unknown_revision", fmt.Sprintf("There is no revision %d.", number))
}

func (f *fixture) Events(_ context.Context, q journal.Query) (api.EventPage, error) {
	page := api.EventPage{}
	for _, e := range read(f, func() []reconcilers.Event { return f.events }) {
		switch {
		case q.Before > 0 && e.ID >= q.Before, len(q.Kinds) > 0 && !slices.Contains(q.Kinds, e.Kind):
		case len(page.Events) == q.Limit:
			page.More = true
		default:
			page.Events = append(page.Events, e)
		}
	}
	return page, nil
}

// ask notes what was asked for, and refuses when the fixture refuses.
func (f *fixture) ask(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = append(f.done, strings.TrimSpace(fmt.Sprintf(format, args...)))
	return f.refuse
}

func (f *fixture) SetModel(_ context.Context, set api.SetModel) (api.ModelSet, error) {
	if err := f.ask("model %s %s", set.Provider, set.Model); err != nil {
		return api.ModelSet{}, err
	}
	f.locked(func() {
		f.info.Configured.Provider, f.info.Configured.Model = set.Provider, set.Model
		f.info.Provider, f.info.Model = set.Provider, set.Model
	})
	return api.ModelSet{RestartRequired: true, Provider: set.Provider, Model: set.Model, Revision: 43, Converged: true}, nil
}

func (f *fixture) SetEffort(_ context.Context, set api.SetEffort) (api.ModelSet, error) {
	if err := f.ask("effort %s", set.Effort); err != nil {
		return api.ModelSet{}, err
	}
	f.locked(func() { f.info.ReasoningEffort = strings.ToLower(set.Effort) })
	return api.ModelSet{RestartRequired: true, Effort: strings.ToLower(set.Effort), Revision: 43, Converged: true}, nil
}

func (f *fixture) Apply(_ context.Context, r api.ApplyRequest, ifMatch string) (api.ApplyResult, error) {
	if r.DryRun {
		return api.ApplyResult{
			Diff:    []desired.FieldChange{{Field: "model.default", From: "claude-opus-4-7", To: "claude-sonnet-4-6"}},
			Applied: []reconcilers.PlannedChange{{Object: "config.yaml", Action: reconcilers.ActionSet, Field: "model.default", From: "claude-opus-4-7", To: "claude-sonnet-4-6", Needs: reconcilers.Needs{Restart: []string{"core-gateway", "core-dashboard"}}}},
		}, nil
	}
	if err := f.ask("apply %s %s", r.Try, ifMatch); err != nil {
		return api.ApplyResult{}, err
	}
	result := api.ApplyResult{Revision: 42, Applied: f.plan.Changes, Converged: true}
	if r.Try != "" {
		length, _ := time.ParseDuration(r.Try)
		result.Try = &reconcilers.Try{ID: 1, Started: f.now(), Deadline: f.now().Add(length), Revision: 42, Base: 41, Actor: api.ActorLoopback}
	}
	f.locked(func() { f.plan.Changes, f.status.Drift, f.status.Try = nil, nil, result.Try })
	return result, nil
}

func (f *fixture) Confirm(context.Context) (reconcilers.Try, error) { return f.endTry("confirm") }
func (f *fixture) Revert(context.Context) (reconcilers.Try, error)  { return f.endTry("revert") }

func (f *fixture) endTry(how string) (reconcilers.Try, error) {
	if err := f.ask("%s", how); err != nil {
		return reconcilers.Try{}, err
	}
	var try reconcilers.Try
	f.locked(func() {
		if f.status.Try != nil {
			try = *f.status.Try
		}
		f.status.Try, f.status.Verdict = nil, api.Verdict{Level: "healthy", Title: "Healthy"}
	})
	return try, nil
}

func (f *fixture) Rollback(_ context.Context, number int64, ifMatch string) (api.ApplyResult, error) {
	return api.ApplyResult{Revision: 43, Converged: true}, f.ask("rollback %d %s", number, ifMatch)
}

func (f *fixture) AdoptDrift(_ context.Context, field string) (api.ApplyResult, error) {
	err := f.ask("adopt %s", field)
	if err == nil {
		f.locked(func() {
			f.status.Drift = slices.DeleteFunc(slices.Clone(f.status.Drift), func(d reconcilers.Drift) bool { return d.Field == field })
		})
	}
	return api.ApplyResult{Revision: 43, Converged: true}, err
}

func (f *fixture) IgnoreDrift(_ context.Context, field string, until time.Time) (api.DriftList, error) {
	return api.DriftList{}, f.ask("ignore %s %s", field, until.Sub(f.now()).Round(time.Hour))
}

func (f *fixture) RestartUnit(_ context.Context, name string) (api.UnitResult, error) {
	if err := f.ask("restart %s", name); err != nil {
		return api.UnitResult{}, err
	}
	f.setUnit(name, "ACTIVE")
	f.locked(func() {
		f.status.Restart = nil
		f.status.Verdict.Items = slices.DeleteFunc(slices.Clone(f.status.Verdict.Items), func(i api.VerdictItem) bool { return i.Target == name })
	})
	return api.UnitResult{Healthy: true, Message: name + " was restarted and has been active for 5 seconds."}, nil
}

func (f *fixture) SetUnit(_ context.Context, name, state string) (api.ApplyResult, error) {
	if err := f.ask("unit %s %s", name, state); err != nil {
		return api.ApplyResult{}, err
	}
	f.setUnit(name, "ACTIVE")
	return api.ApplyResult{Revision: 43, Converged: true, Diff: []desired.FieldChange{{Field: "units[" + name + "].state", To: state}}}, nil
}

func (f *fixture) setUnit(name, state string) {
	f.locked(func() {
		f.stats.Units = slices.Clone(f.stats.Units)
		for i := range f.stats.Units {
			if f.stats.Units[i].Name == name {
				now := f.now()
				f.stats.Units[i].State, f.stats.Units[i].Since, f.stats.Units[i].Reason = state, &now, ""
			}
		}
	})
}

func (f *fixture) SetSuspend(_ context.Context, active bool, reason string, until *time.Time) (api.ApplyResult, error) {
	if err := f.ask("suspend %v %s", active, reason); err != nil {
		return api.ApplyResult{}, err
	}
	f.locked(func() {
		status := metav1.ConditionFalse
		if active {
			status = metav1.ConditionTrue
		}
		f.status.Conditions = setCondition(f.status.Conditions, reconcilers.Suspended, status, "ByHand", reason)
	})
	return api.ApplyResult{Revision: 43, Converged: true}, nil
}

// refusal is what a changed file answers.
var refusal = api.NewProblem(http.StatusUnprocessableEntity, "invalid_model", "This cannot be the name of a model. Nothing was written.", api.ProblemError{Location: "body.model", Message: "expected up to 256 characters of one line"})

// stubborn is a host whose desired.yaml wants a unit running already.
type stubborn struct{ *fixture }

func (stubborn) SetUnit(context.Context, string, string) (api.ApplyResult, error) {
	return api.ApplyResult{Revision: 42}, nil
}
