package host

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"corehost/observers"
)

func TestDiskCountsAsDfDoes(t *testing.T) {
	const gib = 1 << 30
	tests := map[string]struct {
		st   unix.Statfs_t
		want observers.Disk
	}{
		"empty":              {unix.Statfs_t{}, observers.Disk{}},
		"a byte over":        {unix.Statfs_t{Frsize: 1, Blocks: gib + 1, Bfree: gib, Bavail: gib}, observers.Disk{TotalGB: 2, UsedGB: 1, UsedPercent: 1}},
		"exact":              {unix.Statfs_t{Frsize: 4096, Blocks: 10 * gib / 4096, Bfree: 5 * gib / 4096, Bavail: 5 * gib / 4096}, observers.Disk{TotalGB: 10, UsedGB: 5, UsedPercent: 50}},
		"reserved for root":  {unix.Statfs_t{Frsize: 4096, Blocks: 100, Bfree: 20, Bavail: 15}, observers.Disk{TotalGB: 1, UsedGB: 1, UsedPercent: 85}},
		"reserve is used up": {unix.Statfs_t{Frsize: 4096, Blocks: 100, Bfree: 3, Bavail: 0}, observers.Disk{TotalGB: 1, UsedGB: 1, UsedPercent: 100}},
		"fragments":          {unix.Statfs_t{Bsize: 65536, Frsize: 4096, Blocks: gib / 4096, Bfree: gib / 4096, Bavail: gib / 4096}, observers.Disk{TotalGB: 1}},
		"no fragment size":   {unix.Statfs_t{Bsize: 4096, Blocks: gib / 4096, Bfree: gib / 4096, Bavail: gib / 4096}, observers.Disk{TotalGB: 1}},
		"huge":               {unix.Statfs_t{Frsize: 4096, Blocks: 1 << 50, Bfree: 1 << 49, Bavail: 1 << 49}, observers.Disk{TotalGB: 1 << 32, UsedGB: 1 << 31, UsedPercent: 50}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, diskOf("", test.st)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNameOfTheSystem(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"double quotes":   {"PRETTY_NAME=\"Alpine Linux v3.20\"\n", "Alpine Linux v3.20"},
		"single quotes":   {"PRETTY_NAME='It is'\n", "It is"},
		"no quotes":       {"PRETTY_NAME=Arch\n", "Arch"},
		"CRLF":            {"PRETTY_NAME=\"Debian\"\r\n", "Debian"},
		"escapes":         {`PRETTY_NAME="A \"B\" \\ \$C"`, `A "B" \ $C`},
		"last one counts": {"PRETTY_NAME=A\nPRETTY_NAME=B\n", "B"},
		"comment":         {"#PRETTY_NAME=A\nNAME=B\n", "B"},
		"name, version":   {"NAME=Void\nVERSION=1\n", "Void 1"},
		"empty":           {"", "Linux"},
		"control":         {"PRETTY_NAME=\"a\x1b[31mb\"\n", "a[31mb"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := parsePretty([]byte(test.file)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzPretty(f *testing.F) {
	f.Add([]byte("PRETTY_NAME=\"Debian\"\n"))
	f.Add([]byte("PRETTY_NAME='\nNAME=\"\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := parsePretty(data)
		if got == "" || strings.TrimSpace(got) != got || strings.IndexFunc(got, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsControl(r) }) >= 0 {
			t.Errorf("%q", got)
		}
	})
}

func FuzzUptime(f *testing.F) {
	f.Add([]byte("354283.86 707013.29\n"))
	f.Add([]byte("1e400 "))
	f.Fuzz(func(t *testing.T, data []byte) {
		if up, err := parseUptime(data); err == nil && up < 0 {
			t.Errorf("%q is %v", data, up)
		} else if err != nil && up != 0 {
			t.Errorf("%v with %v", up, err)
		}
	})
}

func TestUptime(t *testing.T) {
	if up, err := parseUptime([]byte("5.25 1.00\n")); err != nil || up != 5250*time.Millisecond {
		t.Errorf("%v, %v", up, err)
	}
}
