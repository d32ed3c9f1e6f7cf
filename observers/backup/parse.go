package backup

import (
	"strings"
	"time"
)

// parseName is the time in a backup's name; false for any other name.
func parseName(name string) (time.Time, bool) {
	middle, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return time.Time{}, false
	}
	if middle, ok = strings.CutSuffix(middle, suffix); !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(stamp, middle)
	if err != nil || at.Format(stamp) != middle {
		return time.Time{}, false
	}
	return at, true
}

// parseSidecar reads what sha256sum(1) prints for one file, in text or binary
// mode: 64 lower-case hex digits, two characters, the name, a newline.
func parseSidecar(data []byte, name string) (sum string, ok bool) {
	const digits = 64
	line, ok := strings.CutSuffix(string(data), "\n")
	if !ok || len(line) < digits+2 {
		return "", false
	}
	sum, rest := line[:digits], line[digits:]
	if strings.Trim(sum, "0123456789abcdef") != "" {
		return "", false
	}
	if rest != "  "+name && rest != " *"+name {
		return "", false
	}
	return sum, true
}
