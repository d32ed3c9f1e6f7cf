package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"corehost/config/home"
)

// groundInterval is how often the daemon looks whether what it stands on is
// still there.
const groundInterval = 2 * time.Second

// ErrGone says that the home, its journal or its lock was removed or replaced under
// the running daemon. It would go on writing where nobody looks, so it ends; a
// new start makes or opens what is missing.
var ErrGone = errors.New("was removed or replaced while the daemon ran; start it again")

// footing is one file or folder the daemon holds open.
type footing struct {
	path string
	info os.FileInfo
}

// ground lists what must stay where it is. What is not there at the start, as
// in a home that cannot be written, is not missed.
func ground(p home.Paths) []footing {
	var list []footing
	for _, path := range []string{p.Home, p.Join(home.OperatorFile), p.Join(home.LockFile)} {
		if info, err := os.Stat(path); err == nil {
			list = append(list, footing{path, info})
		}
	}
	return list
}

// lost is the error of the first footing that is gone.
func lost(list []footing) error {
	for _, f := range list {
		now, err := os.Stat(f.path)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, f.info) {
			return fmt.Errorf("%s %w", f.path, ErrGone)
		}
	}
	return nil
}

// stand returns when a footing is lost, with ErrGone, or when ctx ends.
func stand(ctx context.Context, list []footing, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := lost(list); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
