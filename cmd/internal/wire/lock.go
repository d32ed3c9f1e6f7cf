package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrLocked: another process works on this home.
var ErrLocked = errors.New("another process works on this home")

// lock is the right to work on a home: one process at a time. The kernel
// gives it back when the process ends, however it ends.
type lock struct{ file *os.File }

// acquire takes the lock. A home that cannot be written needs none: nobody
// can change it through this process.
func acquire(path string, log *slog.Logger) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil && !readOnly(err) {
		return nil, fmt.Errorf("lock the home: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if readOnly(err) {
		log.Warn("the home cannot be written; nothing in it will be changed", "error", err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock the home: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(path)
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w%s", path, ErrLocked, named(string(holder)))
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	return &lock{f}, nil
}

func (l *lock) release() error { return l.file.Close() }

// named is the process that holds the lock, for the message only.
func named(holder string) string {
	if pid := strings.TrimSpace(holder); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// readOnly reports that a place cannot be written, now or by this user.
func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
