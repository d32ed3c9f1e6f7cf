package wire

import (
	"errors"
	"io/fs"
	"log/slog"
	"syscall"

	"corehost/config/home"
)

// ErrLocked: another process works on this home.
var ErrLocked = home.ErrLocked

// acquire takes the right to work on a home: one process at a time. A home
// that cannot be written needs no lock, for nothing in it can be changed.
func acquire(door *home.Door, log *slog.Logger) (*home.Lock, error) {
	lock, err := door.Lock(home.LockFile)
	if readOnly(err) {
		log.Warn("the home cannot be written; nothing in it will be changed", "error", err)
		return nil, nil
	}
	return lock, err
}

// readOnly reports that a place cannot be written, now or by this user.
func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
