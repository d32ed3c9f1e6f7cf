package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"

	"golang.org/x/sys/unix"
)

// maxListed bounds the entries of a folder that are looked at.
const maxListed = 100_000

// Remove takes a file's name away, durably. A symlink is removed itself. A
// file that is not there is an error that wraps fs.ErrNotExist; a folder is
// refused with ErrNotRegular.
func (d *Door) Remove(name string) error {
	parent, err := d.resolve(path.Dir(name))
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	target := path.Join(parent, path.Base(name))
	info, err := d.root.Lstat(target)
	if err == nil && info.IsDir() {
		err = ErrNotRegular
	}
	if err == nil {
		err = d.root.Remove(target)
	}
	if err == nil {
		err = d.syncDir(parent)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}

// RemoveIf removes the file that has the expected content, else ErrChanged
// and it stays. Like Write it loses no write of somebody else.
func (d *Door) RemoveIf(name string, expect Sum) error {
	target, err := d.resolve(name)
	if err == nil {
		err = d.removeIf(target, expect)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}

func (d *Door) removeIf(name string, expect Sum) error {
	done, err := d.exclusive(path.Dir(name))
	if err != nil {
		return err
	}
	defer done()
	now, err := d.read(name)
	if err != nil {
		return err
	}
	if now.Sum != expect {
		return ErrChanged
	}
	temp := tempName(name, NoFile, expect)
	if err := d.rename(name, temp, unix.RENAME_NOREPLACE); err != nil {
		return err
	}
	if !d.settled(temp, expect) {
		if err := d.rename(temp, name, unix.RENAME_NOREPLACE); err != nil {
			return fmt.Errorf("%w; what stood there before is kept as %s", ErrChanged, temp)
		}
		return ErrChanged
	}
	if err := d.root.Remove(temp); err != nil {
		return err
	}
	return d.syncDir(path.Dir(name))
}

// Leftovers names the staged files that a crash left beside a file, as names
// for Read and Remove, sorted. A write that is under way has one too: ask
// only where no other writer runs, as under the Lock.
func (d *Door) Leftovers(name string) ([]string, error) {
	target, err := d.resolve(name)
	if err != nil {
		return nil, fmt.Errorf("find leftovers of %s: %w", name, err)
	}
	folder, err := d.root.Open(path.Dir(target))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find leftovers of %s: %w", name, err)
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.Readdirnames(maxListed)
	if err != nil && len(entries) == 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("find leftovers of %s: %w", name, err)
	}
	var found []string
	for _, entry := range entries {
		if isTemp(entry, path.Base(target)) {
			found = append(found, path.Join(path.Dir(target), entry))
		}
	}
	sort.Strings(found)
	return found, nil
}

// MkdirAll makes a folder and its parents, those that are missing with mode.
func (d *Door) MkdirAll(name string, mode fs.FileMode) error {
	target, err := d.resolve(name)
	if err == nil {
		err = d.root.MkdirAll(target, mode.Perm())
	}
	if err != nil {
		return fmt.Errorf("make folder %s: %w", name, err)
	}
	return nil
}
