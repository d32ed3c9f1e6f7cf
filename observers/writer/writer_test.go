package writer_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"corehost/observers"
	"corehost/observers/writer"
)

const file = "config.yaml"

// told reports whether the kernel tells this user about other processes, which
// takes CAP_SYS_ADMIN; without it nobody may be named.
func told(t *testing.T) bool {
	t.Helper()
	fd, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_CLOEXEC, unix.O_RDONLY)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// watch runs a writer over a home with one file until the test ends.
func watch(t *testing.T, dir string) *writer.Writer {
	t.Helper()
	w := writer.New(dir, "/proc", time.Now, file)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	await(t, "the watch", func() bool { // a write by this process is seen wherever the kernel lets anybody watch
		put(t, dir, "model: a\n")
		_, ok := w.Last(file)
		return ok
	})
	return w
}

func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !met(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// scripts are what a person's program does to the file. The test program runs
// them itself, as another process that lives until it has been looked at.
var scripts = map[string]func() error{
	"append in place, still open": func() error {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString("# more\n")
		}
		return err
	},
	"write in place": func() error { return os.WriteFile(file, []byte("model: b\n"), 0o600) },
	"temporary file and rename": func() error {
		return errors.Join(os.WriteFile("new", []byte("model: b\n"), 0o600), os.Rename("new", file))
	},
	"move in from elsewhere": func() error {
		return errors.Join(os.Mkdir("../elsewhere", 0o700), os.WriteFile("../elsewhere/new", nil, 0o600), os.Rename("../elsewhere/new", file))
	},
	"write in place after a rename": func() error {
		return errors.Join(os.WriteFile("new", nil, 0o600), os.Rename("new", file), os.WriteFile(file, []byte("model: c\n"), 0o600))
	},
	"write other files": func() error {
		return errors.Join(os.WriteFile("operator.db", nil, 0o600), os.Mkdir("sub", 0o700), os.WriteFile("sub/"+file, nil, 0o600))
	},
	"only read": func() error { _, err := os.ReadFile(file); return err },
	"wait, then write": func() error {
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return err
		}
		return os.WriteFile(file, []byte("model: d\n"), 0o600)
	},
}

func TestMain(m *testing.M) {
	script, ok := scripts[os.Getenv("WRITER_SCRIPT")]
	if !ok {
		os.Exit(m.Run())
	}
	if err := script(); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("done\n")
	io.Copy(io.Discard, os.Stdin)
}

// person is another process at work on the file.
type person struct {
	pid  int
	in   io.WriteCloser
	done *bufio.Scanner
}

// start runs a script in dir; the process ends with the test.
func start(t *testing.T, dir, script string) *person {
	t.Helper()
	if scripts[script] == nil {
		t.Fatalf("no script %q", script)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "WRITER_SCRIPT="+script), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	return &person{pid: cmd.Process.Pid, in: in, done: bufio.NewScanner(out)}
}

// edit runs a script to its end and leaves the process alive.
func edit(t *testing.T, dir, script string) int {
	t.Helper()
	p := start(t, dir, script)
	if !p.done.Scan() {
		t.Fatalf("%s did not end well", script)
	}
	return p.pid
}

func home(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEditIsPutDownToItsProcess(t *testing.T) {
	program := filepath.Base(os.Args[0])
	for _, script := range []string{
		"append in place, still open", "write in place", "temporary file and rename", "move in from elsewhere", "write in place after a rename",
	} {
		t.Run(script, func(t *testing.T) {
			dir := home(t)
			w := watch(t, dir)
			began := time.Now().Add(-time.Second)
			pid := edit(t, dir, script)
			who, ok := w.Last(file)
			if !told(t) {
				if ok {
					t.Errorf("put down to %+v without a right to know", who)
				}
				return
			}
			if !ok || who == nil {
				t.Fatalf("nobody was seen: %v %t", who, ok)
			}
			if who.PID != pid || !strings.HasPrefix(program, who.Command) || who.Command == "" || who.UID != os.Getuid() && who.User == "" || who.At.Before(began) {
				t.Errorf("put down to %+v, want process %d of %s", who, pid, program)
			}
		})
	}
}

func TestLastOfSeveralCounts(t *testing.T) {
	if !told(t) {
		return // nobody is told apart
	}
	dir := home(t)
	w := watch(t, dir)
	for _, script := range []string{"write in place", "temporary file and rename", "append in place, still open"} {
		pid := edit(t, dir, script)
		edit(t, dir, "only read")
		if who, ok := w.Last(file); !ok || who == nil || who.PID != pid {
			t.Errorf("after %s: %+v, want process %d", script, who, pid)
		}
	}
}

func TestThisProcessIsNobody(t *testing.T) {
	dir := home(t)
	w := watch(t, dir)
	edit(t, dir, "temporary file and rename")
	put(t, dir, "model: c\n")
	if who, ok := w.Last(file); !ok || who != nil {
		t.Errorf("our own write is put down to %+v (known: %t)", who, ok)
	}
}

func TestOtherFilesAndReadersDoNotCount(t *testing.T) {
	dir := home(t)
	w := watch(t, dir)
	edit(t, dir, "write other files")
	edit(t, dir, "only read")
	if who, ok := w.Last(file); !ok || who != nil {
		t.Errorf("put down to %+v (known: %t)", who, ok)
	}
	if _, ok := w.Last("operator.db"); ok {
		t.Error("a file nobody asked about is known")
	}
}

func TestBeforeAndAfterWatchingNobodyIsKnown(t *testing.T) {
	dir := t.TempDir()
	w := writer.New(dir, "/proc", time.Now, file)
	if _, ok := w.Last(file); ok {
		t.Error("known before Run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	await(t, "a write to be seen", func() bool { put(t, dir, "a"); _, ok := w.Last(file); return ok })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	if _, ok := w.Last(file); ok {
		t.Error("known after Run")
	}
}

func TestFolderThatCannotBeWatchedIsAnError(t *testing.T) {
	if err := writer.New(filepath.Join(t.TempDir(), "none"), "/proc", time.Now, file).Run(t.Context()); err == nil {
		t.Error("watching a folder that is not there")
	}
}

// TestLoginUserWinsOverTheUserOfTheProcess reads processes from a folder, so
// that they can be anybody's.
func TestLoginUserWinsOverTheUserOfTheProcess(t *testing.T) {
	tests := map[string]struct {
		login string
		want  int
	}{
		"logged in":   {"4242", 4242},
		"never did":   {"4294967295", 2424},
		"no auditing": {"-", 2424},
		"nonsense":    {"minus one\n", 2424},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			proc, dir := t.TempDir(), t.TempDir()
			put(t, dir, "a")
			w := writer.New(dir, proc, time.Now, file)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- w.Run(ctx) }()
			defer func() { cancel(); <-ended }()
			await(t, "the watch", func() bool { put(t, dir, "a"); _, ok := w.Last(file); return ok })

			var who *observers.Writer
			p := start(t, dir, "wait, then write")
			process(t, filepath.Join(proc, strconv.Itoa(p.pid)), test.login)
			p.in.Write([]byte("\n"))
			p.done.Scan()
			if !told(t) {
				await(t, "the write", func() bool { who, ok := w.Last(file); return !ok && who == nil })
				return
			}
			await(t, "the writer", func() bool { who, _ = w.Last(file); return who != nil })
			if who.UID != test.want || who.User != strconv.Itoa(test.want) || who.Command != "vim" || who.PID != p.pid {
				t.Errorf("%+v, want user %d with vim", who, test.want)
			}
		})
	}
}

func process(t *testing.T, dir, login string) {
	t.Helper()
	files := map[string]string{"comm": "vim\n", "status": "Name:\tvim\nUid:\t2424\t0\t0\t0\nGid:\t0\t0\t0\t0\n", "loginuid": login}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if text == "-" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
