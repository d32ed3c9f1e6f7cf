package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long a program that has the displaced file open for writing is waited
// for before its file is put back.
const (
	busyTries = 40
	busyPause = 5 * time.Millisecond
)

// swap puts a staged file in place.
type swap struct {
	*Door
	temp, name string
	kept       string // the name for what is displaced; empty: none
	old        File   // what must be displaced; its sum is NoFile for nothing
	ours       Sum    // of the staged file
}

// make makes the swap. A new file must not exist; an existing one is
// exchanged, so that a write of somebody else between the read and the swap is
// seen and undone instead of lost.
func (s swap) make() error {
	if s.old.Sum == NoFile {
		return s.appear(s.temp, s.name)
	}
	if err := s.rename(s.temp, s.name, unix.RENAME_EXCHANGE); err != nil {
		return s.plain(err)
	}
	if !s.settled(s.temp, s.old.Sum) {
		return s.undo(s.temp, s.name, s.ours)
	}
	if s.kept == "" {
		return s.root.Remove(s.temp)
	}
	if err := s.root.Rename(s.temp, s.kept); err != nil {
		return errors.Join(err, s.undo(s.temp, s.name, s.ours))
	}
	return nil
}

// undo gives the name back to what was displaced. Should somebody have
// changed what stood at the name meanwhile, the newest stays at the name and
// the other is kept beside it, so that neither is lost.
func (d *Door) undo(temp, name string, ours Sum) error {
	if err := d.rename(temp, name, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("%w; what stood there before is kept as %s", ErrChanged, temp)
	}
	if d.settled(temp, ours) {
		return errors.Join(ErrChanged, d.root.Remove(temp))
	}
	if err := d.rename(temp, name, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("%w; a newer change is kept as %s", ErrChanged, temp)
	}
	return fmt.Errorf("%w; an earlier change is kept as %s", ErrChanged, temp)
}

// appear gives the staged file a name that must be free.
func (d *Door) appear(temp, name string) error {
	err := d.rename(temp, name, unix.RENAME_NOREPLACE)
	if noRename2(err) {
		if err = d.root.Link(temp, name); err == nil {
			return d.root.Remove(temp)
		}
	}
	if err == nil {
		return nil
	}
	_ = d.root.Remove(temp)
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

// plain serves file systems without an atomic exchange: the check comes right
// before the rename and the window between them is as small as can be.
func (s swap) plain(cause error) error {
	switch {
	case noRename2(cause) && s.settled(s.name, s.old.Sum):
		cause = nil
		if s.kept != "" {
			cause = s.put(s.kept, s.old)
		}
		if cause == nil {
			cause = s.root.Rename(s.temp, s.name)
		}
	case noRename2(cause) || errors.Is(cause, fs.ErrNotExist):
		cause = ErrChanged
	}
	if cause != nil {
		_ = s.root.Remove(s.temp)
	}
	return cause
}

// settled reports whether a file has the content and nobody has it open for
// writing, so that it will keep it once its name is gone. Where the file
// system has no leases, only the content is looked at.
func (d *Door) settled(name string, want Sum) bool {
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // ends the lease
	for try := 0; busy(f); try++ {
		if try == busyTries {
			return false
		}
		<-time.After(busyPause)
	}
	file, err := readOpen(f)
	return err == nil && file.Sum == want
}

// busy takes a read lease; the kernel refuses it with EAGAIN while any
// program has the file open for writing (fcntl(2), F_SETLEASE).
func busy(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}

// noRename2 reports a file system that does not know renameat2's flags.
func noRename2(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)
}

// rename is renameat2(2) within one folder.
func (d *Door) rename(from, to string, flags uint) error {
	dir, err := d.root.OpenFile(path.Dir(from), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	fd := int(dir.Fd())
	return unix.Renameat2(fd, path.Base(from), fd, path.Base(to), flags)
}
