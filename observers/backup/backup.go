// Package backup observes the whole-server backups in their folder.
//
// Law: it lists what bears a backup's name and is a plain file, and judges it
// by its checksum file alone; archives are never opened.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"corehost/observers"
	"corehost/observers/folder"
)

const interval = time.Minute

// Bounds of one listing: the newest maxFiles are reported, a checksum file is
// one line.
const (
	maxFiles   = 10_000
	maxSidecar = 512 // bytes
)

// How a backup is named: prefix, time in UTC, suffix; its checksum file has
// sidecar appended.
const (
	prefix  = "core-"
	stamp   = "20060102T150405Z"
	suffix  = ".tar.gz"
	sidecar = ".sha256"
)

// Backup observes one folder.
type Backup struct{ dir string }

// New observes the folder dir, which need not exist.
func New(dir string) *Backup { return &Backup{dir: dir} }

// Name is "backup".
func (b *Backup) Name() string { return "backup" }

// Interval is a minute; changes in the folder wake it.
func (b *Backup) Interval() time.Duration { return interval }

// Wake tells of backups that come, go or are finished; the growing of an
// archive is left to the interval.
func (b *Backup) Wake(ctx context.Context, wake func()) error {
	return folder.Watch(ctx, b.dir, func(e fsnotify.Event) bool {
		name := filepath.Base(e.Name)
		_, archive := parseName(name)
		return archive && e.Op != fsnotify.Write || strings.HasSuffix(name, sidecar)
	}, wake)
}

// Observe lists the folder, newest first. A folder that is not there holds no
// backups.
func (b *Backup) Observe(ctx context.Context) (observers.Backups, error) {
	out := observers.Backups{Dir: b.dir}
	names, err := b.names(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return observers.Backups{}, fmt.Errorf("list backups: %w", err)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return observers.Backups{}, err
		}
		file, ok, err := b.file(name)
		if err != nil {
			return observers.Backups{}, fmt.Errorf("list backups: %w", err)
		}
		if ok {
			out.Files = append(out.Files, file)
		}
	}
	return out, nil
}

// names are those of the newest maxFiles, newest first.
func (b *Backup) names(ctx context.Context) ([]string, error) {
	dir, err := os.Open(b.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	var names []string
	for {
		batch, err := dir.Readdirnames(1024)
		for _, name := range batch {
			if _, ok := parseName(name); ok {
				names = append(names, name)
			}
		}
		if len(names) > 2*maxFiles || err != nil {
			slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
			names = names[:min(len(names), maxFiles)]
		}
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
}

// file describes one backup; false when it is no plain file or gone by now.
func (b *Backup) file(name string) (observers.BackupFile, bool, error) {
	at, _ := parseName(name)
	path := filepath.Join(b.dir, name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return observers.BackupFile{}, false, nil
	}
	if err != nil {
		return observers.BackupFile{}, false, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return observers.BackupFile{}, false, nil
	}
	file := observers.BackupFile{Name: name, Stamp: at, Size: info.Size(), Identity: identity(st)}
	if sum, written, ok := readSidecar(path+sidecar, name); ok {
		file.Finished, file.Sum = true, sum
		file.Verified = !written.Before(info.ModTime())
	}
	return file, true, nil
}

func identity(st *syscall.Stat_t) string {
	return fmt.Sprintf("%d:%d:%d:%d.%09d", st.Dev, st.Ino, st.Size, st.Ctim.Sec, st.Ctim.Nsec)
}

// readSidecar reads a checksum file; false when it is not there, no plain file
// or not well-formed: then the backup is not finished.
func readSidecar(path, name string) (sum string, written time.Time, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", time.Time{}, false
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", time.Time{}, false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSidecar+1))
	if err != nil || len(data) > maxSidecar {
		return "", time.Time{}, false
	}
	sum, ok = parseSidecar(data, name)
	return sum, info.ModTime(), ok
}
