package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"corehost/config/home"
)

const (
	// patience is how long a file may be open for writing before its content
	// counts as final although it still is.
	patience = 500 * time.Millisecond
	// calm is how long content must stay the same where the kernel does not
	// tell whether the file is open for writing.
	calm = 20 * time.Millisecond
	// first and longest pause between two looks.
	firstPause, longestPause = time.Millisecond, 20 * time.Millisecond
	// hectic is how long a file may keep changing before that is a problem.
	hectic = 3 * time.Second
)

var errHectic = errors.New("the file does not come to rest; something keeps writing it")

// quiet is what the kernel says about writers of a file.
type quiet int

const (
	quietYes     quiet = iota // nobody had it open for writing while it was read
	quietNo                   // somebody has
	quietUnknown              // the kernel does not tell
)

// need is how long content must stay the same to count as final.
func (q quiet) need() time.Duration {
	switch q {
	case quietYes:
		return 0
	case quietNo:
		return patience
	}
	return calm
}

// read returns the whole content of the file: not one that an editor that
// writes in place has written half.
func (s *Store) read(ctx context.Context) (home.File, error) {
	var last home.Sum
	var total, still time.Duration
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if err := ctx.Err(); err != nil {
			return home.File{}, err
		}
		file, q, err := s.look()
		if err != nil {
			return home.File{}, err
		}
		if file.Sum != last {
			last, still = file.Sum, 0
		}
		if still >= q.need() {
			return file, nil
		}
		if total >= hectic {
			return home.File{}, fmt.Errorf("read %s: %w", home.DesiredFile, errHectic)
		}
		select {
		case <-ctx.Done():
			return home.File{}, ctx.Err()
		case <-time.After(pause):
			total, still = total+pause, still+pause
		}
	}
}

// look reads the file under a read lease (fcntl(2), F_SETLEASE): it is granted
// only while nobody has the file open for writing, and whoever opens it so
// waits the microseconds until it is given back.
func (s *Store) look() (home.File, quiet, error) {
	f, err := s.lease()
	q := quietUnknown
	switch {
	case err == nil:
		defer func() { _ = f.Close() }() // gives the lease back
		q = quietYes
	case errors.Is(err, unix.EAGAIN):
		q = quietNo
	}
	file, err := s.Door.Read(home.DesiredFile)
	return file, q, err
}

func (s *Store) lease() (*os.File, error) {
	_, target := s.places()
	info, err := os.Lstat(target)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, home.ErrNotRegular
	}
	f, err := os.OpenFile(target, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// places are the absolute names of desired.yaml and, when that is a symlink
// inside the home, of the file behind it; else the same name twice.
func (s *Store) places() (name, target string) {
	dir, err := filepath.EvalSymlinks(s.Door.Path())
	if err != nil {
		dir = s.Door.Path()
	}
	name = filepath.Join(dir, home.DesiredFile)
	target, err = filepath.EvalSymlinks(name)
	if err != nil || !strings.HasPrefix(target, dir+string(filepath.Separator)) {
		return name, name
	}
	return name, target
}
