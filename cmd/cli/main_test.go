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
	if os.Getenv(asProgram) != "" {
		os.Exit(program())
	}
	testscript.Main(prepared{m}, map[string]func(){"cli": func() { os.Exit(program()) }})
}

// asProgram makes the test binary behave as cli itself, for tests that need a
// process without a script.
const asProgram = "CLI_TEST_AS_PROGRAM"

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
			"code":   code,
			"await":  await,
			"narrow": narrow,
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
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for last := ""; ; {
		err := ts.Exec(args[1], args[2:]...)
		if last = ts.ReadFile("stdout"); err == nil && strings.Contains(last, args[0]) {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%s never printed %q; last:\n%s", strings.Join(args[1:], " "), args[0], last)
		case <-time.After(20 * time.Millisecond):
		}
	}
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
