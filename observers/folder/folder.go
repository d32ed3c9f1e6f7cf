// Package folder tells when something changed in one folder. It is the one
// sibling the observers of files share, so that each of them need not know how
// a folder is watched.
//
// Law: it watches names, never content, and never anything but the folder it
// was given.
package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// ErrGone means that the folder was removed or moved away while it was watched.
var ErrGone = errors.New("the folder is gone")

// errEnded: the kernel's queue could not be read any more.
var errEnded = errors.New("no more events can be had")

// Watch calls wake once it is watching, and then after each event in dir that
// match accepts, until ctx ends (nil) or the folder cannot be watched. Files
// are told apart by the event's base name; after lost events wake is called
// too.
func Watch(ctx context.Context, dir string, match func(fsnotify.Event) bool, wake func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	defer func() { _ = w.Close() }()
	if err := w.Add(dir); err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	wake()
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-w.Errors:
			if !ok {
				return fmt.Errorf("watch %s: %w", dir, errEnded)
			}
			wake() // the kernel's queue ran over: anything may have changed
		case event, ok := <-w.Events:
			if !ok {
				return fmt.Errorf("watch %s: %w", dir, errEnded)
			}
			if filepath.Clean(event.Name) == filepath.Clean(dir) {
				if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
					return fmt.Errorf("watch %s: %w", dir, ErrGone)
				}
				continue
			}
			if match(event) {
				wake()
			}
		}
	}
}

// Named accepts the events of files with one of these base names.
func Named(names ...string) func(fsnotify.Event) bool {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	return func(e fsnotify.Event) bool { return wanted[filepath.Base(e.Name)] }
}
