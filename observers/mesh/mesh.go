// Package mesh observes the mesh VPN client (Tailscale), through which the
// dashboard can be reached from another device.
//
// Law: connected means that the client says so of itself: running and online.
// An answer that cannot be understood is no answer.
package mesh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"corehost/observers"
)

// DefaultSocket is where the client's daemon listens on Linux.
const DefaultSocket = "/var/run/tailscale/tailscaled.sock"

const interval = 30 * time.Second

// Bounds of one question. Peers are not asked for, so an answer is small.
const (
	timeout   = 5 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// Config says where the client is.
type Config struct {
	Socket string // of the client's daemon; empty: DefaultSocket
	Path   string // folders in which the client's program is looked for, as in PATH
}

// Mesh observes the client on this host.
type Mesh struct{ socket, path string }

// New observes the client that c describes.
func New(c Config) *Mesh {
	if c.Socket == "" {
		c.Socket = DefaultSocket
	}
	return &Mesh{socket: c.Socket, path: c.Path}
}

// Name is "mesh".
func (m *Mesh) Name() string { return "mesh" }

// Interval is thirty seconds.
func (m *Mesh) Interval() time.Duration { return interval }

// Observe asks the daemon on its socket, or else the program. A client that is
// not installed, or whose daemon does not run, is a state; an answer that does
// not come or makes no sense is an error.
func (m *Mesh) Observe(ctx context.Context) (observers.Mesh, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := askSocket(ctx, m.socket)
	if errors.Is(err, fs.ErrNotExist) {
		return m.askProgram(ctx)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return observers.Mesh{State: observers.MeshNotConnected, Detail: "The mesh VPN client is installed but its service is not running."}, nil
	}
	if err != nil {
		return observers.Mesh{}, fmt.Errorf("ask the mesh VPN client: %w", err)
	}
	return parse(answer)
}

func (m *Mesh) askProgram(ctx context.Context) (observers.Mesh, error) {
	program, ok := lookPath(m.path, "tailscale")
	if !ok {
		return observers.Mesh{State: observers.MeshNotInstalled}, nil
	}
	answer, err := run(ctx, program)
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return observers.Mesh{State: observers.MeshNotConnected, Detail: "The mesh VPN client is installed but its service does not answer."}, nil
	}
	if err != nil {
		return observers.Mesh{}, fmt.Errorf("ask the mesh VPN client: %w", err)
	}
	return parse(answer)
}

// lookPath finds a program in an injected PATH.
func lookPath(path, name string) (string, bool) {
	for _, dir := range splitPath(path) {
		file := dir + string(os.PathSeparator) + name
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file, true
		}
	}
	return "", false
}
