package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// layouts are the times people write, in their own zone where none is named.
var layouts = []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "15:04"}

// parseUntil reads a time in the future: a date and time, a time of day (the
// next one), or a span from now such as 24h or 7d. It is the value of --until.
func parseUntil(value string, now time.Time) (time.Time, error) {
	until, ok := readTime(value, now)
	if !ok {
		return time.Time{}, usage(fmt.Sprintf("--until %q is no time", value), "write a span like 90m, 24h or 7d, or a time like 2026-12-24T18:00:00Z")
	}
	if !until.After(now) {
		return time.Time{}, usage(fmt.Sprintf("--until %s is in the past", value), "name a time that is still to come")
	}
	return until, nil
}

func readTime(value string, now time.Time) (time.Time, bool) {
	if span, ok := readSpan(value); ok {
		return now.Add(span), true
	}
	for _, layout := range layouts {
		t, err := time.ParseInLocation(layout, value, now.Location())
		if err != nil {
			continue
		}
		if layout == "15:04" {
			t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
			if !t.After(now) {
				t = t.AddDate(0, 0, 1)
			}
		}
		return t, true
	}
	return time.Time{}, false
}

// maxDays bounds a span in days: ten years.
const maxDays = 3660

// readSpan is a Go duration, or whole days as 7d.
func readSpan(value string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n > 0 && n <= maxDays
	}
	span, err := time.ParseDuration(value)
	return span, err == nil
}

// parseTry reads the time a change is tried for.
func parseTry(value string) error {
	span, err := time.ParseDuration(value)
	if err != nil || span <= 0 {
		return usage(fmt.Sprintf("--try %q is no duration", value), "write a span like 60s or 5m")
	}
	return nil
}

// parseNumber reads the number of a revision.
func parseNumber(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, usage(fmt.Sprintf("%q is no revision number", value), "cli history shows the revisions")
	}
	return n, nil
}
