package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long a write of another door into the same folder is waited for. It
// takes milliseconds, unless its process is stopped.
const (
	writeTries = 1000
	writePause = 5 * time.Millisecond
)

// ErrLocked says that another process holds the lock. The error that wraps it
// names the process where it is known.
var ErrLocked = errors.New("in use by another process")

// Lock is held until Close or the end of the process, however it ends.
type Lock struct {
	file *os.File
}

// Lock takes the lock of a file (flock(2), exclusive), without waiting:
// ErrLocked. The file and its folder are made when missing, hold the pid of the
// last holder for people to read, and are never removed: a lock on a removed
// file excludes nobody.
func (d *Door) Lock(name string) (*Lock, error) {
	l, err := d.lock(name)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return l, nil
}

func (d *Door) lock(name string) (*Lock, error) {
	target, err := d.resolve(name)
	if err != nil {
		return nil, err
	}
	if err := d.root.MkdirAll(path.Dir(target), 0o700); err != nil {
		return nil, err
	}
	if err := d.regular(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := d.root.OpenFile(target, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, holder(f)
		}
		return nil, err
	}
	// The pid is for people only: on a full disk the lock holds without it.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return &Lock{file: f}, nil
}

// holder names the process that wrote its pid into the file.
func holder(f *os.File) error {
	data, _ := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid <= 0 {
		return ErrLocked
	}
	return fmt.Errorf("%w (pid %d)", ErrLocked, pid)
}

// Close gives the lock back. The file stays.
func (l *Lock) Close() error { return l.file.Close() }

// exclusive keeps the other doors of all processes from writing into a folder,
// so that none builds on content that is about to be undone. A kill gives it
// back. Where the file system has no locks, the comparison has to do.
func (d *Door) exclusive(folder string) (done func(), err error) {
	dir, err := d.root.Open(folder)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return func() { _ = dir.Close() }, nil
		}
		if try == writeTries {
			_ = dir.Close()
			return nil, fmt.Errorf("%w: its write does not end", ErrLocked)
		}
		<-time.After(writePause)
	}
}
