package store

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	pollWatched   = 5 * time.Second // beside the events, as a net
	pollUnwatched = time.Second     // while the kernel gives no events
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
	name, target := s.places()
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case event, ok := <-watcher.Events:
			if !ok || event.Name == name || event.Name == target {
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
	name, target := s.places()
	if watcher.Add(filepath.Dir(name)) != nil {
		return false
	}
	return filepath.Dir(name) == filepath.Dir(target) || watcher.Add(filepath.Dir(target)) == nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
