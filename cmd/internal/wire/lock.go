package wire

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"syscall"
	"time"

	"corehost/config/home"
)

// ErrLocked says that another process works on this home.
var ErrLocked = home.ErrLocked

// How long the daemon waits for a command that works on the home directly.
const (
	lockPatience = 5 * time.Second
	lockPause    = 50 * time.Millisecond
)

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

// await takes the lock as soon as it is free, within the daemon's patience: a
// daemon that gave way to a passing command would stay away.
func await(ctx context.Context, door *home.Door, log *slog.Logger) (*home.Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	tick := time.NewTicker(lockPause)
	defer tick.Stop()
	for {
		lock, err := acquire(door, log)
		if !errors.Is(err, ErrLocked) {
			return lock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// readOnly reports that a place cannot be written, now or by this user.
func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
