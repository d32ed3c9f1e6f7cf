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
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"corehost/observers"
)

// Events of the folder: a file was closed after writing, or moved in. Of a
// named file itself also each write, because its observer is woken by the
// write and asks before the file is closed; and each opening, because a short
// program may have ended when its write is told.
const (
	folderMask = unix.FAN_CLOSE_WRITE | unix.FAN_MOVED_TO | unix.FAN_EVENT_ON_CHILD
	fileMask   = unix.FAN_MODIFY | unix.FAN_OPEN
	writeMask  = unix.FAN_CLOSE_WRITE | unix.FAN_MOVED_TO | unix.FAN_MODIFY
)

// closed stands for no descriptor.
const closed = -1

// urgent is the priority (nice value) of the thread that looks processes up.
const urgent = -20

// Writer observes the writes to some files of one folder. Its methods are safe
// for concurrent use.
type Writer struct {
	dir   string
	self  int
	names map[string]bool
	who   *people
	now   func() time.Time

	mu     sync.Mutex
	fd     int // closed: not watching
	marked map[string]fileID
	last   map[string]*observers.Writer // nil value: this process wrote
}

// New observes the named files of the folder dir. procRoot is where processes
// are looked up. It watches only while Run runs.
func New(dir, procRoot string, now func() time.Time, names ...string) *Writer {
	w := &Writer{
		dir: dir, self: os.Getpid(), names: map[string]bool{}, who: newPeople(procRoot, now), now: now, fd: closed,
		marked: map[string]fileID{}, last: map[string]*observers.Writer{},
	}
	for _, name := range names {
		w.names[name] = true
	}
	return w
}

// Run watches until ctx ends (nil), or returns at once with the reason why
// this host does not let it. Without it Last knows nobody, and all else works.
// A user without the right to know (CAP_SYS_ADMIN) learns only whether this
// process wrote.
func (w *Writer) Run(ctx context.Context) error {
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err == nil {
		defer func() { _ = unix.Close(stop) }()
		if err = w.open(); err == nil {
			defer w.close()
			ended := make(chan error)
			go func() { ended <- w.follow(ctx, stop) }()
			err = <-ended
		}
	}
	if err != nil {
		return fmt.Errorf("watch who writes in %s: %w", w.dir, err)
	}
	return nil
}

// follow looks up every writer the moment it is told, on a thread of its own
// that goes before others where that is allowed: a program like sed has ended
// a moment later.
func (w *Writer) follow(ctx context.Context, stop int) error {
	told := make(chan struct{})
	end := context.AfterFunc(ctx, func() {
		defer close(told)
		_, _ = unix.Write(stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	defer func() {
		if !end() {
			<-told
		}
	}()
	runtime.LockOSThread() // never unlocked: the thread ends with its priority
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, urgent)
	//nolint:gosec // G115: descriptors are small numbers
	fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
	for ctx.Err() == nil {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		w.mu.Lock()
		w.drain()
		w.mu.Unlock()
	}
	return nil
}

// Last is who wrote the named file last, counting every write that happened
// before the call: nil when it was this process, false when nobody was seen.
func (w *Writer) Last(name string) (*observers.Writer, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd == closed {
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
func (w *Writer) open() error {
	const flags = unix.FAN_CLASS_NOTIF | unix.FAN_CLOEXEC | unix.FAN_NONBLOCK | unix.FAN_REPORT_DFID_NAME
	fd, err := unix.FanotifyInit(flags, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_LARGEFILE)
	if err != nil {
		return err
	}
	if err := unix.FanotifyMark(fd, unix.FAN_MARK_ADD|unix.FAN_MARK_ONLYDIR, folderMask, unix.AT_FDCWD, w.dir); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fd = fd
	w.mark()
	return nil
}

func (w *Writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = unix.Close(w.fd)
	w.fd = closed
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
		if e.wrote && w.names[e.name] {
			w.last[e.name] = nil
		}
		return
	}
	who, ok := w.who.look(e.pid)
	if !e.wrote || !w.names[e.name] {
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
