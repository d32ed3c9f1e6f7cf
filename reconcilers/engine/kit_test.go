package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/platform"
	"corehost/desired/store"
	"corehost/observers"
	"corehost/observers/hub"
	platformobserver "corehost/observers/platform"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
	"corehost/reconcilers/model"
	"corehost/reconcilers/reasoning"
)

const firstConfig = `# the platform's own file
model:
  provider: anthropic   # chosen by hand
  default: claude-sonnet-4-5
  extra: kept
agent:
  name: core
`

const header = "apiVersion: core.dev/v1alpha1\nkind: Host\nmetadata:\n  name: test\n"

// document is desired.yaml with a spec.
func document(spec string) string { return header + "spec:\n" + spec }

func wantModel(name string) string {
	return document("  model:\n    provider: anthropic\n    default: " + name + "\n")
}

// host is one home with everything an engine needs, over real files and a
// real database.
type host struct {
	t       testing.TB
	dir     string
	door    *home.Door
	db      *operatordb.DB
	store   *store.Store
	hub     *hub.Hub
	file    *platform.File
	journal *journal.Journal
	units   *machine
	engine  *Engine
}

type setup struct {
	dir         string // empty: a new one
	desired     string
	config      string
	reconcilers []reconcilers.Reconciler // beside model and reasoning
	clock       *clock
	self        string
	units       *machine
	settle      time.Duration
}

// newHost opens a home as a process would after a start.
func newHost(t testing.TB, s setup) *host {
	t.Helper()
	h := &host{t: t, dir: s.dir, units: s.units}
	if h.dir == "" {
		h.dir = t.TempDir()
		h.write(home.DesiredFile, s.desired)
		if s.config != "" {
			h.write(home.PlatformFile, s.config)
		}
	}
	if h.units == nil {
		h.units = newMachine()
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	ctx, now := context.Background(), time.Now
	if s.clock != nil {
		now = s.clock.now
	}
	var err error
	h.door, err = home.Open(h.dir)
	must(err)
	h.db, err = operatordb.Open(ctx, filepath.Join(h.dir, home.OperatorFile))
	must(err)
	h.store, err = store.Open(ctx, store.Config{Door: h.door, DB: h.db, Now: now})
	must(err)
	h.file = platform.NewFile(h.door)
	h.hub = hub.New(now)
	hub.Register(h.hub, platformobserver.New(platformobserver.Config{Door: h.door, File: h.file}),
		func(s *observers.Snapshot) *observers.Reading[observers.Platform] { return &s.Platform })
	hub.Register(h.hub, keys{}, func(s *observers.Snapshot) *observers.Reading[observers.Keys] { return &s.Keys })
	hub.Register(h.hub, h.units, func(s *observers.Snapshot) *observers.Reading[observers.Units] { return &s.Units })
	h.journal, err = journal.Open(ctx, h.db, now)
	must(err)
	settle := s.settle
	if settle == 0 {
		settle = 40 * time.Millisecond
	}
	h.engine, err = newEngine(ctx, Config{
		Store: h.store, Hub: h.hub, Journal: h.journal, DB: h.db, Platform: h.file, Units: h.units,
		Reconcilers: append([]reconcilers.Reconciler{model.New(h.file), reasoning.New(h.file)}, s.reconcilers...),
		Readers:     []string{"core-gateway", "core-dashboard"}, Self: s.self, Now: now, Settle: settle,
	}, s.clock)
	must(err)
	t.Cleanup(h.close)
	return h
}

// close ends the process's hold on the home.
func (h *host) close() {
	h.hub.Close()
	_ = h.db.Close()
	_ = h.door.Close()
}

// run starts all loops as the daemon does, and stops them with the test.
func (h *host) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { _ = h.hub.Run(ctx) })
	group.Go(func() { _ = h.store.Run(ctx) })
	group.Go(func() {
		if err := h.engine.Run(ctx); err != nil {
			h.t.Errorf("run: %v", err)
		}
	})
	h.t.Cleanup(func() { cancel(); group.Wait() })
}

func (h *host) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *host) config() string { h.t.Helper(); return h.read(home.PlatformFile) }

// desire writes desired.yaml as an editor does and has it read.
func (h *host) desire(text string) {
	h.t.Helper()
	h.write(home.DesiredFile, text)
	if err := h.store.Refresh(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) converge() {
	h.t.Helper()
	if err := h.engine.Converge(context.Background()); err != nil {
		h.t.Fatalf("converge: %v", err)
	}
}

// await waits for a state of the engine.
func (h *host) await(what string, ok func(reconcilers.Status) bool) reconcilers.Status {
	h.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		changed := h.engine.Changed()
		status := h.engine.Status()
		if ok(status) {
			return status
		}
		select {
		case <-changed:
		case <-limit:
			h.t.Fatalf("%s did not come about; status %+v\nconfig.yaml:\n%s\nevents:\n%s", what, status, h.config(), h.told())
		}
	}
}

// events are those of some kinds, oldest first; no kinds: all.
func (h *host) events(kinds ...reconcilers.EventKind) []reconcilers.Event {
	h.t.Helper()
	h.engine.scribe.flush(context.Background())
	list, _, err := h.journal.Page(context.Background(), journal.Query{Kinds: kinds, Oldest: true})
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

func (h *host) told() string {
	var b strings.Builder
	for _, e := range h.events() {
		b.WriteString(string(e.Kind) + " " + e.Field + " " + e.Message + " by " + e.Actor + "\n")
	}
	return b.String()
}

// awaitEvent waits for an event that says so.
func (h *host) awaitEvent(kind reconcilers.EventKind, text string) reconcilers.Event {
	h.t.Helper()
	feed := h.journal.Subscribe()
	defer feed.Close()
	for _, e := range h.events(kind) {
		if strings.Contains(e.Message, text) {
			return e
		}
	}
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-feed.C:
			if e.Kind == kind && strings.Contains(e.Message, text) {
				return e
			}
		case <-limit:
			h.t.Fatalf("no event %s %q; told:\n%s", kind, text, h.told())
		}
	}
}

func (h *host) wants(name string) {
	h.t.Helper()
	want := strings.Replace(firstConfig, "claude-sonnet-4-5", name, 1)
	if got := h.config(); got != want {
		h.t.Errorf("config.yaml is\n%s\nwant\n%s\nevents:\n%s", got, want, h.told())
	}
}

// keys says that every provider's key is at hand.
type keys struct{}

func (keys) Name() string            { return "key" }
func (keys) Interval() time.Duration { return time.Hour }
func (keys) Observe(context.Context) (observers.Keys, error) {
	return observers.Keys{Sources: map[string]string{"ANTHROPIC_API_KEY": ".env", "OPENAI_API_KEY": ".env"}}, nil
}

// machine is a service manager in memory: observer and door of units.
type machine struct {
	mu     sync.Mutex
	units  map[string]observers.Unit
	starts int
	wakeup chan struct{}
	// onRestart decides how a restarted unit does; nil: it runs.
	onRestart func(name string, u *observers.Unit)
	// between is called while a restarted unit is down; nil: it is not seen so.
	between func()
	calls   []string
	err     error // of every reading
}

func newMachine(names ...string) *machine {
	m := &machine{units: map[string]observers.Unit{}, wakeup: make(chan struct{}, 1)}
	for _, name := range names {
		m.units[name] = m.started(observers.Unit{Name: name, Load: "loaded"})
	}
	return m
}

func (m *machine) started(u observers.Unit) observers.Unit {
	m.starts++
	u.Active, u.Sub, u.Result = "active", "running", "success"
	u.Started, u.StartedMono = time.Now(), kernelMono()
	u.Since, u.Invocation = u.Started, strings.Repeat("i", m.starts)
	return u
}

func (m *machine) Name() string            { return unitObserver }
func (m *machine) Interval() time.Duration { return time.Minute }

func (m *machine) Observe(context.Context) (observers.Units, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := observers.Units{Manager: true, BootID: newClock(time.Now).boot}
	for _, name := range []string{"core-gateway", "core-dashboard", "core-bridge"} {
		if u, ok := m.units[name]; ok {
			out.Units = append(out.Units, u)
		}
	}
	return out, m.err
}

func (m *machine) Wake(ctx context.Context, wake func()) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wakeup:
			wake()
		}
	}
}

// set changes a unit as the host does by itself.
func (m *machine) set(name string, change func(*observers.Unit)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.units[name]
	change(&u)
	m.units[name] = u
	select {
	case m.wakeup <- struct{}{}:
	default:
	}
}

func (m *machine) Start(_ context.Context, name string) error { return m.up("start", name, nil) }

func (m *machine) Restart(ctx context.Context, name string) error {
	if m.between != nil {
		_ = m.Stop(ctx, name)
		m.between()
	}
	return m.up("restart", name, m.onRestart)
}

func (m *machine) up(verb, name string, then func(string, *observers.Unit)) error {
	m.mu.Lock()
	m.calls = append(m.calls, verb+" "+name)
	m.mu.Unlock()
	m.set(name, func(u *observers.Unit) {
		*u = m.started(*u)
		if then != nil {
			then(name, u)
		}
	})
	return nil
}

func (m *machine) Stop(_ context.Context, name string) error {
	m.set(name, func(u *observers.Unit) { u.Active, u.Sub = "inactive", "dead" })
	return nil
}

func (m *machine) State(_ context.Context, name string) (observers.Unit, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units[name], nil
}

func (m *machine) ResetFailed(context.Context, string) error { return nil }

func (m *machine) Log(context.Context, string, int) ([]string, error) {
	return []string{"cannot start", "api_key=sk-very-secret-value"}, nil
}

func (m *machine) restarts() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.calls {
		if strings.HasPrefix(c, "restart") {
			n++
		}
	}
	return n
}
