package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const startDesired = `apiVersion: core.dev/v1alpha1
kind: Host
metadata:
  name: bench
spec:
  model:
    provider: ollama
    default: m-0
`

// daemon is a core-dashboard on a scratch home of its own.
type daemon struct {
	home   string
	listen string
	cmd    *exec.Cmd
	log    *os.File
}

// scratchHome makes a home on the disk the tree lies on: a temporary folder
// may be memory, where fsync costs nothing.
func scratchHome() (string, error) {
	if err := os.MkdirAll(".scratch", 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(".scratch", "bench-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

func startDaemon(ctx context.Context, bin string) (*daemon, error) {
	home, err := scratchHome()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(home, "desired.yaml"), []byte(startDesired), 0o600); err != nil {
		return nil, err
	}
	d := &daemon{home: home}
	if d.listen, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	return d, d.start(ctx, bin)
}

// start runs the program and returns when it says that it is ready.
func (d *daemon) start(ctx context.Context, bin string) error {
	log, err := os.Create(filepath.Join(d.home, "..", filepath.Base(d.home)+".log"))
	if err != nil {
		return err
	}
	d.log = log
	d.cmd = exec.CommandContext(ctx, filepath.Join(bin, "core-dashboard"))
	d.cmd.Env = append(os.Environ(), "CORE_HOME="+d.home, "CORE_LISTEN="+d.listen, "CORE_BACKUP_DIR="+filepath.Join(d.home, "backups"))
	d.cmd.Stderr = log
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	return d.ready(ctx)
}

func (d *daemon) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := get(ctx, "http://"+d.listen+"/readyz"); err == nil {
			return nil
		}
		pause(ctx, time.Millisecond)
	}
	said, _ := os.ReadFile(d.log.Name())
	return fmt.Errorf("the daemon is not ready: %w\n%s", ctx.Err(), said)
}

// close ends the daemon and removes its home; what cannot be removed stays in
// the scratch folder, which make clean removes.
func (d *daemon) close() {
	_ = d.cmd.Process.Signal(os.Interrupt)
	_ = d.cmd.Wait()
	_ = d.log.Close()
	_ = os.Remove(d.log.Name())
	_ = os.RemoveAll(d.home)
}

func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
