package home

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"
)

// MaxFile bounds every file read through the door, in bytes. A configuration
// file larger than this is a mistake, not a configuration.
const MaxFile = 8 << 20

// Errors of the door. All are wrapped with the name of the file.
var (
	// ErrChanged: the file is not what the writer has read; nothing was written.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotRegular: a folder, pipe, socket or device stands where a file should.
	ErrNotRegular = errors.New("not a regular file")
	// ErrEscape: a symlink leads out of the home.
	ErrEscape = errors.New("a symlink leads out of the home")
	// ErrTooLarge: the file is larger than MaxFile.
	ErrTooLarge = errors.New("the file is too large")
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
	Mode    fs.FileMode
	ModTime time.Time
	UID     int
	GID     int
}

// Door reads and writes files below one folder. It follows symlinks only
// inside the folder. It is safe for concurrent use; two writers of one file
// are told apart by the expected sum each must name.
type Door struct {
	root *os.Root
	path string
}

// Open opens the door of an existing folder.
func Open(dir string) (*Door, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open home: %w", err)
	}
	return &Door{root: root, path: dir}, nil
}

// Path is the folder behind the door.
func (d *Door) Path() string { return d.path }

// Close releases the folder.
func (d *Door) Close() error { return d.root.Close() }

// Read returns the whole file, or an error that wraps fs.ErrNotExist,
// ErrNotRegular, ErrEscape or ErrTooLarge. It never blocks on a pipe.
func (d *Door) Read(name string) (File, error) {
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, d.explain(name, err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("read %s: %w", name, ErrNotRegular)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > MaxFile {
		return File{}, fmt.Errorf("read %s: %w: more than %d MiB", name, ErrTooLarge, MaxFile>>20)
	}
	return describe(data, info), nil
}

func describe(data []byte, info fs.FileInfo) File {
	f := File{Data: data, Sum: SumOf(data), Mode: info.Mode().Perm(), ModTime: info.ModTime(), UID: -1, GID: -1}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.UID, f.GID = int(st.Uid), int(st.Gid)
	}
	return f
}

// explain turns the root's own refusal into the door's sentinel.
func (d *Door) explain(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	if _, rerr := d.resolve(name); errors.Is(rerr, ErrEscape) {
		return rerr
	}
	if info, serr := d.root.Lstat(name); serr == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return ErrNotRegular
	}
	return err
}

// maxLinks bounds a chain of symlinks, as the kernel does (path_resolution(7)).
const maxLinks = 40

// resolve follows symlinks inside the folder to the name of the real file,
// which may not exist yet.
func (d *Door) resolve(name string) (string, error) {
	for range maxLinks {
		info, err := d.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		target, err := d.root.Readlink(name)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			return "", ErrEscape
		}
		name = path.Join(path.Dir(name), target)
		if name == ".." || len(name) > 2 && name[:3] == "../" {
			return "", ErrEscape
		}
	}
	return "", fmt.Errorf("more than %d symlinks in a row", maxLinks)
}
