package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pollSlice is how long one look at the output takes, in milliseconds: the
// time until an end of this program by itself is noticed.
const pollSlice = 200

// whileRead is a context that ends when nobody reads a pipe any more: without
// it, a program that waits for events learns of that only at the next one.
func whileRead(ctx context.Context, out io.Writer) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	f, ok := out.(*os.File)
	if !ok {
		return ctx, cancel
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return ctx, cancel
	}
	go func() {
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // G115: descriptors are small numbers
			if n, err := unix.Poll(fds, pollSlice); err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				cancel()
			}
		}
	}()
	return ctx, cancel
}
