package home_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"corehost/config/home"
)

func TestLockExcludesAndNamesTheHolder(t *testing.T) {
	door, dir := open(t)
	cmd, stdin, _ := child(t, "lock", dir)
	_, err := door.Lock("run/core.lock")
	if !errors.Is(err, home.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", cmd.Process.Pid)) {
		t.Errorf("got %v", err)
	}
	must(t, stdin.Close())
	must(t, cmd.Wait())
	lock, err := door.Lock("run/core.lock")
	must(t, err)
	if _, err := door.Lock("run/core.lock"); !errors.Is(err, home.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("a second time in one process: %v", err)
	}
	must(t, lock.Close())
	if _, err := os.Stat(filepath.Join(dir, "run/core.lock")); err != nil {
		t.Errorf("the file of the lock is gone: %v", err)
	}
}

func TestLockEndsWithItsHolder(t *testing.T) {
	door, dir := open(t)
	cmd, _, _ := child(t, "lock", dir)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	lock, err := door.Lock("run/core.lock")
	must(t, err)
	must(t, lock.Close())
}

func TestLockNeedsAFile(t *testing.T) {
	door, dir := open(t)
	must(t, os.Mkdir(filepath.Join(dir, "run"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(dir, "run/core.lock"), 0o600))
	if _, err := door.Lock("run/core.lock"); !errors.Is(err, home.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
	must(t, os.Symlink("/tmp", filepath.Join(dir, "out")))
	if _, err := door.Lock("out/core.lock"); !errors.Is(err, home.ErrEscape) {
		t.Errorf("got %v", err)
	}
}
