package store

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"corehost/config/home"
)

const (
	pollWatched   = 5 * time.Second // beside the events, as a net
	pollUnwatched = time.Second     // while the kernel gives no events
	maxLinks      = 40
)

// Run keeps the state up with the file until ctx ends, and returns nil then.
// The folder is watched, not the file: editors put a new file in its place.
func (s *Store) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		watcher, err := fsnotify.NewWatcher()
		if err != nil {
			_ = s.Refresh(ctx)
			pause(ctx, pollUnwatched)
			continue
		}
		s.follow(ctx, watcher)
		_ = watcher.Close()
	}
	return nil
}

// follow reads the file after each event that concerns it. Errors of a read
// are in the state, and the poll tries again.
func (s *Store) follow(ctx context.Context, watcher *fsnotify.Watcher) {
	for {
		interval := pollWatched
		if !s.watch(watcher) {
			interval = pollUnwatched
		}
		_ = s.Refresh(ctx)
		if !s.await(ctx, watcher, interval) {
			return
		}
	}
}

// await returns true when the file is to be read, false when there is nothing
// to wait for any more.
func (s *Store) await(ctx context.Context, watcher *fsnotify.Watcher, interval time.Duration) bool {
	names := s.links()
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case event, ok := <-watcher.Events:
			if name, err := filepath.Rel(s.Door.Path(), event.Name); !ok || err == nil && slices.Contains(names, name) {
				return ok
			}
		case _, ok := <-watcher.Errors: // events were dropped
			return ok
		}
	}
}

// watch adds the folders to look at, and reports whether all are watched.
// Adding one again changes nothing.
func (s *Store) watch(watcher *fsnotify.Watcher) bool {
	all := true
	for _, dir := range s.folders() {
		all = watcher.Add(filepath.Join(s.Door.Path(), dir)) == nil && all
	}
	return all
}

// folders are those in which the file, or a symlink on the way to it, lies.
func (s *Store) folders() []string {
	var dirs []string
	for _, name := range s.links() {
		if dir := path.Dir(name); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// links names the file and, when it is a symlink inside the home, what it
// leads to.
func (s *Store) links() []string {
	names := []string{home.DesiredFile}
	root, err := os.OpenRoot(s.Door.Path())
	if err != nil {
		return names
	}
	defer root.Close()
	for range maxLinks {
		last := names[len(names)-1]
		target, err := root.Readlink(last)
		if err != nil || path.IsAbs(target) {
			break
		}
		next := path.Join(path.Dir(last), target)
		if !filepath.IsLocal(next) {
			break
		}
		names = append(names, next)
	}
	return names
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
