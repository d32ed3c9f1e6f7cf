package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// daemonBinary is core-dashboard, built once for all scripts.
var daemonBinary string

func TestMain(m *testing.M) {
	testscript.Main(prepared{m}, map[string]func(){"cli": func() { os.Exit(program()) }})
}

// patienceInTests is how long a script waits for what must happen.
const patienceInTests = 20 * time.Second

// prepared builds the daemon before the tests run.
type prepared struct{ m *testing.M }

func (p prepared) Run() int {
	dir, err := os.MkdirTemp("", "cli-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	daemonBinary = filepath.Join(dir, "core-dashboard")
	build := exec.Command("go", "build", "-o", daemonBinary, "corehost/cmd/core-dashboard")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build core-dashboard: %v\n%s", err, out)
		return 1
	}
	return p.m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               scratch,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"await":   await,
			"narrow":  narrow,
			"serving": serving,
		},
		UpdateScripts: *updateScripts,
	})
}

// scratch gives each script a home, a port and a clock zone of its own.
func scratch(env *testscript.Env) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	env.Setenv("CORE_HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("CORE_BACKUP_DIR", filepath.Join(env.WorkDir, "backups"))
	env.Setenv("CORE_LISTEN", listener.Addr().String())
	env.Setenv("DAEMON", daemonBinary)
	env.Setenv("TZ", "UTC")
	env.Setenv("USER_ID", strconv.Itoa(os.Getuid()))
	return nil
}

// code runs a command and compares its exit code: code 64 cli nonsense.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [arg...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("%s: exit code %d, want %s", strings.Join(args[1:], " "), got, want)
	}
}

// await runs a command until its standard output holds a text:
// await 'converged' cli status.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await text command [arg...]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceInTests)
	defer cancel()
	for {
		err := ts.Exec(args[1], args[2:]...)
		last := ts.ReadFile("stdout")
		if err == nil && strings.Contains(last, args[0]) {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%s never printed %q; last:\n%s", strings.Join(args[1:], " "), args[0], last)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// serving waits until the daemon of this script listens on its socket.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	socket := filepath.Join(ts.Getenv("CORE_HOME"), "run", "core.sock")
	deadline := time.Now().Add(patienceInTests)
	for time.Now().Before(deadline) {
		if conn, err := net.Dial("unix", socket); err == nil {
			ts.Check(conn.Close())
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("the daemon never listened on %s", socket)
}

// narrow fails when the last output has a line wider than so many columns.
func narrow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: narrow N")
	}
	width, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
			ts.Fatalf("a line has %d columns: %s", n, line)
		}
	}
}
