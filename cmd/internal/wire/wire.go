// Package wire puts the parts of the operator together, for the daemon and
// for the command line working on a home directly.
//
// Law: it holds lists, not logic. Each part gets what it needs as a value; no
// part finds another by itself.
package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"corehost/api"
	"corehost/api/dashboard"
	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/platform"
	"corehost/desired/store"
	"corehost/observers/history"
	"corehost/observers/hub"
	"corehost/observers/writer"
	"corehost/reconcilers"
	"corehost/reconcilers/engine"
	"corehost/reconcilers/journal"
	"corehost/reconcilers/unit/systemd"
)

// self is the unit that the daemon is.
const self = "core-dashboard"

// Options say which installation is opened, and for whom.
type Options struct {
	Paths   home.Paths
	Daemon  bool // make the home when there is none, and run the loops
	Version string
	Log     *slog.Logger
}

// Instance is one open installation. Close it after Run has returned.
type Instance struct {
	Handler http.Handler // API and pages
	Server  *api.Server
	Engine  *engine.Engine

	log     *slog.Logger
	lock    *home.Lock
	door    *home.Door
	db      *operatordb.DB
	store   *store.Store
	hub     *hub.Hub
	journal *journal.Journal
	writer  *writer.Writer
	ground  []footing
}

// Open takes the lock of the home and opens every part. ErrLocked: another
// process works on this home. For a process without loops every observer has
// read once when it returns.
func Open(ctx context.Context, o Options) (*Instance, error) {
	i := &Instance{log: o.Log}
	if err := i.open(ctx, o); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

func (i *Instance) open(ctx context.Context, o Options) error {
	if o.Daemon {
		if err := makeHome(o.Paths); err != nil {
			return err
		}
	}
	if err := i.openFiles(ctx, o); err != nil {
		return err
	}
	i.ground = ground(o.Paths)
	started := time.Now()
	file := platform.NewFile(i.door)
	if i.lock != nil {
		i.recoverPlatform(ctx, file)
	}
	i.writer = writer.New(o.Paths.Home, o.Paths.Proc, time.Now, home.PlatformFile, home.DesiredFile)
	i.hub = hub.New(time.Now)
	i.observe(o.Paths, file)
	past := history.New(i.hub, time.Now)
	name := ""
	if o.Daemon {
		name = self
	}
	units := systemd.New(systemd.Config{})
	var err error
	i.Engine, err = engine.New(ctx, engine.Config{
		Store: i.store, Hub: i.hub, Journal: i.journal, DB: i.db, Platform: file, Units: units,
		Reconcilers: list(file, units, o.Paths, name), Readers: reconcilers.ConfigReaders(), Self: name,
		Started: started, Now: time.Now, Log: o.Log,
	})
	if err != nil {
		return fmt.Errorf("make engine: %w", err)
	}
	var loops api.Engine = i.Engine
	if !o.Daemon {
		loops = stepper{i.Engine}
		if err := i.hub.Refresh(ctx); err != nil {
			return fmt.Errorf("observe the host: %w", err)
		}
	}
	i.Server = api.New(api.Config{
		Engine: loops, Store: i.store, Hub: i.hub, Journal: i.journal, History: past, Paths: o.Paths, Version: o.Version,
		Readers: reconcilers.ConfigReaders(), Self: name, Started: started, Now: time.Now, Log: o.Log,
	})
	i.Handler = i.Server.Handler(dashboard.New(i.Server, o.Version))
	return nil
}

// openFiles opens what lies in the home.
func (i *Instance) openFiles(ctx context.Context, o Options) (err error) {
	if i.door, err = home.Open(o.Paths.Home); err != nil {
		return err
	}
	if i.lock, err = i.take(ctx, o); err != nil {
		return err
	}
	if i.db, err = operatordb.Open(ctx, o.Paths.Join(home.OperatorFile)); err != nil {
		return err
	}
	if i.db.Memory {
		o.Log.WarnContext(ctx, "history is kept in memory only", "error", i.db.Reason)
	}
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "this-host"
	}
	i.store, err = store.Open(ctx, store.Config{Door: i.door, DB: i.db, Now: time.Now, Hostname: hostname, Create: o.Daemon})
	if err != nil {
		return err
	}
	i.journal, err = journal.Open(ctx, i.db, time.Now)
	return err
}

// take takes the lock: the daemon waits for a passing command, a command asks
// the daemon instead.
func (i *Instance) take(ctx context.Context, o Options) (*home.Lock, error) {
	if o.Daemon {
		return await(ctx, i.door, o.Log)
	}
	return acquire(i.door, o.Log)
}

// recoverPlatform clears what a kill left of a write to config.yaml. What it
// cannot do now it does at the next start.
func (i *Instance) recoverPlatform(ctx context.Context, file *platform.File) {
	kept, err := file.Recover()
	if err != nil {
		i.log.WarnContext(ctx, "what an earlier process left could not be cleared", "error", err)
	}
	for _, name := range kept {
		i.log.WarnContext(ctx, "an edit of config.yaml that collided with a killed write is kept", "file", name)
	}
}

// makeHome makes the folders of a first start, readable by their owner only.
// A home that is there is left as it is.
func makeHome(p home.Paths) error {
	for _, dir := range []string{p.Home, filepath.Dir(p.Join(home.LockFile))} {
		if err := os.MkdirAll(dir, 0o700); err != nil && !readOnly(err) {
			return fmt.Errorf("make the home: %w", err)
		}
	}
	return nil
}

// Run runs the loops until ctx ends and every change in flight is finished.
// The error is of the part that ended by itself, or ErrGone.
func (i *Instance) Run(ctx context.Context) error {
	aside, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	loops, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	var wg sync.WaitGroup
	background := func(name string, run func(context.Context) error) {
		wg.Go(func() {
			if err := run(aside); err != nil && aside.Err() == nil {
				i.log.WarnContext(ctx, "a part ended by itself", "part", name, "error", err)
			}
		})
	}
	background("store", i.store.Run)
	background("observers", i.hub.Run)
	background("writer", i.watchWriters)
	wg.Go(func() {
		if err := stand(aside, i.ground, groundInterval); err != nil {
			leave(err)
		}
	})
	err := i.Engine.Run(loops)
	end()
	wg.Wait()
	if cause := context.Cause(loops); errors.Is(cause, ErrGone) {
		return cause
	}
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("run engine: %w", err)
}

// watchWriters needs a right that only root has; without it a change by hand
// is told without a name.
func (i *Instance) watchWriters(ctx context.Context) error {
	if err := i.writer.Run(ctx); err != nil {
		i.log.DebugContext(ctx, "who changes files is not known", "error", err)
	}
	return nil
}

// Close releases everything. It is called after Run has returned.
func (i *Instance) Close() error {
	var errs []error
	if i.Server != nil {
		i.Server.Close()
	}
	if i.hub != nil {
		i.hub.Close()
	}
	if i.db != nil {
		errs = append(errs, i.db.Close())
	}
	if i.lock != nil {
		errs = append(errs, i.lock.Close())
	}
	if i.door != nil {
		errs = append(errs, i.door.Close())
	}
	return errors.Join(errs...)
}
