package home

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Write replaces a file's content in one step. The file must still have the
// content named by expect (NoFile: it must not exist), else ErrChanged and
// nothing is changed. Mode and owner of an existing file are kept; a new file
// gets mode. A symlink inside the home stays, its target is written. After
// return the content is on disk. The File returned is the one written, also
// when somebody has changed it since.
func (d *Door) Write(name string, data []byte, expect Sum, mode fs.FileMode) (File, error) {
	return d.Replace(name, "", data, expect, mode)
}

// Replace is Write, and what it displaces gets the name kept, in place of
// whatever regular file stood there: a copy that costs no write. A crash in
// between leaves it as a leftover that Displaced knows.
func (d *Door) Replace(name, kept string, data []byte, expect Sum, mode fs.FileMode) (File, error) {
	target, err := d.resolve(name)
	if err == nil && kept != "" {
		kept, err = d.place(kept)
	}
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	file, err := d.write(target, kept, data, expect, mode)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", name, err)
	}
	return file, nil
}

// place is where a file may be put that is not looked at before.
func (d *Door) place(name string) (string, error) {
	target, err := d.resolve(name)
	if err != nil {
		return "", err
	}
	if err := d.regular(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("keep a copy as %s: %w", name, err)
	}
	return target, nil
}

func (d *Door) write(name, kept string, data []byte, expect Sum, mode fs.FileMode) (File, error) {
	done, err := d.exclusive(path.Dir(name))
	if err != nil {
		return File{}, err
	}
	defer done()
	old, err := d.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = File{Sum: NoFile, Mode: mode, UID: -1, GID: -1}
	case err != nil:
		return File{}, err
	}
	if old.Sum != expect {
		return File{}, ErrChanged
	}
	temp := tempName(name, SumOf(data), expect)
	file, err := d.stage(temp, data, old)
	if err != nil {
		_ = d.root.Remove(temp)
		return File{}, err
	}
	if err := (swap{d, temp, name, kept, old, file.Sum}).make(); err != nil {
		return File{}, err
	}
	return file, d.syncDir(path.Dir(name))
}

// Put makes name a file with f's bytes, mode and owner, whatever regular file
// or nothing stood there: for files that belong to the service alone, such as
// a copy kept of another file. It is as atomic and durable as Write.
func (d *Door) Put(name string, f File) error {
	target, err := d.place(name)
	if err == nil {
		err = d.put(target, f)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (d *Door) put(name string, f File) error {
	temp := tempName(name, SumOf(f.Data), NoFile)
	_, err := d.stage(temp, f.Data, f)
	if err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		_ = d.root.Remove(temp)
		return err
	}
	return d.syncDir(path.Dir(name))
}

// stage writes content with like's mode and owner to a new file and makes it
// durable. The file is private until its owner is set.
func (d *Door) stage(temp string, data []byte, like File) (File, error) {
	if len(data) > MaxFile {
		return File{}, ErrTooLarge
	}
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(data); err != nil {
		return File{}, err
	}
	if like.UID >= 0 && (like.UID != os.Geteuid() || like.GID != os.Getegid()) {
		if err := f.Chown(like.UID, like.GID); err != nil {
			return File{}, fmt.Errorf("keep the owner: %w", err)
		}
	}
	if err := f.Chmod(like.Mode.Perm()); err != nil {
		return File{}, err
	}
	if err := f.Sync(); err != nil {
		return File{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	return describe(data, info), f.Close()
}

// syncDir makes the names in a folder durable.
func (d *Door) syncDir(name string) error {
	dir, err := d.root.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}

// A staged file is named for the file it is to become, so that Leftovers can
// tell whose it is, for its content, so that Staged can tell a write that was
// never acknowledged, and for what it displaces, so that Displaced can tell
// what it holds after the swap.
const (
	tempPrefix = ".corehost-"
	tempSum    = 12 // leading digits of a sum
	tempRandom = 8  // digits
	tempTail   = tempSum + 1 + tempSum + 1 + tempRandom
)

func tempName(name string, content, displaces Sum) string {
	var b [tempRandom / 2]byte
	_, _ = rand.Read(b[:])
	tail := short(content) + "-" + short(displaces) + "-" + hex.EncodeToString(b[:])
	return path.Join(path.Dir(name), tempPrefix+path.Base(name)+"-"+tail)
}

// short is the part of a sum that a staged file's name carries.
func short(sum Sum) string {
	return (string(sum) + strings.Repeat("0", tempSum))[:tempSum]
}

// isTemp reports whether entry is a staged file of the file named base.
func isTemp(entry, base string) bool {
	tail, ok := strings.CutPrefix(entry, tempPrefix+base+"-")
	if !ok || len(tail) != tempTail || tail[tempSum] != '-' || tail[2*tempSum+1] != '-' {
		return false
	}
	_, err := hex.DecodeString(strings.ReplaceAll(tail, "-", ""))
	return err == nil
}

// Staged reports whether a leftover with this content is a write that was
// never acknowledged.
func Staged(leftover string, content Sum) bool {
	return len(leftover) > tempTail && leftover[len(leftover)-tempTail:][:tempSum] == short(content)
}

// Displaced reports whether a leftover with this content is what its write
// was meant to displace.
func Displaced(leftover string, content Sum) bool {
	return len(leftover) > tempTail && leftover[len(leftover)-tempTail:][tempSum+1:][:tempSum] == short(content)
}
