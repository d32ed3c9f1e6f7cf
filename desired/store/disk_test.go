package store_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired/store"
)

// confined runs the calling test again in a process with mounts of its own,
// and reports whether this is that process.
func confined(t *testing.T) bool {
	t.Helper()
	const mark = "STORE_TEST_CONFINED"
	if os.Getenv(mark) != "" {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// smallDisk mounts a file system of half a megabyte and opens a house on it.
func smallDisk(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), now: time.Now}
	if err := unix.Mount("small", h.dir, "tmpfs", 0, "size=512k,mode=700"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(h.dir, unix.MNT_DETACH) })
	h.save(base)
	h.open()
	return h
}

// fill takes every free byte.
func (h *house) fill() {
	h.t.Helper()
	f, err := os.Create(h.path("filler"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

func TestFullDisk(t *testing.T) {
	if !confined(t) {
		return
	}
	h := smallDisk(t)
	edit := func() error {
		_, err := h.Edit(t.Context(), store.Write{Author: "api:anna"}, setOpenAI)
		return err
	}
	h.fill()
	if err := edit(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("edit on a full disk: %v", err)
	}
	if h.file() != base || providerOf(h.Current()) != "anthropic" {
		t.Error("something was changed")
	}

	h.reopen()
	if !h.db.Memory || h.db.Reason == nil {
		t.Errorf("memory %v, reason %v", h.db.Memory, h.db.Reason)
	}
	if diff := cmp.Diff([]string{"1 file"}, h.history()); diff != "" {
		t.Errorf("the history that can be read: %s", diff)
	}
	if s := h.refresh(); providerOf(s) != "anthropic" || s.Problem != nil || s.Invalid != nil {
		t.Errorf("state %+v", s)
	}

	if err := os.Remove(h.path("filler")); err != nil {
		t.Fatal(err)
	}
	h.reopen()
	if err := edit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1 file", "2 api:anna"}, h.history()); diff != "" || h.db.Memory {
		t.Errorf("with space again (memory %v): %s", h.db.Memory, diff)
	}
}

// TestDiskFullAtTheRecord: the editor's save still fits, its record does not.
// What is not recorded is not in force; with space again it is.
func TestDiskFullAtTheRecord(t *testing.T) {
	if !confined(t) {
		return
	}
	h := smallDisk(t)
	h.fill()
	if err := os.WriteFile(h.path(home.DesiredFile), []byte(provider("openai")), 0o644); err != nil {
		t.Fatal(err)
	}
	err := h.Refresh(t.Context())
	if s := h.Current(); !errors.Is(err, syscall.ENOSPC) || !errors.Is(s.Problem, syscall.ENOSPC) || providerOf(s) != "anthropic" {
		t.Fatalf("refresh: %v; state %+v", err, s)
	}
	if err := os.Remove(h.path("filler")); err != nil {
		t.Fatal(err)
	}
	if s := h.refresh(); s.Problem != nil || providerOf(s) != "openai" || s.Revision.Number != 2 {
		t.Errorf("state %+v", s)
	}
}

func TestReadOnlyHome(t *testing.T) {
	if !confined(t) {
		return
	}
	h := smallDisk(t)
	if _, err := h.Edit(t.Context(), store.Write{Author: "api:anna"}, setOpenAI); err != nil {
		t.Fatal(err)
	}
	h.close()
	if err := unix.Mount("", h.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	h.open()
	if !h.db.Memory || h.db.Reason == nil {
		t.Errorf("memory %v, reason %v", h.db.Memory, h.db.Reason)
	}
	if diff := cmp.Diff([]string{"1 file", "2 api:anna"}, h.history()); diff != "" {
		t.Errorf("the history that can be read: %s", diff)
	}
	if s := h.Current(); providerOf(s) != "openai" || s.Revision.Number != 2 || s.Problem != nil {
		t.Errorf("state %+v", s)
	}
	if _, err := h.Edit(t.Context(), store.Write{}, yamledit.Set("spec.drift", "report")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("edit: %v", err)
	}
	if diff := cmp.Diff([]string{"1 file", "2 api:anna"}, h.history()); diff != "" {
		t.Errorf("after the edit: %s", diff)
	}
}

// TestReadOnlyEmptyHome: nothing can be written, and the store still opens.
func TestReadOnlyEmptyHome(t *testing.T) {
	if !confined(t) {
		return
	}
	h := &house{t: t, dir: t.TempDir(), now: time.Now}
	if err := unix.Mount("small", h.dir, "tmpfs", unix.MS_RDONLY, "size=512k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(h.dir, unix.MNT_DETACH) })
	h.open()
	if s := h.Current(); s.Host == nil || s.Revision.Number != 0 || !errors.Is(s.Problem, os.ErrNotExist) {
		t.Errorf("state %+v", s)
	}
}
