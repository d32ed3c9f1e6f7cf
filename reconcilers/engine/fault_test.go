package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// filer keeps files in a folder: each file named in files shall exist. It
// fails the ways a test asks for.
type filer struct {
	dir   string
	files []string

	mu      sync.Mutex
	planErr error
	panics  bool
	errs    map[string]error // Apply's, by file
	applied []string
	during  func(file string) // called in Apply, before the file is written
	never   bool              // Apply pretends
}

func (f *filer) Name() string      { return "filer" }
func (f *filer) Watches() []string { return nil }
func (f *filer) Owns() []string    { return []string{"filer.*"} }

func (f *filer) Plan(*desired.Host, *observers.Snapshot) ([]reconcilers.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("a nil map")
	}
	var out []reconcilers.Change
	for _, name := range f.files {
		if _, err := os.Stat(filepath.Join(f.dir, name)); err != nil {
			out = append(out, reconcilers.Change{
				Action: reconcilers.ActionSet, Object: name,
				Fields: []desired.FieldChange{{Field: "filer." + name, To: "there"}},
			})
		}
	}
	return out, f.planErr
}

func (f *filer) Apply(ctx context.Context, c reconcilers.Change) error {
	f.mu.Lock()
	during, err, never := f.during, f.errs[c.Object], f.never
	f.applied = append(f.applied, c.Object)
	f.mu.Unlock()
	if during != nil {
		during(c.Object)
	}
	if err != nil || never {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.dir, c.Object), nil, 0o600)
}

func (f *filer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *filer) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.applied)
}

func withFiler(t *testing.T, files ...string) (*host, *filer) {
	t.Helper()
	f := &filer{dir: t.TempDir(), files: files, errs: map[string]error{}}
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig, reconcilers: []reconcilers.Reconciler{f}})
	return h, f
}

func TestAPanicStallsOneReconcilerOnly(t *testing.T) {
	h, f := withFiler(t, "a")
	f.panics = true
	h.run()
	s := h.await("the panic", func(s reconcilers.Status) bool {
		return reason(of(s, "filer").Conditions, reconcilers.Stalled) == "Panic"
	})
	if condition(of(s, "filer").Conditions, reconcilers.Stalled) != "True" {
		t.Errorf("status %+v", s)
	}
	h.await("the others", func(s reconcilers.Status) bool {
		return condition(of(s, "model").Conditions, reconcilers.Ready) == "True"
	})
	h.wants("claude-opus-4-1")
	h.awaitEvent(reconcilers.EventFailed, "a nil map")
	f.set(func() { f.panics = false })
	h.write("desired.yaml", wantModel("claude-haiku-4-5"))
	h.await("the end of the panic", func(s reconcilers.Status) bool { return s.Converged && s.Revision == 2 })
}

func TestOneFailureHidesNothing(t *testing.T) {
	for name, arrange := range map[string]func(f *filer){
		"a failed change":      func(f *filer) { f.errs["a"] = errors.New("disk on fire") },
		"a failed plan":        func(f *filer) { f.planErr = errors.New("half of it cannot be seen") },
		"an absent object":     func(f *filer) { f.errs["a"] = reconcilers.ErrAbsent },
		"a panic in one apply": func(f *filer) { f.during = func(file string) { panicOn(file, "a") } },
	} {
		t.Run(name, func(t *testing.T) {
			h, f := withFiler(t, "a", "b", "c")
			arrange(f)
			_ = h.engine.Converge(context.Background())
			for _, file := range []string{"b", "c"} {
				if _, err := os.Stat(filepath.Join(f.dir, file)); err != nil {
					t.Errorf("%s was not made: %v", file, err)
				}
			}
		})
	}
}

func panicOn(file, name string) {
	if file == name {
		panic("no " + name)
	}
}

func TestAbsentIsNoFailure(t *testing.T) {
	h, f := withFiler(t)
	f.planErr = errors.Join(reconcilers.ErrAbsent)
	h.converge()
	s := h.engine.Status()
	if !s.Converged || reason(of(s, "filer").Conditions, reconcilers.Ready) != reasonAbsent {
		t.Errorf("status %+v", s)
	}
}

func TestBlockedWaitsForAPerson(t *testing.T) {
	h, f := withFiler(t)
	f.planErr = &reconcilers.Blocked{Reason: "KeyMissing", Message: "put the key in"}
	h.run()
	s := h.await("stalled", func(s reconcilers.Status) bool {
		return condition(of(s, "filer").Conditions, reconcilers.Stalled) == "True"
	})
	if r := of(s, "filer"); reason(r.Conditions, reconcilers.Stalled) != "KeyMissing" || r.NextTry != nil {
		t.Errorf("status %+v", r)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if h.engine.Wait(ctx, 1) || ctx.Err() != nil {
		t.Error("Wait does not tell that a person is needed")
	}
}

func TestAPermanentFailureIsToldOnceAndPaced(t *testing.T) {
	h, f := withFiler(t, "a")
	f.errs["a"] = errors.New("disk on fire")
	h.run()
	s := h.await("two attempts", func(s reconcilers.Status) bool { return of(s, "filer").Attempts >= 2 })
	if r := of(s, "filer"); r.NextTry == nil || !r.NextTry.After(time.Now().Add(-time.Second)) {
		t.Errorf("status %+v", r)
	}
	for range 20 { // what it watches keeps changing: no reason to try sooner
		for _, w := range h.engine.workers {
			if _, err := w.run(context.Background(), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := f.count(); n > 4 {
		t.Errorf("%d attempts, the backoff was not waited for", n)
	}
	if told := h.events(reconcilers.EventFailed); len(told) != 1 {
		t.Errorf("told %d times:\n%s", len(told), h.told())
	}
	f.set(func() { clear(f.errs) })
	h.write("desired.yaml", wantModel("claude-haiku-4-5")) // a new revision is tried at once
	h.await("success", func(s reconcilers.Status) bool { return s.Converged && s.Revision == 2 && of(s, "filer").Attempts == 0 })
}

func TestAnApplyWithoutEffectIsBounded(t *testing.T) {
	h, f := withFiler(t, "a")
	f.never = true
	_ = h.engine.Converge(context.Background())
	if n := f.count(); n != maxRounds {
		t.Errorf("applied %d times, want %d", n, maxRounds)
	}
	if r := reason(of(h.engine.Status(), "filer").Conditions, reconcilers.Ready); r != reasonUnsettled {
		t.Errorf("reason %s", r)
	}
}

func TestCancellationFallsBetweenChanges(t *testing.T) {
	h, f := withFiler(t, "a", "b", "c")
	ctx, cancel := context.WithCancel(context.Background())
	f.during = func(string) { cancel() }
	wantErr(t, h.engine.Converge(ctx), context.Canceled)
	if got := strings.Join(f.applied, " "); got != "a" {
		t.Errorf("applied %q, want the one in flight and no other", got)
	}
	if _, err := os.Stat(filepath.Join(f.dir, "a")); err != nil {
		t.Errorf("the change in flight was cut: %v", err)
	}
	f.set(func() { f.during = nil })
	h.converge()
	if got := strings.Join(f.applied, " "); got != "a b c" {
		t.Errorf("applied %q, want each once", got)
	}
}

func TestOneChangeAtATime(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	list := []reconcilers.Reconciler{}
	for _, name := range []string{"x", "y", "z"} {
		f := &named{filer: filer{dir: t.TempDir(), files: []string{"1", "2", "3"}, errs: map[string]error{}}, name: name}
		f.during = func(string) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(2 * time.Millisecond) // give a second change the room to be seen
			mu.Lock()
			running--
			mu.Unlock()
		}
		list = append(list, f)
	}
	h := newHost(t, setup{desired: wantModel("claude-opus-4-1"), config: firstConfig, reconcilers: list})
	h.converge()
	if most != 1 {
		t.Errorf("%d changes at a time", most)
	}
}

type named struct {
	filer
	name string
}

func (n *named) Name() string   { return n.name }
func (n *named) Owns() []string { return []string{n.name + ".*"} }

func TestTwoOwnersOfOneValueAreRefused(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		same bool
	}{
		{"equal", "model.provider", "model.provider", true},
		{"wildcard", "unit.*.state", "unit.core-gateway.state", true},
		{"other leaf", "unit.*.state", "unit.*.enabled", false},
		{"other depth", "unit.*", "unit.*.state", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := owners([]reconcilers.Reconciler{owning{"one", tt.a}, owning{"two", tt.b}})
			if (err != nil) != tt.same {
				t.Errorf("error %v", err)
			}
		})
	}
}

type owning struct{ name, pattern string }

func (o owning) Name() string      { return o.name }
func (o owning) Owns() []string    { return []string{o.pattern} }
func (o owning) Watches() []string { return nil }
func (o owning) Plan(*desired.Host, *observers.Snapshot) ([]reconcilers.Change, error) {
	return nil, nil
}
func (o owning) Apply(context.Context, reconcilers.Change) error { return nil }

func TestAChangePlannedFromAnOldRevisionIsNotMade(t *testing.T) {
	h, f := withFiler(t)
	h.converge()
	h.desire(wantModel("claude-haiku-4-5"))
	c := reconcilers.Change{Object: "a", Fields: []desired.FieldChange{{Field: "filer.a", To: "there"}}}
	for _, w := range h.engine.workers {
		if w.reconciler == reconcilers.Reconciler(f) {
			wantErr(t, w.change(context.Background(), c, 1), reconcilers.ErrStale)
		}
	}
	if f.count() != 0 {
		t.Error("it was made")
	}
}
