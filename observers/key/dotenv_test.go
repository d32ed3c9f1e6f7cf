package key

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("export A_KEY = \"sk-\\\"x\" # c\r\nB='a\nb'\n"))
	f.Add([]byte("\ufeff#\n=\nA=\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		longest := 0
		names := parse(data, func(value string) bool {
			longest = max(longest, len(value))
			return value != ""
		})
		if longest > len(data) {
			t.Errorf("a value of %d bytes in a file of %d", longest, len(data))
		}
		for name := range names {
			if !validName(name) || !bytes.Contains(data, []byte(name)) {
				t.Errorf("name %q", name)
			}
		}
	})
}

// A file made to be slow is read in the time of its length.
func TestHostileFilesAreReadOnce(t *testing.T) {
	files := map[string]string{
		"open quotes":   strings.Repeat("A='x\nB=\\\"y\n", 300_000),
		"open doubles":  strings.Repeat("A=x\"\nB='y\n", 300_000)[1:],
		"one long line": strings.Repeat("A=", 2_000_000),
		"equals":        strings.Repeat("=\n", 2_000_000),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			parse([]byte(file), func(string) bool { return true })
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
