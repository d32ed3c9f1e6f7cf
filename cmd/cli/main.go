// Command cli looks at one host and changes what it should be. It talks to
// the daemon over its unix socket; without one it opens the home itself,
// under the same lock, and converges before it returns.
//
// Law: looking never changes anything. Text is for people, JSON and YAML are
// the API's own bodies, and the exit code says how it went: 0 done, 1 failed,
// 3 changes pending, 64 not understood.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(program()) }

// program runs the command line of this process. A closed pipe ends the
// output, not the program: an open home is closed properly first.
func program() int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
}
