package home

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// MaxFile bounds every file read or written through the door, in bytes. A
// configuration file larger than this is a mistake, not a configuration.
const MaxFile = 8 << 20

// maxReads bounds how often a file is read again that changed while it was read.
const maxReads = 3

// Errors of the door. All are wrapped with the name of the file.
var (
	// ErrChanged: the file is not what the writer has read; nothing was written.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotRegular: a folder, pipe, socket or device stands where a file should.
	ErrNotRegular = errors.New("not a regular file")
	// ErrEscape: a symlink leads out of the home.
	ErrEscape = errors.New("a symlink leads out of the home")
	// ErrTooLarge: the file is larger than MaxFile.
	ErrTooLarge = fmt.Errorf("the file is larger than %d MiB", MaxFile>>20)
)

// Sum identifies content: the lower-case hexadecimal SHA-256 of the bytes.
// NoFile is the sum of a file that is not there.
type Sum string

// NoFile stands for the content of a file that does not exist.
const NoFile Sum = ""

// SumOf computes the identity of content.
func SumOf(data []byte) Sum {
	h := sha256.Sum256(data)
	return Sum(hex.EncodeToString(h[:]))
}

// File is the content of a file and what is known about it from one read.
type File struct {
	Data    []byte
	Sum     Sum
	Mode    fs.FileMode // permission bits only
	ModTime time.Time
	UID     int // -1: not known
	GID     int // -1: not known
}

// Door reads and writes files below one folder. Names are relative to it. It
// follows symlinks only inside the folder. It is safe for concurrent use, in
// one process and in many; two writers of one file are told apart by the
// expected sum each must name.
type Door struct {
	root *os.Root
	path string // as it was given, absolute
	real string // without symlinks
}

// Open opens the door of an existing folder.
func Open(dir string) (*Door, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	return &Door{root: root, path: abs, real: resolved}, nil
}

// Path is the folder behind the door.
func (d *Door) Path() string { return d.path }

// Close releases the folder.
func (d *Door) Close() error { return d.root.Close() }

// Read returns the whole file, or an error that wraps fs.ErrNotExist,
// ErrNotRegular, ErrEscape or ErrTooLarge. It never blocks on a pipe and opens
// no device.
func (d *Door) Read(name string) (File, error) {
	target, err := d.resolve(name)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	file, err := d.read(target)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	return file, nil
}

// read is Read of a resolved name.
func (d *Door) read(name string) (File, error) {
	if err := d.regular(name); err != nil {
		return File{}, err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }()
	return readOpen(f)
}

// readOpen reads until the file held still for the length of one read: a
// program that writes into the file is not caught halfway.
func readOpen(f *os.File) (File, error) {
	before, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	if !before.Mode().IsRegular() {
		return File{}, ErrNotRegular
	}
	for try := 1; ; try++ {
		data, err := io.ReadAll(io.NewSectionReader(f, 0, MaxFile+1))
		if err != nil {
			return File{}, err
		}
		if len(data) > MaxFile {
			return File{}, ErrTooLarge
		}
		after, err := f.Stat()
		if err != nil {
			return File{}, err
		}
		if still := after.Size() == int64(len(data)) && after.ModTime().Equal(before.ModTime()); still || try == maxReads {
			return describe(data, after), nil
		}
		before = after
	}
}

// regular refuses what is there but is no regular file, without opening it.
func (d *Door) regular(name string) error {
	info, err := d.root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return nil
}

func describe(data []byte, info fs.FileInfo) File {
	f := File{Data: data, Sum: SumOf(data), Mode: info.Mode().Perm(), ModTime: info.ModTime(), UID: -1, GID: -1}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.UID, f.GID = int(st.Uid), int(st.Gid)
	}
	return f
}
