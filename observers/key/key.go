// Package key observes which provider keys are at hand, by name.
//
// Law: a value is looked at once, to see whether it can be one, and dropped on
// the spot: it is never kept, compared, logged or put into an error.
package key

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"corehost/config/home"
	"corehost/config/provider"
	"corehost/observers"
	"corehost/observers/folder"
)

const interval = time.Minute

// The names of the sources, as Keys.Sources has them. The file wins.
const (
	fromFile        = ".env"
	fromEnvironment = "environment"
)

// Config says where keys may come from.
type Config struct {
	Door    *home.Door      // of the home, which may hold an .env
	Environ func() []string // NAME=value of the process
	Listed  func() []string // names that are keys though they do not look it; nil: none
}

// Key observes the names of keys.
type Key struct{ Config }

// New observes what c names.
func New(c Config) *Key { return &Key{c} }

// Name is "key".
func (k *Key) Name() string { return "key" }

// Interval is a minute; changes of .env wake it.
func (k *Key) Interval() time.Duration { return interval }

// Wake tells of changes of .env.
func (k *Key) Wake(ctx context.Context, wake func()) error {
	return folder.Watch(ctx, k.Door.Path(), folder.Named(home.EnvFile), wake)
}

// Observe lists the names. A home without .env is no error.
func (k *Key) Observe(context.Context) (observers.Keys, error) {
	isKey := k.recognise()
	sources := map[string]string{}
	for _, entry := range k.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if isKey(name) && provider.Usable(value) {
			sources[name] = fromEnvironment
		}
	}
	file, err := k.Door.Read(home.EnvFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return observers.Keys{}, fmt.Errorf("look for keys: %w", err)
	}
	for name, usable := range parse(file.Data, provider.Usable) {
		if usable && isKey(name) {
			sources[name] = fromFile
		}
	}
	return observers.Keys{Sources: sources}, nil
}

// recognise returns what tells the name of a key.
func (k *Key) recognise() func(name string) bool {
	listed := map[string]bool{}
	if k.Listed != nil {
		for _, name := range k.Listed() {
			listed[name] = true
		}
	}
	return func(name string) bool {
		return validName(name) && (strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || listed[name])
	}
}
