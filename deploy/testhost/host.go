package testhost

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed boot.sh
var bootScript string

// bootLimit bounds a boot; it takes about half a second on an idle machine.
const bootLimit = 60 * time.Second

// Host is one running throw-away host. Its methods are safe for concurrent
// use.
type Host struct {
	Name    string
	pid     int // of its PID 1, seen from outside
	scratch string
	outer   *exec.Cmd
	log     *bytes.Buffer
}

// Boot starts a host and returns when its systemd has finished starting.
// Close ends it. It needs root, unshare, nsenter and systemd.
func Boot(ctx context.Context, name string) (*Host, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("boot test host: needs root")
	}
	scratch, err := os.MkdirTemp("", "corehost-testhost-")
	if err != nil {
		return nil, fmt.Errorf("boot test host: %w", err)
	}
	h := &Host{Name: name, scratch: scratch, log: &bytes.Buffer{}}
	h.outer = exec.Command("unshare", "--mount", "--propagation", "private", "--net", "--pid", "--fork",
		"--kill-child", "--uts", "--ipc", "--cgroup", "sh", "-c", bootScript, "boot", scratch, name)
	h.outer.Stdout, h.outer.Stderr = h.log, h.log
	h.outer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if err := h.outer.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("boot test host: %w", err), os.RemoveAll(scratch))
	}
	ctx, cancel := context.WithTimeout(ctx, bootLimit)
	defer cancel()
	if err := h.await(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("boot test host: %w\n%s", err, h.log), h.Close())
	}
	return h, nil
}

// await polls until systemd answers that it has started everything; nothing
// outside the namespaces is told about it.
func (h *Host) await(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		h.pid = h.child()
		if h.pid != 0 && h.isSystemd() {
			state, _ := h.Run(ctx, "systemctl", "is-system-running", "--wait")
			if s := strings.TrimSpace(state); s == "running" || s == "degraded" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("systemd did not start: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// child is the process unshare forked: PID 1 of the host.
func (h *Host) child() int {
	outer := strconv.Itoa(h.outer.Process.Pid)
	data, err := os.ReadFile(filepath.Join("/proc", outer, "task", outer, "children"))
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

func (h *Host) isSystemd() bool {
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", h.pid))
	return err == nil && strings.TrimSpace(string(comm)) == "systemd"
}

// Path is where a file of the host can be reached from outside. Unix sockets
// can be connected to through it.
func (h *Host) Path(name string) string {
	return filepath.Join("/proc", strconv.Itoa(h.pid), "root", name)
}

// Command prepares a command that runs on the host, as root.
func (h *Host) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	enter := append([]string{"-t", strconv.Itoa(h.pid), "-a", "-r", "-w", "--", name}, args...)
	cmd := exec.CommandContext(ctx, "nsenter", enter...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"}
	return cmd
}

// Run runs a command on the host and returns what it printed; the error names
// the command and ends with what it said.
func (h *Host) Run(ctx context.Context, name string, args ...string) (string, error) {
	out, err := h.Command(ctx, name, args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("on %s: %s %s: %w: %s", h.Name, name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Write puts a file on the host, with its folders.
func (h *Host) Write(name string, data []byte, mode os.FileMode) error {
	path := h.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s on %s: %w", name, h.Name, err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write %s on %s: %w", name, h.Name, err)
	}
	return os.Chmod(path, mode)
}

// Read returns a file of the host.
func (h *Host) Read(name string) ([]byte, error) { return os.ReadFile(h.Path(name)) }

// Close kills the host and everything on it, and removes its folder.
func (h *Host) Close() error {
	_ = h.outer.Process.Kill()
	_ = h.outer.Wait()
	return os.RemoveAll(h.scratch)
}
