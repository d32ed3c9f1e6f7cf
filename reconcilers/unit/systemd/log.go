package systemd

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Limits of one journalctl run.
const (
	logTimeout = 10 * time.Second
	maxLines   = 1000
	maxOutput  = 1 << 20 // bytes
	maxError   = 4 << 10 // bytes
)

// Log returns the newest lines of a unit's journal, oldest first: at most
// 1000 of them and the newest 1 MiB. A unit without entries has none.
func (m *Manager) Log(ctx context.Context, name string, lines int) ([]string, error) {
	if !unitName.MatchString(name) {
		return nil, fmt.Errorf("read log of unit %q: %w", name, ErrName)
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	program := m.config.Journalctl
	if program == "" {
		program = "/usr/bin/journalctl"
	}
	cmd := exec.CommandContext(ctx, program, "--no-pager", "--quiet", "-o", "short-iso",
		"-n", strconv.Itoa(min(max(lines, 1), maxLines)), "-u", name+".service")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER="}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	out, complaint := &tail{limit: maxOutput}, &tail{limit: maxError}
	cmd.Stdout, cmd.Stderr = out, complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("read log of unit %q: %w: %s", name, err, strings.Join(complaint.lines(), "; "))
	}
	return out.lines(), nil
}

// tail keeps the newest bytes of what is written to it.
type tail struct {
	limit int
	cut   bool // older bytes were dropped, so the first line is torn
	text  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.text.Write(p)
	if over := t.text.Len() - t.limit; over > 0 {
		t.text.Next(over)
		t.cut = true
	}
	return len(p), nil
}

// lines are the whole lines kept.
func (t *tail) lines() []string {
	text := strings.TrimRight(t.text.String(), "\n")
	if t.cut {
		_, text, _ = strings.Cut(text, "\n")
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
