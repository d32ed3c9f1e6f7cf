package home_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"corehost/config/home"
)

// A writer that is killed at any moment leaves the whole old or the whole new
// content, and nothing that Leftovers does not find.
func TestKilledWriterLeavesWholeContent(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "f"), string(page(0)), 0o600)
	changed, left := 0, 0
	for range 40 {
		before, err := door.Read("f")
		must(t, err)
		cmd, _, _ := child(t, "write", dir)
		time.Sleep(time.Duration(rand.IntN(15_000)) * time.Microsecond) // the moment of the kill is the test's input
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		f, err := door.Read("f")
		must(t, err)
		if !whole(f.Data) {
			t.Fatalf("torn content of %d bytes", len(f.Data))
		}
		if f.Sum != before.Sum {
			changed++
		}
		leftovers, err := door.Leftovers("f")
		must(t, err)
		left += len(leftovers)
		for _, name := range leftovers {
			must(t, door.Remove(name))
		}
		nothingStaged(t, dir)
	}
	if changed == 0 {
		t.Error("no writer got to write before it was killed")
	}
	t.Logf("40 kills: %d after a change, %d staged files left", changed, left)
}

// A disk that is full in the middle of a write costs the new content only.
func TestFullDisk(t *testing.T) {
	t.Run("limit on the size of files", func(t *testing.T) {
		_, dir := open(t)
		write(t, filepath.Join(dir, "f"), "old", 0o600)
		if _, _, said := child(t, "full", dir); said != "refused" {
			t.Errorf("the writer said %q", said)
		}
		if content(t, filepath.Join(dir, "f")) != "old" {
			t.Error("the old content is gone")
		}
		nothingStaged(t, dir)
	})
	t.Run("small file system", func(t *testing.T) {
		dir := mount(t, "size=256k")
		if dir == "" {
			return
		}
		door, err := home.Open(dir)
		must(t, err)
		defer func() { _ = door.Close() }()
		write(t, filepath.Join(dir, "f"), "old", 0o600)
		f, err := door.Read("f")
		must(t, err)
		if _, err := door.Write("f", make([]byte, 1<<20), f.Sum, 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
		if content(t, filepath.Join(dir, "f")) != "old" {
			t.Error("the old content is gone")
		}
		nothingStaged(t, dir)
		if _, err := door.Write("f", []byte("new"), f.Sum, 0o600); err != nil {
			t.Errorf("a write that fits: %v", err)
		}
	})
}

func TestReadOnlyHome(t *testing.T) {
	dir := mount(t, "size=256k")
	want := error(syscall.EROFS)
	if dir == "" || os.Getuid() != 0 {
		dir, want = t.TempDir(), syscall.EACCES
	}
	write(t, filepath.Join(dir, "f"), "old", 0o600)
	if errors.Is(want, syscall.EROFS) {
		must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	} else {
		must(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		if os.Getuid() == 0 {
			t.Log("root writes into any folder and mounting is not permitted here: only reading is shown")
			want = nil
		}
	}
	door, err := home.Open(dir)
	must(t, err)
	defer func() { _ = door.Close() }()
	f, err := door.Read("f")
	must(t, err)
	if want == nil {
		return
	}
	if _, err := door.Write("f", []byte("new"), f.Sum, 0o600); !errors.Is(err, want) {
		t.Errorf("write: %v", err)
	}
	if err := door.Put("f.bak", f); !errors.Is(err, want) {
		t.Errorf("put: %v", err)
	}
	if err := door.RemoveIf("f", f.Sum); !errors.Is(err, want) {
		t.Errorf("remove: %v", err)
	}
	if _, err := door.Lock("run/core.lock"); !errors.Is(err, want) {
		t.Errorf("lock: %v", err)
	}
	if content(t, filepath.Join(dir, "f")) != "old" {
		t.Error("the old content is gone")
	}
}

// mount makes a small file system of its own; empty where that is not
// permitted, which the log tells.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Logf("mounting is not permitted here: %v", err)
		return ""
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}
