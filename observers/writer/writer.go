// Package writer observes who writes a file of the home: the process, its
// program and its user, told by the kernel (fanotify(7)) at the moment of the
// write, so that an edit by hand can be put down to somebody.
//
// Law: it watches the home and nothing else, never opens or delays what it
// watches, and what it does not know it does not guess.
package writer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"corehost/observers"
)

// Events of the folder: a file was closed after writing, or moved in. Of a
// named file itself also each write, because its observer is woken by the
// write and asks before the file is closed.
const (
	folderMask = unix.FAN_CLOSE_WRITE | unix.FAN_MOVED_TO | unix.FAN_EVENT_ON_CHILD
	fileMask   = unix.FAN_MODIFY
)

// Writer observes the writes to some files of one folder. Its methods are safe
// for concurrent use.
type Writer struct {
	dir   string
	self  int
	names map[string]bool
	who   *people
	now   func() time.Time

	mu     sync.Mutex
	group  *os.File // nil: not watching
	fd     int
	marked map[string]fileID
	last   map[string]*observers.Writer // nil value: this process wrote
}

// New observes the named files of the folder dir. procRoot is where processes
// are looked up. It watches only while Run runs.
func New(dir, procRoot string, now func() time.Time, names ...string) *Writer {
	w := &Writer{
		dir: dir, self: os.Getpid(), names: map[string]bool{}, who: newPeople(procRoot, now), now: now,
		marked: map[string]fileID{}, last: map[string]*observers.Writer{},
	}
	for _, name := range names {
		w.names[name] = true
	}
	return w
}

// Run watches until ctx ends (nil), or returns at once with the reason why
// this host does not let it: mostly that it takes root. Without it Last knows
// nobody, and all else works.
func (w *Writer) Run(ctx context.Context) error {
	group, err := w.open()
	if err != nil {
		return fmt.Errorf("watch who writes in %s: %w", w.dir, err)
	}
	defer w.close()
	defer context.AfterFunc(ctx, func() { _ = group.SetReadDeadline(time.Unix(1, 0)) })()
	conn, err := group.SyscallConn()
	if err != nil {
		return fmt.Errorf("watch who writes in %s: %w", w.dir, err)
	}
	err = conn.Read(func(uintptr) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.drain()
		return ctx.Err() != nil
	})
	if ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("watch who writes in %s: %w", w.dir, err)
}

// Last is who wrote the named file last, counting every write that happened
// before the call: nil when it was this process, false when nobody was seen.
func (w *Writer) Last(name string) (*observers.Writer, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.group == nil {
		return nil, false
	}
	w.drain()
	who, ok := w.last[name]
	if who == nil {
		return nil, ok
	}
	known := *who
	return &known, ok
}

// open begins to watch. A group that reports names instead of open files is
// asked for: opening the home's databases here would, on closing, take this
// process's locks on them away (fcntl(2)).
func (w *Writer) open() (*os.File, error) {
	const flags = unix.FAN_CLASS_NOTIF | unix.FAN_CLOEXEC | unix.FAN_NONBLOCK | unix.FAN_REPORT_DFID_NAME
	fd, err := unix.FanotifyInit(flags, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_LARGEFILE)
	if err != nil {
		return nil, err
	}
	if err := unix.FanotifyMark(fd, unix.FAN_MARK_ADD|unix.FAN_MARK_ONLYDIR, folderMask, unix.AT_FDCWD, w.dir); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fd, w.group = fd, os.NewFile(uintptr(fd), "fanotify")
	w.mark()
	return w.group, nil
}

func (w *Writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.group.Close()
	w.group = nil
	clear(w.marked)
	clear(w.last)
}

// drain takes in every event that is queued; the caller holds mu.
func (w *Writer) drain() {
	var buf [8192]byte
	for {
		n, err := unix.Read(w.fd, buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		for _, e := range parse(buf[:n]) {
			w.take(e)
		}
	}
	w.mark()
}

// take notes one event. Also writers of other files are looked up: an editor
// that writes a temporary file first has ended when the rename is told.
func (w *Writer) take(e event) {
	if e.overflow {
		clear(w.last) // events are lost: nobody knows any more
		return
	}
	if e.pid == w.self {
		if w.names[e.name] {
			w.last[e.name] = nil
		}
		return
	}
	who, ok := w.who.look(e.pid)
	if !w.names[e.name] {
		return
	}
	if !ok {
		if had := w.last[e.name]; had == nil || had.PID != e.pid {
			delete(w.last, e.name)
		}
		return
	}
	who.At = w.now().UTC()
	w.last[e.name] = &who
}

// mark watches the writes to the named files themselves, anew for each file
// that takes the place of another. A link is left alone: it may lead out.
func (w *Writer) mark() {
	for name := range w.names {
		path := filepath.Join(w.dir, name)
		id, ok := identify(path)
		if !ok || w.marked[name] == id {
			continue
		}
		if unix.FanotifyMark(w.fd, unix.FAN_MARK_ADD|unix.FAN_MARK_DONT_FOLLOW, fileMask, unix.AT_FDCWD, path) == nil {
			w.marked[name] = id
		}
	}
}

// fileID tells two files at one path apart, also when the second got the
// number of the first.
type fileID struct {
	dev, ino uint64
	born     int64 // nanoseconds; 0 where the file system does not say
}

// identify is false for anything but a regular file.
func identify(path string) (fileID, bool) {
	var st unix.Statx_t
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_BTIME
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, want, &st); err != nil {
		return fileID{}, false
	}
	id := fileID{dev: unix.Mkdev(st.Dev_major, st.Dev_minor), ino: st.Ino}
	if st.Mask&unix.STATX_BTIME != 0 {
		id.born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return id, st.Mode&unix.S_IFMT == unix.S_IFREG
}
