package host

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"corehost/observers"
)

// parseUptime reads /proc/uptime: seconds since boot, then idle seconds
// (proc_uptime(5)).
func parseUptime(data []byte) (time.Duration, error) {
	fields := strings.Fields(string(data))
	if len(fields) == 0 {
		return 0, errors.New("parse uptime: empty")
	}
	seconds, err := strconv.ParseFloat(fields[0], 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 || seconds > math.MaxInt64/1e9 {
		return 0, fmt.Errorf("parse uptime: %q is not a number of seconds", fields[0])
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// parsePretty is PRETTY_NAME of an os-release file, else NAME and VERSION,
// else "Linux", which the format names as the default. Values may be quoted as
// in a shell; the last assignment of a name counts.
func parsePretty(data []byte) string {
	values := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			values[name] = unquote(value)
		}
	}
	if values["PRETTY_NAME"] != "" {
		return values["PRETTY_NAME"]
	}
	if name := strings.TrimSpace(values["NAME"] + " " + values["VERSION"]); name != "" {
		return name
	}
	return "Linux"
}

// unquote removes shell quotes and control characters from one value.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		quote := s[0]
		s = s[1 : n-1]
		if quote == '"' {
			s = escapes.Replace(s)
		}
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s))
}

var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`")

// memoryOf counts as `free -m` does: used is MemTotal - MemAvailable, and
// fractions of a MiB are cut off.
func memoryOf(info procfs.Meminfo) (*observers.Memory, error) {
	if info.MemTotalBytes == nil || info.MemAvailableBytes == nil {
		return nil, errors.New("read meminfo: MemTotal or MemAvailable is missing")
	}
	total, available := *info.MemTotalBytes, *info.MemAvailableBytes
	if available > total {
		available = total
	}
	return &observers.Memory{UsedMB: int64((total - available) >> 20), TotalMB: int64(total >> 20)}, nil
}

// readDisk asks for the file system that holds path.
func readDisk(path string) (*observers.Disk, error) {
	var st unix.Statfs_t
	for {
		err := unix.Statfs(path, &st)
		if err == nil {
			return diskOf(path, st), nil
		}
		if !errors.Is(err, unix.EINTR) {
			return nil, fmt.Errorf("statfs %s: %w", path, err)
		}
	}
}

// diskOf counts as `df -BG` does (coreutils src/df.c): sizes are rounded up to
// whole GiB, and so is the share, which is taken of used and available, that
// is without the blocks reserved for root.
func diskOf(path string, st unix.Statfs_t) *observers.Disk {
	size := uint64(st.Frsize) //nolint:gosec // G115: a size is not negative
	if size == 0 {
		size = uint64(st.Bsize) //nolint:gosec // G115: a size is not negative
	}
	used := st.Blocks - min(st.Bfree, st.Blocks)
	d := &observers.Disk{Path: path, TotalGB: gib(st.Blocks, size), UsedGB: gib(used, size)}
	if of := float64(used) + float64(st.Bavail); of > 0 {
		d.UsedPercent = math.Ceil(100 * float64(used) / of)
	}
	return d
}

// gib is a number of blocks in GiB, rounded up, without overflow.
func gib(blocks, size uint64) int64 {
	const unit = 1 << 30
	whole, rest := blocks/unit*size, blocks%unit*size
	return int64(whole + (rest+unit-1)/unit) //nolint:gosec // G115: of 2^64 bytes or far more, GiB fit
}
