// Package platform observes config.yaml, the file the platform reads.
//
// Law: a file that does not parse is a fact about the host, with its place,
// and no failure of the observer.
package platform

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"time"

	config "corehost/config/platform"

	"corehost/config/home"
	"corehost/observers"
	"corehost/observers/folder"
)

const interval = time.Minute

// Reader reads and parses config.yaml; *platform.File of config/platform is
// one. A file that is not there has the sum NoFile and no error.
type Reader interface {
	Read() (home.File, config.Config, error)
}

// Writers tells who wrote a file of the home last, by its name; the observer
// writer is one. Nil: this process did. False: it cannot tell.
type Writers interface {
	Last(name string) (*observers.Writer, bool)
}

// Config says what is observed and who is asked.
type Config struct {
	Door    *home.Door
	File    Reader
	Writers Writers // nil: the file's owner is all there is to know
}

// Platform observes config.yaml.
type Platform struct {
	Config
	users map[int]string // names of owners seen; a handful at most
}

// New observes what c names.
func New(c Config) *Platform { return &Platform{Config: c, users: map[int]string{}} }

// Name is "platform".
func (p *Platform) Name() string { return "platform" }

// Interval is a minute; changes of the file wake it.
func (p *Platform) Interval() time.Duration { return interval }

// Wake tells of changes of config.yaml.
func (p *Platform) Wake(ctx context.Context, wake func()) error {
	return folder.Watch(ctx, p.Door.Path(), folder.Named(home.PlatformFile), wake)
}

// Observe reads the file. What cannot be a configuration file (a folder, a
// link out of the home, gigabytes) is a Problem like one that does not parse.
func (p *Platform) Observe(context.Context) (observers.Platform, error) {
	file, parsed, err := p.File.Read()
	out := observers.Platform{Sum: file.Sum, ModTime: file.ModTime.UTC()}
	switch {
	case err == nil && file.Sum == home.NoFile:
		return observers.Platform{}, nil
	case err == nil:
		out.Config = parsed
	case errors.As(err, &out.Problem):
	case unfit(err) != nil:
		return observers.Platform{Exists: true, Problem: &config.Problem{Message: unfit(err).Error()}}, nil
	default:
		return observers.Platform{}, fmt.Errorf("observe config.yaml: %w", err)
	}
	out.Exists = true
	out.Writer = p.writer(file)
	return out, nil
}

// unfit is why a file cannot be a configuration file at all; nil for any other
// error.
func unfit(err error) error {
	for _, why := range []error{home.ErrNotRegular, home.ErrEscape, home.ErrTooLarge} {
		if errors.Is(err, why) {
			return why
		}
	}
	return nil
}

// writer asks who wrote last; where nobody can tell, the owner is named.
func (p *Platform) writer(file home.File) *observers.Writer {
	if p.Writers != nil {
		if who, ok := p.Writers.Last(home.PlatformFile); ok {
			return who
		}
	}
	if file.UID < 0 {
		return nil
	}
	return &observers.Writer{UID: file.UID, User: p.name(file.UID), At: file.ModTime.UTC()}
}

func (p *Platform) name(uid int) string {
	if name, ok := p.users[uid]; ok {
		return name
	}
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	if len(p.users) < maxUsers {
		p.users[uid] = name
	}
	return name
}

// maxUsers bounds the names that are remembered.
const maxUsers = 64
