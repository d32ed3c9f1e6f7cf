package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"corehost/api/client"
	"corehost/cmd/internal/version"
	"corehost/cmd/internal/wire"
	"corehost/config/home"
)

// Waiting for the home: another cli is done soon, a daemon is not.
const (
	lockPatience = 3 * time.Second
	lockInterval = 25 * time.Millisecond
)

// open opens the home in this process, under the lock that a daemon would hold.
func (a *app) open(ctx context.Context, paths home.Paths) (*link, error) {
	if err := habitable(paths.Home); err != nil {
		return nil, err
	}
	options := wire.Options{Paths: paths, Version: version.Number(), Log: slog.New(slog.DiscardHandler)}
	deadline := time.Now().Add(lockPatience)
	for {
		inst, err := wire.Open(ctx, options)
		switch {
		case err == nil:
			return &link{Client: client.InProcess(asCLI(inst.Handler)), direct: true, close: inst.Close}, nil
		case !errors.Is(err, wire.ErrLocked):
			return nil, fmt.Errorf("open the home: %w", err)
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
