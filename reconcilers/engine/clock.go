package engine

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clock is the time in the two ways the engine needs it: the wall, which
// people read and which may jump, and CLOCK_MONOTONIC of one boot, which
// systemd's start times share and which never does.
type clock struct {
	now  func() time.Time
	mono func() time.Duration
	boot string // kernel boot id; empty: unknown, only the wall counts
}

// moment is one point in both.
type moment struct {
	Wall time.Time
	Mono time.Duration
	Boot string
}

func newClock(now func() time.Time) clock {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // random(4)
	return clock{now: now, mono: kernelMono, boot: strings.TrimSpace(string(id))}
}

func (c clock) at() moment {
	return moment{Wall: c.now(), Mono: c.mono(), Boot: c.boot}
}

// ago is the moment a wall time means, as seen from m: good for times close
// to m, before the clock could jump.
func (m moment) ago(wall time.Time) moment {
	return moment{Wall: wall, Mono: m.Mono - m.Wall.Sub(wall), Boot: m.Boot}
}

// add is the moment d later.
func (m moment) add(d time.Duration) moment {
	return moment{Wall: m.Wall.Add(d), Mono: m.Mono + d, Boot: m.Boot}
}

// after reports whether m is later than other. Within one boot the monotonic
// clock decides; between boots, or when a boot is unknown, the wall does.
func (m moment) after(other moment) bool { return m.since(other) > 0 }

// since is the time from other to m.
func (m moment) since(other moment) time.Duration {
	if m.Boot != "" && m.Boot == other.Boot {
		return m.Mono - other.Mono
	}
	return m.Wall.Sub(other.Wall)
}

func kernelMono() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
