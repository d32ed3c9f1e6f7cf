package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxSocketPath is the longest path of a unix socket: sun_path of unix(7)
// less its final NUL.
const maxSocketPath = 107

// errSocketPath: the path does not fit into a socket address.
var errSocketPath = fmt.Errorf("the path of the unix socket is longer than %d bytes", maxSocketPath)

// loopbackOnly refuses an address that others than this machine could reach:
// there is no sign-in in front of it.
func loopbackOnly(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen on %q: expected host:port, such as 127.0.0.1:7710", addr)
	}
	if strings.EqualFold(host, "localhost") {
		return nil
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return fmt.Errorf("listen on %q: only loopback addresses are served, such as 127.0.0.1:7710 or [::1]:7710", addr)
	}
	return nil
}

// listenTCP listens on a loopback address.
func listenTCP(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("listen on %q: the name is not an address of this machine only", addr), l.Close())
	}
	return l, nil
}

// listenUnix makes the socket, open to its owner only. The lock of the home is
// held, so a socket that nobody answers is a left-over and goes away.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("listen on %s: %w", path, errSocketPath)
	}
	if err := sweep(ctx, path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	// The mode is right from the first moment: nothing else runs yet.
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return &owned{Listener: l}, nil
}

// sweep removes a left-over socket, and nothing else.
func sweep(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("listen on %s: %w", path, err)
	case info.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("listen on %s: something that is no socket stands there", path)
	}
	d := net.Dialer{Timeout: time.Second}
	if conn, err := d.DialContext(ctx, "unix", path); err == nil {
		_ = conn.Close()
		return fmt.Errorf("listen on %s: %w", path, syscall.EADDRINUSE)
	}
	return os.Remove(path)
}

// owned accepts root and the user of this process, and remembers who it was.
type owned struct{ net.Listener }

// peer is a connection whose other end is known.
type peer struct {
	net.Conn
	uid uint32
}

// Accept waits for the next connection of somebody who may come in.
func (l *owned) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peerUID(conn)
		if err == nil && (uid == 0 || int(uid) == os.Getuid()) {
			return &peer{conn, uid}, nil
		}
		_ = conn.Close()
	}
}

// peerUID asks the kernel who connected.
func peerUID(conn net.Conn) (uint32, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return 0, errors.New("not a socket")
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) { cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, credErr
	}
	return cred.Uid, nil
}
