package home

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Keep makes copied a second name of the file that has the expected content,
// in place of whatever stood there: a copy that costs no write, because the
// next Write gives the first name to a new file. Where the file system or its
// rules allow no second name, the bytes are copied.
//
// The bytes are on disk after return; the name is after the next Write in the
// folder, before which it is never lost either.
func (d *Door) Keep(name, copied string, expect Sum) error {
	if err := d.keep(name, copied, expect); err != nil {
		return fmt.Errorf("keep %s as %s: %w", name, copied, err)
	}
	return nil
}

func (d *Door) keep(name, copied string, expect Sum) error {
	from, err := d.resolve(name)
	if err != nil {
		return err
	}
	if copied, err = d.resolve(copied); err != nil {
		return err
	}
	file, err := d.flushed(from)
	if err != nil {
		return err
	}
	if file.Sum != expect {
		return ErrChanged
	}
	if err := d.regular(copied); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	temp := tempName(copied, expect)
	if err := d.root.Link(from, temp); err != nil {
		return d.Put(copied, file)
	}
	err = d.root.Rename(temp, copied)
	_ = d.root.Remove(temp) // rename(2) leaves it when both name one file already
	return err
}

// flushed reads a file whose bytes are on disk.
func (d *Door) flushed(name string) (File, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	if err := unix.Fdatasync(int(f.Fd())); err != nil {
		return File{}, err
	}
	return readOpen(f)
}
