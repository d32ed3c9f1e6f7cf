// Package host observes the machine: name, uptime, load, memory and the disk.
//
// Law: the figures are those that uptime, `free -m` and `df -BG` print. A part
// that cannot be read is nil and named in the warnings; the rest stands.
package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"corehost/observers"
)

// interval of the readings; load averages move every five seconds, too.
const interval = 5 * time.Second

// cpuInterval is how often processors are counted: /proc/stat is long on large
// machines, and processors come and go with a virtual machine's size.
const cpuInterval = 5 * time.Minute

// Host observes one machine. Its methods are not safe for concurrent use.
type Host struct {
	proc, etc, disk string
	now             func() time.Time

	cpus   int
	cpusAt time.Time
}

// New observes the machine whose /proc and /etc lie at procRoot and etcRoot,
// and the file system that holds diskPath.
func New(procRoot, etcRoot, diskPath string, now func() time.Time) *Host {
	return &Host{proc: procRoot, etc: etcRoot, disk: diskPath, now: now}
}

// Name is "host".
func (h *Host) Name() string { return "host" }

// Interval is five seconds.
func (h *Host) Interval() time.Duration { return interval }

// Observe reads all parts. It fails only when none of the figures can be had.
func (h *Host) Observe(context.Context) (observers.Host, error) {
	var out observers.Host
	warn := func(part string, err error) {
		if err != nil {
			out.Warnings = append(out.Warnings, part+": "+err.Error())
		}
	}
	var err error
	out.OS, err = h.pretty()
	warn("os", err)
	out.Hostname, err = h.hostname()
	warn("hostname", err)
	out.Uptime, err = h.uptime()
	warn("uptime", err)
	out.Load, err = h.load()
	warn("load", err)
	out.Memory, err = h.memory()
	warn("memory", err)
	out.Disk, err = readDisk(h.disk)
	warn("disk", err)
	out.CPUs, err = h.processors()
	warn("cpus", err)
	if out.Uptime == nil && out.Load == nil && out.Memory == nil && out.Disk == nil {
		return observers.Host{}, fmt.Errorf("observe host: %s", strings.Join(out.Warnings, "; "))
	}
	return out, nil
}

// pretty is the name of the system for people, os-release(5): the file in the
// configuration wins over the vendor's.
func (h *Host) pretty() (string, error) {
	data, err := readSmall(filepath.Join(h.etc, "os-release"))
	if err != nil {
		vendor := filepath.Join(filepath.Dir(filepath.Clean(h.etc)), "usr/lib/os-release")
		var second error
		if data, second = readSmall(vendor); second != nil {
			return "", err
		}
	}
	return parsePretty(data), nil
}

func (h *Host) hostname() (string, error) {
	data, err := readSmall(filepath.Join(h.proc, "sys/kernel/hostname"))
	return strings.TrimSpace(string(data)), err
}

func (h *Host) uptime() (*time.Duration, error) {
	data, err := readSmall(filepath.Join(h.proc, "uptime"))
	if err != nil {
		return nil, err
	}
	up, err := parseUptime(data)
	if err != nil {
		return nil, err
	}
	return &up, nil
}

func (h *Host) load() (*observers.Load, error) {
	fs, err := procfs.NewFS(h.proc)
	if err != nil {
		return nil, err
	}
	l, err := fs.LoadAvg()
	if err != nil {
		return nil, fmt.Errorf("read loadavg: %w", err)
	}
	return &observers.Load{One: l.Load1, Five: l.Load5, Fifteen: l.Load15}, nil
}

func (h *Host) memory() (*observers.Memory, error) {
	fs, err := procfs.NewFS(h.proc)
	if err != nil {
		return nil, err
	}
	info, err := fs.Meminfo()
	if err != nil {
		return nil, fmt.Errorf("read meminfo: %w", err)
	}
	return memoryOf(info)
}

func (h *Host) processors() (int, error) {
	now := h.now()
	if h.cpus > 0 && now.Sub(h.cpusAt).Abs() < cpuInterval {
		return h.cpus, nil
	}
	fs, err := procfs.NewFS(h.proc)
	if err != nil {
		return 0, err
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, fmt.Errorf("read stat: %w", err)
	}
	h.cpus, h.cpusAt = len(stat.CPU), now
	return h.cpus, nil
}

// readSmall reads a file of at most smallFile bytes.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, smallFile)
	n, err := f.Read(data)
	if err != nil && n == 0 {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data[:n], nil
}

// smallFile bounds uptime, hostname and os-release, in bytes.
const smallFile = 16 << 10
