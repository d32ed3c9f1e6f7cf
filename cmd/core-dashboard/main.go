// Command core-dashboard is the daemon: it observes the host, brings it to
// what desired.yaml says, and serves the API and the dashboard.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"corehost/cmd/internal/version"
	"corehost/cmd/internal/wire"
)

// Exit codes, those of the command line.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 64
)

// began is as near to the start of the process as a program can see.
var began = time.Now()

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// run is main without the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	s, err := parse(args, getenv, stderr)
	switch {
	case errors.Is(err, errHelp):
		return exitDone
	case err != nil:
		return complain(stderr, exitUsage, err, "core-dashboard --help lists the settings")
	case s.version:
		_, _ = fmt.Fprintln(stdout, "core-dashboard", version.Number())
		return exitDone
	}
	if err := serve(ctx, s, logger(stderr, s.debug)); err != nil {
		return complain(stderr, exitFailed, err, hint(err))
	}
	return exitDone
}

func complain(w io.Writer, code int, err error, hint string) int {
	_, _ = fmt.Fprintf(w, "error: %s\n", err)
	if hint != "" {
		_, _ = fmt.Fprintf(w, "hint: %s\n", hint)
	}
	return code
}

// hint is the next step for an error that has one.
func hint(err error) string {
	switch {
	case errors.Is(err, wire.ErrLocked):
		return "end that process first, or name another home with --home"
	case errors.Is(err, syscall.EADDRINUSE):
		return "choose another address with --listen, such as --listen 127.0.0.1:7720"
	case errors.Is(err, errSocketPath):
		return "choose a shorter path with --socket"
	case errors.Is(err, os.ErrPermission):
		return "run it as the owner of the home, or name another home with --home"
	}
	return ""
}
