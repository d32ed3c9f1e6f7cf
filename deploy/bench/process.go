package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Idle is looked at for a minute after the daemon has settled.
const (
	settle = 5 * time.Second
	watch  = time.Minute
)

// clockTick is USER_HZ, the unit of utime and stime in /proc/pid/stat; it is
// 100 on every Linux architecture Go runs on (proc_pid_stat(5)).
const clockTick = 10 * time.Millisecond

// measureIdle looks at what the daemon costs when nothing happens.
func measureIdle(ctx context.Context, o options) ([]row, error) {
	d, err := startDaemon(ctx, o.bin)
	if err != nil {
		return nil, err
	}
	defer d.close()
	pause(ctx, settle)
	pid := d.cmd.Process.Pid
	before, err := cpuTime(pid)
	if err != nil {
		return nil, err
	}
	pause(ctx, watch)
	after, err := cpuTime(pid)
	if err != nil {
		return nil, err
	}
	resident, err := residentMiB(pid)
	if err != nil {
		return nil, err
	}
	share := 100 * float64(after-before) / float64(watch)
	return []row{
		{"idle, share of a core", fmt.Sprintf("%.2f %%", share), "", "", "under 0.2 %", share < 0.2},
		{"idle, resident", fmt.Sprintf("%.0f MiB", resident), "", "", "under 60 MiB", resident < 60},
	}, nil
}

func cpuTime(pid int) (time.Duration, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var ticks int
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}

func residentMiB(pid int) (float64, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kib / 1024, err
}

// measureStart times a start of the daemon to its first good /readyz, and a
// `cli status` beside the same program that only prints its version.
func measureStart(ctx context.Context, o options) ([]row, error) {
	d, err := startDaemon(ctx, o.bin)
	if err != nil {
		return nil, err
	}
	defer d.close()
	var status, version, start samples
	for range max(o.rounds/10, 5) {
		status = append(status, timed(ctx, d.home, o.bin, "status"))
		version = append(version, timed(ctx, d.home, o.bin, "version"))
	}
	for range max(o.rounds/30, 5) {
		_ = d.cmd.Process.Signal(os.Interrupt)
		_ = d.cmd.Wait()
		began := time.Now()
		if err := d.start(ctx, o.bin); err != nil {
			return nil, err
		}
		start = append(start, time.Since(began))
	}
	if slices.Contains(status, 0) || slices.Contains(version, 0) {
		return nil, fmt.Errorf("a run of cli did not end well")
	}
	return []row{
		{"daemon ready, median", round(start.at(50)), "", "", "under 150 ms", start.at(50) < 150*time.Millisecond},
		{"cli status, median", round(status.at(50)), round(version.at(50)) + " (cli version)",
			fmt.Sprintf("%.2f", float64(status.at(50))/float64(version.at(50))), "under 50 ms", status.at(50) < 50*time.Millisecond},
	}, nil
}

// timed is the wall time of one run of cli; zero when it failed.
func timed(ctx context.Context, home, bin string, args ...string) time.Duration {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "cli"), args...)
	cmd.Env = append(os.Environ(), "CORE_HOME="+home)
	began := time.Now()
	if cmd.Run() != nil {
		return 0
	}
	return time.Since(began)
}

func middle(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
