package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"corehost/api"
	"corehost/api/client"
	"corehost/cmd/cli/text"
	"corehost/cmd/internal/version"
	"corehost/cmd/internal/wire"
	"corehost/config/home"
)

// Waiting for the way to the host.
const (
	dialTimeout  = 2 * time.Second // for a daemon that listens and does not accept
	lockPatience = 3 * time.Second // for another process that has the home
	lockInterval = 25 * time.Millisecond
)

const permissionHint = "run it with sudo, or as the user of the service"

// link is the way to the host: the API, served by the daemon or by this very
// process.
type link struct {
	*client.Client
	direct bool // by this process: there are no loops, every change converges at once
	close  func() error
}

// connect finds the way to the host: the daemon's socket, else the home
// itself. It is asked once; disconnect ends it.
func (a *app) connect(ctx context.Context) (*link, error) {
	if a.link != nil {
		return a.link, nil
	}
	paths, err := home.Resolve(a.getenv, os.Getuid(), home.Paths{Home: a.home, Socket: a.socket})
	if err != nil {
		return nil, failed("name the home: cli --home DIR", "%s", err)
	}
	a.link, err = find(ctx, paths)
	return a.link, err
}

// ask asks one question and prints the answer: as data, or in words.
func ask[T any](ctx context.Context, a *app, question func(*link, context.Context) (T, error), words func(text.Style, T) string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	answer, err := question(l, ctx)
	if err != nil {
		return err
	}
	return a.print(answer, func(s text.Style) string { return words(s, answer) })
}

// find takes whichever way opens first: a daemon that is just starting holds
// the lock before it answers, another cli holds it only for a moment.
func find(ctx context.Context, paths home.Paths) (*link, error) {
	deadline := time.Now().Add(lockPatience)
	for {
		answers, err := listening(ctx, paths.Socket)
		switch {
		case err != nil:
			return nil, err
		case answers:
			return &link{Client: client.Unix(paths.Socket), close: func() error { return nil }}, nil
		}
		l, err := open(ctx, paths)
		switch {
		case !errors.Is(err, wire.ErrLocked):
			return l, err
		case time.Now().After(deadline):
			return nil, failed("see who it is: fuser "+paths.Join(home.LockFile), "another process holds the home at %s and no daemon answers at %s", paths.Home, paths.Socket)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockInterval):
		}
	}
}

// open opens the home in this process, under the lock that a daemon would hold.
func open(ctx context.Context, paths home.Paths) (*link, error) {
	if err := habitable(paths.Home); err != nil {
		return nil, err
	}
	inst, err := wire.Open(ctx, wire.Options{Paths: paths, Version: version.Number(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("open the home: %w", err)
	}
	return &link{Client: client.InProcess(asCLI(inst.Handler)), direct: true, close: inst.Close}, nil
}

func (a *app) disconnect() error {
	if a.link == nil {
		return nil
	}
	l := a.link
	a.link = nil
	return l.close()
}

// listening reports whether a daemon listens on the socket. A socket that is
// left from a daemon that was killed is as good as none.
func listening(ctx context.Context, socket string) (bool, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	switch {
	case err == nil:
		return true, conn.Close()
	case errors.Is(err, fs.ErrPermission):
		return false, failed(permissionHint, "the daemon at %s belongs to another user", socket)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return false, failed("see whether core-dashboard hangs: systemctl status core-dashboard", "the daemon at %s does not answer", socket)
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	return false, nil
}

// asCLI marks every request as made by the user of this process.
func asCLI(h http.Handler) http.Handler {
	actor := fmt.Sprintf("cli:%d", os.Getuid())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(api.WithActor(r.Context(), actor)))
	})
}

// habitable says in a failure why a folder cannot be the home.
func habitable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("name it with --home or CORE_HOME, or make it by starting core-dashboard", "there is no home at %s", dir)
	case errors.Is(err, fs.ErrPermission):
		return failed(permissionHint, "the home at %s belongs to another user", dir)
	case err != nil:
		return fmt.Errorf("look at the home: %w", err)
	case !info.IsDir():
		return failed("name a folder with --home or CORE_HOME", "the home at %s is no folder", dir)
	}
	return nil
}
