package api

import (
	"fmt"
	"time"
)

// since is how long ago a moment was, in words for a sentence.
func since(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case d < time.Minute:
		return "a moment"
	case d < 2*time.Minute:
		return "a minute"
	case d < 2*time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int(d/time.Hour), "hour")
	}
	return count(int(d/(24*time.Hour)), "day")
}

// until is how long it is to a moment, in words.
func until(at, now time.Time) string {
	d := at.Sub(now)
	switch {
	case d <= 0:
		return "a moment"
	case d < 2*time.Minute:
		return count(int(d/time.Second), "second")
	}
	return since(now, at)
}

// count is "1 minute", "3 minutes".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
