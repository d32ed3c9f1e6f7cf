package systemd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// errTooMuch ends a journalctl that prints more than maxOutput.
var errTooMuch = errors.New("more than 1 MiB of log")

// Log returns the newest lines of a unit's journal, oldest first: at most
// 1000 of them and at most 1 MiB. A unit without entries has none.
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
	var out, complaint limited
	out.limit, complaint.limit = maxOutput, maxError
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	switch {
	case out.full:
		return nil, fmt.Errorf("read log of unit %q: %w", name, errTooMuch)
	case err != nil:
		return nil, fmt.Errorf("read log of unit %q: %w: %s", name, err, firstLine(complaint.String()))
	}
	return split(out.String()), nil
}

// limited collects output up to a limit and refuses the rest.
type limited struct {
	bytes.Buffer
	limit int
	full  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.limit {
		l.full = true
		return 0, io.ErrShortWrite
	}
	return l.Buffer.Write(p)
}

func split(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
