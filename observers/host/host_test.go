package host_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"corehost/observers"
	"corehost/observers/host"
)

// machine is a proc and an etc folder of a small server.
var machine = map[string]string{
	"proc/uptime":              "354283.86 707013.29\n",
	"proc/loadavg":             "0.52 0.58 1.59 2/613 24310\n",
	"proc/meminfo":             "MemTotal:       16266052 kB\nMemFree:         1180024 kB\nMemAvailable:    9733024 kB\nBuffers:          305980 kB\n",
	"proc/stat":                "cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 5 0 5 50 0 0 0 0 0 0\ncpu1 5 0 5 50 0 0 0 0 0 0\nctxt 1\nbtime 1700000000\nprocesses 9\n",
	"proc/sys/kernel/hostname": "silver\n",
	"etc/os-release":           "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
}

// write makes the folders, with some files replaced; "-" leaves one out.
func write(t *testing.T, replace map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{}
	for name, text := range machine {
		files[name] = text
	}
	for name, text := range replace {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if text == "-" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func observe(t *testing.T, root string) observers.Host {
	t.Helper()
	h := host.New(filepath.Join(root, "proc"), filepath.Join(root, "etc"), "/", time.Now)
	got, err := h.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWholeMachine(t *testing.T) {
	got := observe(t, write(t, nil))
	up := 354283860 * time.Millisecond
	want := observers.Host{
		OS: "Debian GNU/Linux 12 (bookworm)", Hostname: "silver", Uptime: &up, CPUs: 2,
		Load:   &observers.Load{One: 0.52, Five: 0.58, Fifteen: 1.59},
		Memory: &observers.Memory{UsedMB: 6379, TotalMB: 15884},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(observers.Host{}, "Disk")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Disk == nil || got.Disk.TotalGB == 0 {
		t.Errorf("disk: %+v", got.Disk)
	}
}

func TestBrokenPartIsNilAndTheRestStands(t *testing.T) {
	tests := map[string]struct {
		replace map[string]string
		warning string
		missing func(observers.Host) bool
	}{
		"no loadavg":        {map[string]string{"proc/loadavg": "-"}, "load: ", func(h observers.Host) bool { return h.Load == nil }},
		"garbage loadavg":   {map[string]string{"proc/loadavg": "a b c\n"}, "load: ", func(h observers.Host) bool { return h.Load == nil }},
		"empty loadavg":     {map[string]string{"proc/loadavg": ""}, "load: ", func(h observers.Host) bool { return h.Load == nil }},
		"no meminfo":        {map[string]string{"proc/meminfo": "-"}, "memory: ", func(h observers.Host) bool { return h.Memory == nil }},
		"garbage meminfo":   {map[string]string{"proc/meminfo": "MemTotal: much kB\n"}, "memory: ", func(h observers.Host) bool { return h.Memory == nil }},
		"no MemAvailable":   {map[string]string{"proc/meminfo": "MemTotal: 16266052 kB\n"}, "memory: ", func(h observers.Host) bool { return h.Memory == nil }},
		"no uptime":         {map[string]string{"proc/uptime": "-"}, "uptime: ", func(h observers.Host) bool { return h.Uptime == nil }},
		"garbage uptime":    {map[string]string{"proc/uptime": "NaN 0\n"}, "uptime: ", func(h observers.Host) bool { return h.Uptime == nil }},
		"empty uptime":      {map[string]string{"proc/uptime": ""}, "uptime: ", func(h observers.Host) bool { return h.Uptime == nil }},
		"no stat":           {map[string]string{"proc/stat": "-"}, "cpus: ", func(h observers.Host) bool { return h.CPUs == 0 }},
		"no hostname":       {map[string]string{"proc/sys/kernel/hostname": "-"}, "hostname: ", func(h observers.Host) bool { return h.Hostname == "" }},
		"no os-release":     {map[string]string{"etc/os-release": "-"}, "os: ", func(h observers.Host) bool { return h.OS == "" }},
		"no loadavg nor os": {map[string]string{"proc/loadavg": "-", "etc/os-release": "-"}, "os: ", func(h observers.Host) bool { return h.OS == "" && h.Load == nil }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := observe(t, write(t, test.replace))
			if !test.missing(got) {
				t.Errorf("the broken part has a value: %+v", got)
			}
			if len(got.Warnings) != len(test.replace) || !strings.HasPrefix(got.Warnings[0], test.warning) {
				t.Errorf("warnings %q, want one of %q", got.Warnings, test.warning)
			}
			known := 0
			for _, part := range []bool{got.Uptime != nil, got.Load != nil, got.Memory != nil, got.Disk != nil, got.CPUs > 0, got.Hostname != "", got.OS != ""} {
				if part {
					known++
				}
			}
			if known != 7-len(test.replace) {
				t.Errorf("%d parts known of 7 with %d broken: %+v", known, len(test.replace), got)
			}
		})
	}
}

func TestVendorFileNamesTheSystem(t *testing.T) {
	root := write(t, map[string]string{"etc/os-release": "-", "usr/lib/os-release": "PRETTY_NAME='Vendor Linux'\n"})
	if got := observe(t, root).OS; got != "Vendor Linux" {
		t.Errorf("OS %q", got)
	}
}

func TestNothingReadableIsAnError(t *testing.T) {
	root := t.TempDir()
	h := host.New(filepath.Join(root, "proc"), filepath.Join(root, "etc"), filepath.Join(root, "disk"), time.Now)
	if got, err := h.Observe(t.Context()); err == nil {
		t.Errorf("a host of which nothing is known: %+v", got)
	}
}

// TestLikeTheToolsSay reads this machine beside df and free.
func TestLikeTheToolsSay(t *testing.T) {
	for range 5 { // memory and disk move while the test runs
		h := host.New("/proc", "/etc", "/", time.Now)
		got, err := h.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		df := fields(t, "df", "-BG", "/")
		free := fields(t, "free", "-m")
		disk := []string{number(got.Disk.TotalGB) + "G", number(got.Disk.UsedGB) + "G", number(int64(got.Disk.UsedPercent)) + "%"}
		memory := []string{number(got.Memory.TotalMB), number(got.Memory.UsedMB)}
		wantDisk := []string{df[1], df[2], df[4]}
		total, _ := strconv.ParseInt(free[1], 10, 64)
		available, _ := strconv.ParseInt(free[6], 10, 64)
		near := got.Memory.UsedMB - (total - available)
		if cmp.Equal(wantDisk, disk) && memory[0] == free[1] && near >= -16 && near <= 16 {
			return
		}
		t.Logf("df says %v, observed %v; free says %v, observed %v", wantDisk, disk, free, memory)
	}
	t.Error("the figures are not those of df -BG / and free -m")
}

// fields are those of the second line of a tool's output.
func fields(t *testing.T, name string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(out, []byte("\n"))
	return strings.Fields(string(lines[1]))
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func BenchmarkObserve(b *testing.B) {
	h := host.New("/proc", "/etc", "/", time.Now)
	for b.Loop() {
		if _, err := h.Observe(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
