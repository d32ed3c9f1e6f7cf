package home_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"corehost/config/home"
)

// childEnv makes the test binary do one of these jobs instead of testing, so
// that the job can be killed or limited without the tests.
const childEnv = "COREHOST_TEST_CHILD"

var children = map[string]func(dir string) error{
	"write": childWrite,
	"lock":  childLock,
	"full":  childFull,
}

func TestMain(m *testing.M) {
	if job, dir, ok := strings.Cut(os.Getenv(childEnv), ":"); ok {
		if err := children[job](dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child starts a job and waits for its first line.
func child(t *testing.T, job, dir string) (*exec.Cmd, io.WriteCloser, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+job+":"+dir)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the child said %q: %v", line, err)
	}
	return cmd, stdin, strings.TrimSpace(line)
}

// page is content that tells whether it is whole.
func page(n int) []byte {
	body := strings.Repeat(fmt.Sprintf("%08d\n", n), 8000)
	return []byte(string(home.SumOf([]byte(body))) + "\n" + body)
}

func whole(data []byte) bool {
	sum, body, ok := strings.Cut(string(data), "\n")
	return ok && string(home.SumOf([]byte(body))) == sum
}

// childWrite replaces the file f as fast as it can, until it is killed.
func childWrite(dir string) error {
	door, err := home.Open(dir)
	if err != nil {
		return err
	}
	f, err := door.Read("f")
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for n := 0; ; n++ {
		if f, err = door.Write("f", page(n), f.Sum, 0o600); err != nil {
			return err
		}
	}
}

// childLock holds the lock until its input ends.
func childLock(dir string) error {
	door, err := home.Open(dir)
	if err != nil {
		return err
	}
	lock, err := door.Lock("run/core.lock")
	if err != nil {
		return err
	}
	fmt.Println("locked")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return lock.Close()
}

// childFull writes with a limit on the size of files, as a disk that has only
// so much room left.
func childFull(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	door, err := home.Open(dir)
	if err != nil {
		return err
	}
	f, err := door.Read("f")
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 16, Max: 1 << 16}); err != nil {
		return err
	}
	_, err = door.Write("f", make([]byte, 1<<20), f.Sum, 0o600)
	if !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("the write ended with: %w", err)
	}
	fmt.Println("refused")
	return nil
}
