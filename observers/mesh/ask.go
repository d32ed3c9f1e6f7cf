package mesh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

var errTooLong = fmt.Errorf("the answer is longer than %d KiB", maxAnswer>>10)

// askSocket asks the client's local API, which speaks HTTP on a socket and
// insists on this host name.
func askSocket(ctx context.Context, socket string) ([]byte, error) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
		DisableKeepAlives: true,
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://local-tailscaled.sock/localapi/v0/status?peers=false", nil)
	if err != nil {
		return nil, err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = errTooLong
	}
	return data, err
}

// run asks the client's program, in a fixed environment and a process group of
// its own, which is killed as a whole when ctx ends.
func run(ctx context.Context, program string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, "status", "--json", "--peers=false")
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out := &bounded{limit: maxAnswer}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case out.over:
		return nil, errTooLong
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, errors.New("it ended without closing its output")
	}
	return out.data.Bytes(), err
}

// bounded keeps at most limit bytes; more is an error, which ends the copying.
type bounded struct {
	data  bytes.Buffer
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.data.Len()+len(p) > b.limit {
		b.over = true
		return 0, errTooLong
	}
	return b.data.Write(p)
}

// splitPath leaves out what is not absolute: a program in the working folder
// is nobody's client.
func splitPath(path string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
