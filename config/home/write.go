package home

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// Write replaces a file's content in one step. The file must still have the
// content named by expect (NoFile: it must not exist), else ErrChanged and
// nothing is changed. Mode and owner of an existing file are kept; a new file
// gets mode. After return the content is on disk: temporary file in the same
// folder, fsync, exchange, fsync of the folder.
//
// The exchange is what makes a write lossless: the bytes it displaces are
// compared after the swap and put back when somebody wrote in between.
func (d *Door) Write(name string, data []byte, expect Sum, mode fs.FileMode) (File, error) {
	target, err := d.resolve(name)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	file, err := d.write(target, data, expect, mode)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	return file, nil
}

func (d *Door) write(name string, data []byte, expect Sum, mode fs.FileMode) (File, error) {
	old, err := d.Read(name)
	switch {
	case err == nil:
		mode = old.Mode
	case errors.Is(err, fs.ErrNotExist):
		old = File{Sum: NoFile, UID: -1, GID: -1}
	default:
		return File{}, err
	}
	if old.Sum != expect {
		return File{}, ErrChanged
	}
	temp := tempName(name)
	if err := d.stage(temp, data, mode, old); err != nil {
		_ = d.root.Remove(temp)
		return File{}, err
	}
	if err := d.swap(temp, name, expect); err != nil {
		return File{}, err
	}
	if err := d.syncDir(path.Dir(name)); err != nil {
		return File{}, err
	}
	return d.Read(name)
}

// stage writes the new content beside the file and makes it durable.
func (d *Door) stage(temp string, data []byte, mode fs.FileMode, old File) error {
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if old.UID >= 0 && (old.UID != os.Geteuid() || old.GID != os.Getegid()) {
		if err := f.Chown(old.UID, old.GID); err != nil {
			return fmt.Errorf("keep the owner: %w", err)
		}
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// swap puts the staged file in place. A new file is linked in with
// RENAME_NOREPLACE; an existing one is exchanged, so that a write of somebody
// else between the read and the swap is seen and undone instead of lost.
func (d *Door) swap(temp, name string, expect Sum) error {
	if expect == NoFile {
		err := d.rename(temp, name, unix.RENAME_NOREPLACE)
		if err != nil {
			_ = d.root.Remove(temp)
		}
		if errors.Is(err, fs.ErrExist) {
			return ErrChanged
		}
		return err
	}
	if err := d.rename(temp, name, unix.RENAME_EXCHANGE); err != nil {
		return d.swapPlain(temp, name, expect, err)
	}
	displaced, err := d.Read(temp)
	if err == nil && displaced.Sum == expect {
		return d.root.Remove(temp)
	}
	if back := d.rename(temp, name, unix.RENAME_EXCHANGE); back != nil {
		return fmt.Errorf("%w; what was displaced is kept as %s", ErrChanged, temp)
	}
	_ = d.root.Remove(temp)
	return errors.Join(ErrChanged, err)
}

// swapPlain serves file systems without an atomic exchange: the check comes
// right before the rename and the window between them is as small as can be.
func (d *Door) swapPlain(temp, name string, expect Sum, cause error) error {
	if !errors.Is(cause, unix.EINVAL) && !errors.Is(cause, unix.ENOSYS) {
		_ = d.root.Remove(temp)
		if errors.Is(cause, fs.ErrNotExist) {
			return ErrChanged
		}
		return cause
	}
	now, err := d.Read(name)
	if err != nil || now.Sum != expect {
		_ = d.root.Remove(temp)
		return ErrChanged
	}
	return d.root.Rename(temp, name)
}

func (d *Door) rename(from, to string, flags uint) error {
	dir, err := d.root.OpenFile(path.Dir(from), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	return unix.Renameat2(fd, path.Base(from), fd, path.Base(to), flags)
}

func (d *Door) syncDir(name string) error {
	dir, err := d.root.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// tempPrefix marks files this door stages; a crash can leave one behind.
const tempPrefix = ".corehost-"

func tempName(name string) string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return path.Join(path.Dir(name), tempPrefix+path.Base(name)+"-"+hex.EncodeToString(b[:]))
}
