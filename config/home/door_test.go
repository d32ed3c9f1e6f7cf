package home_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"corehost/config/home"
)

func open(t *testing.T) (*home.Door, string) {
	t.Helper()
	dir := t.TempDir()
	door, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	return door, dir
}

func write(t *testing.T, name, data string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(data), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// nothingStaged fails when a file that was staged is still there.
func nothingStaged(t *testing.T, dir string) {
	t.Helper()
	staged, err := filepath.Glob(filepath.Join(dir, ".corehost-*"))
	if err != nil || len(staged) > 0 {
		t.Errorf("left behind: %v, %v", staged, err)
	}
}

func TestReadTellsWhatIsThere(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "f"), "text", 0o640)
	f, err := door.Read("f")
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Data) != "text" || f.Mode != 0o640 || f.UID != os.Getuid() || f.GID != os.Getgid() || f.ModTime.IsZero() {
		t.Errorf("got %+v", f)
	}
	if f.Sum != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" {
		t.Errorf("sum %s is not the SHA-256 of the bytes", f.Sum)
	}
}

// In the place of a file may stand anything; reading and writing must say so
// at once and change nothing.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, dir, name string)
		want error
	}{
		{"nothing", func(*testing.T, string, string) {}, fs.ErrNotExist},
		{"folder", func(t *testing.T, _, name string) { must(t, os.Mkdir(name, 0o700)) }, home.ErrNotRegular},
		{"pipe", func(t *testing.T, _, name string) { must(t, syscall.Mkfifo(name, 0o600)) }, home.ErrNotRegular},
		{"socket", func(t *testing.T, _, name string) { socket(t, name) }, home.ErrNotRegular},
		{"pipe behind a symlink", func(t *testing.T, dir, name string) {
			must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
			must(t, os.Symlink("pipe", name))
		}, home.ErrNotRegular},
		{"device behind a symlink", func(t *testing.T, _, name string) { must(t, os.Symlink("/dev/zero", name)) }, home.ErrEscape},
		{"symlink out", func(t *testing.T, _, name string) { must(t, os.Symlink("../../etc/passwd", name)) }, home.ErrEscape},
		{"symlink out and in again", func(t *testing.T, dir, name string) {
			must(t, os.Symlink("../"+filepath.Base(dir)+"/other", name))
		}, home.ErrEscape},
		{"symlink out through a folder", func(t *testing.T, dir, name string) {
			must(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
			must(t, os.Symlink("etc/passwd", name))
		}, home.ErrEscape},
		{"too large", func(t *testing.T, _, name string) {
			write(t, name, "", 0o600)
			must(t, os.Truncate(name, home.MaxFile+1))
		}, home.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			door, dir := open(t)
			name := filepath.Join(dir, "f")
			tt.make(t, dir, name)
			if _, err := door.Read("f"); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), "f") {
				t.Errorf("read: %v, want %v", err, tt.want)
			}
			if errors.Is(tt.want, fs.ErrNotExist) {
				return
			}
			before, _ := os.Lstat(name)
			if _, err := door.Write("f", []byte("new"), home.SumOf([]byte("old")), 0o600); !errors.Is(err, tt.want) {
				t.Errorf("write: %v, want %v", err, tt.want)
			}
			if after, err := os.Lstat(name); err != nil || !os.SameFile(before, after) {
				t.Errorf("the write replaced it: %v", err)
			}
			nothingStaged(t, dir)
		})
	}
}

func TestDeviceIsRefused(t *testing.T) {
	door, dir := open(t)
	err := syscall.Mknod(filepath.Join(dir, "f"), syscall.S_IFCHR|0o600, 1<<8|5) // as /dev/zero
	if err != nil {
		t.Logf("making a device is not permitted here (%v); the pipe and the socket stand for it", err)
		return
	}
	if _, err := door.Read("f"); !errors.Is(err, home.ErrNotRegular) {
		t.Errorf("read: %v", err)
	}
}

func TestNamesOutsideAreRefused(t *testing.T) {
	door, _ := open(t)
	for _, name := range []string{"", "..", "../f", "/etc/passwd", "a/../../f"} {
		if _, err := door.Read(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("read %q: %v", name, err)
		}
		if _, err := door.Write(name, nil, home.NoFile, 0o600); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("write %q: %v", name, err)
		}
	}
}

// People put their configuration under version control and link to it.
func TestSymlinkInsideIsFollowed(t *testing.T) {
	tests := []struct{ name, link, folder string }{
		{"relative", "conf/real.yaml", ""},
		{"absolute", "HOME/conf/real.yaml", ""},
		{"through a linked folder", "here/real.yaml", "conf"},
		{"up from a linked folder", "deep/../real.yaml", "conf/sub"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			door, dir := open(t)
			must(t, os.MkdirAll(filepath.Join(dir, "conf/sub"), 0o700))
			target := filepath.Join(dir, "conf/real.yaml")
			write(t, target, "old", 0o644)
			must(t, os.Symlink(strings.Replace(tt.link, "HOME", dir, 1), filepath.Join(dir, "f")))
			if tt.folder != "" {
				must(t, os.Symlink(tt.folder, filepath.Join(dir, strings.Split(tt.link, "/")[0])))
			}
			f, err := door.Read("f")
			must(t, err)
			if _, err := door.Write("f", []byte("new"), f.Sum, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := content(t, target); got != "new" {
				t.Errorf("the target holds %q", got)
			}
			if info, err := os.Lstat(filepath.Join(dir, "f")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v", err)
			}
			nothingStaged(t, filepath.Dir(target))
			nothingStaged(t, dir)
		})
	}
}

func TestSymlinkLoopEnds(t *testing.T) {
	door, dir := open(t)
	must(t, os.Symlink("b", filepath.Join(dir, "a")))
	must(t, os.Symlink("a", filepath.Join(dir, "b")))
	if _, err := door.Read("a"); err == nil || !strings.Contains(err.Error(), "symlinks") {
		t.Errorf("got %v", err)
	}
}

func TestWriteKeepsModeAndOwner(t *testing.T) {
	door, dir := open(t)
	name := filepath.Join(dir, "f")
	write(t, name, "old", 0o604)
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 4321, 1234
		must(t, os.Chown(name, uid, gid))
	}
	f, err := door.Write("f", []byte("new"), home.SumOf([]byte("old")), 0o777)
	must(t, err)
	read, err := door.Read("f")
	must(t, err)
	for _, got := range []home.File{f, read} {
		if string(got.Data) != "new" || got.Mode != 0o604 || got.UID != uid || got.GID != gid || got.Sum != home.SumOf([]byte("new")) {
			t.Errorf("got %+v", got)
		}
	}
	if !f.ModTime.Equal(read.ModTime) {
		t.Errorf("the write says %v, the file %v", f.ModTime, read.ModTime)
	}
	nothingStaged(t, dir)
}

func TestWriteNewFileGetsMode(t *testing.T) {
	door, dir := open(t)
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	f, err := door.Write("f", []byte("x"), home.NoFile, 0o644)
	must(t, err)
	if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Mode().Perm() != 0o644 || f.Mode != 0o644 {
		t.Errorf("got %v, %v", f.Mode, err)
	}
	nothingStaged(t, dir)
}

func TestWriteRefusesWhatItHasNotSeen(t *testing.T) {
	tests := []struct {
		name   string
		there  string
		expect home.Sum
	}{
		{"other content", "theirs", home.SumOf([]byte("mine"))},
		{"a file where none was", "theirs", home.NoFile},
		{"no file where one was", "", home.SumOf([]byte("mine"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			door, dir := open(t)
			name := filepath.Join(dir, "f")
			if tt.there != "" {
				write(t, name, tt.there, 0o600)
			}
			if _, err := door.Write("f", []byte("new"), tt.expect, 0o600); !errors.Is(err, home.ErrChanged) {
				t.Errorf("got %v", err)
			}
			if tt.there != "" && content(t, name) != tt.there {
				t.Errorf("the file was changed")
			}
			nothingStaged(t, dir)
		})
	}
}

func TestWriteTooLarge(t *testing.T) {
	door, dir := open(t)
	if _, err := door.Write("f", make([]byte, home.MaxFile+1), home.NoFile, 0o600); !errors.Is(err, home.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := door.Write("f", bytes.Repeat([]byte("x"), home.MaxFile), home.NoFile, 0o600); err != nil {
		t.Errorf("the largest file: %v", err)
	}
	nothingStaged(t, dir)
}

func TestPutReplacesWithModeOfTheOriginal(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "f.bak"), "older", 0o644)
	must(t, door.Put("f.bak", home.File{Data: []byte("old"), Mode: 0o600, UID: os.Getuid(), GID: os.Getgid()}))
	info, err := os.Stat(filepath.Join(dir, "f.bak"))
	must(t, err)
	if info.Mode().Perm() != 0o600 || content(t, filepath.Join(dir, "f.bak")) != "old" {
		t.Errorf("mode %v", info.Mode())
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	if err := door.Put("folder", home.File{Mode: 0o600}); !errors.Is(err, home.ErrNotRegular) {
		t.Errorf("over a folder: %v", err)
	}
	nothingStaged(t, dir)
}

func TestRemove(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "target"), "x", 0o600)
	must(t, os.Symlink("target", filepath.Join(dir, "link")))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, door.Remove("link"))
	if content(t, filepath.Join(dir, "target")) != "x" {
		t.Error("the target of a link is gone")
	}
	must(t, door.Remove("target"))
	if err := door.Remove("target"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a second time: %v", err)
	}
	if err := door.Remove("folder"); !errors.Is(err, home.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if err := door.Remove("../x"); err == nil {
		t.Error("a name outside")
	}
}

func TestRemoveIf(t *testing.T) {
	door, dir := open(t)
	name := filepath.Join(dir, "f")
	write(t, name, "x", 0o600)
	if err := door.RemoveIf("f", home.SumOf([]byte("y"))); !errors.Is(err, home.ErrChanged) || content(t, name) != "x" {
		t.Errorf("got %v", err)
	}
	must(t, door.RemoveIf("f", home.SumOf([]byte("x"))))
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	nothingStaged(t, dir)
}

func TestLeftovers(t *testing.T) {
	door, dir := open(t)
	must(t, os.Mkdir(filepath.Join(dir, "conf"), 0o700))
	must(t, os.Symlink("conf/f", filepath.Join(dir, "link")))
	for _, name := range []string{
		".corehost-f-0123456789ab-aaaaaaaaaaaa-00000001", ".corehost-f-00000000000f-aaaaaaaaaaaa-00000001", // ours
		".corehost-f-x-0123456789ab-aaaaaaaaaaaa-00000001", ".corehost-f-0123456789ab-aaaaaaaaaaaa-0000000", ".corehost-f-0123456789xy-aaaaaaaaaaaa-00000001", "f", // not ours
		"conf/.corehost-f-aaaaaaaaaaaa-aaaaaaaaaaaa-00000001",
	} {
		write(t, filepath.Join(dir, name), "x", 0o600)
	}
	for name, want := range map[string]string{
		"f":        ".corehost-f-00000000000f-aaaaaaaaaaaa-00000001 .corehost-f-0123456789ab-aaaaaaaaaaaa-00000001",
		"f-x":      ".corehost-f-x-0123456789ab-aaaaaaaaaaaa-00000001",
		"link":     "conf/.corehost-f-aaaaaaaaaaaa-aaaaaaaaaaaa-00000001",
		"none/f":   "",
		"conf/g":   "",
		"conf/f":   "conf/.corehost-f-aaaaaaaaaaaa-aaaaaaaaaaaa-00000001",
		"f/../f-x": ".corehost-f-x-0123456789ab-aaaaaaaaaaaa-00000001",
	} {
		got, err := door.Leftovers(name)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestMkdirAll(t *testing.T) {
	door, dir := open(t)
	must(t, door.MkdirAll("a/b", 0o700))
	must(t, door.MkdirAll("a/b", 0o700))
	if info, err := os.Stat(filepath.Join(dir, "a/b")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v", err)
	}
	must(t, os.Symlink("/tmp", filepath.Join(dir, "out")))
	if err := door.MkdirAll("out/x", 0o700); !errors.Is(err, home.ErrEscape) {
		t.Errorf("got %v", err)
	}
}

func TestOpenWithoutAHome(t *testing.T) {
	if _, err := home.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func socket(t *testing.T, name string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	t.Chdir(filepath.Dir(name)) // the address is short
	must(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Base(name)}))
}
