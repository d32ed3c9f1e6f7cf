package text

import (
	"fmt"
	"strings"
	"time"
)

// Duration is a span in its two largest units that matter: "42 s", "4 min",
// "3 h 20 min", "6 days 4 h", "41 days". It never rounds up.
func Duration(d time.Duration) string {
	d = max(d, 0)
	switch days := int(d / (24 * time.Hour)); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return two(int(d/time.Minute), "min", int(d%time.Minute/time.Second), "s", 10)
	case days == 0:
		return two(int(d/time.Hour), "h", int(d%time.Hour/time.Minute), "min", 24)
	case days == 1:
		return two(1, "day", int(d%(24*time.Hour)/time.Hour), "h", 10)
	default:
		return two(days, "days", int(d%(24*time.Hour)/time.Hour), "h", 10)
	}
}

// two leaves the second unit out when it is zero or the first is large.
func two(a int, unit string, b int, small string, large int) string {
	if b == 0 || a >= large {
		return fmt.Sprintf("%d %s", a, unit)
	}
	return fmt.Sprintf("%d %s %d %s", a, unit, b, small)
}

// coarse is a span in its largest unit alone.
func coarse(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return Count(int(d/(24*time.Hour)), "day", "days")
	}
}

// Age says how long ago a time was: "just now", "4 min ago", and from a
// month on the date. A time in the future says so: clocks are set back.
func (s Style) Age(t time.Time) string {
	switch d := s.Now.Sub(t); {
	case t.IsZero():
		return "at an unknown time"
	case d < -5*time.Second:
		return "in " + coarse(-d)
	case d < 5*time.Second:
		return "just now"
	case d < 30*24*time.Hour:
		return coarse(d) + " ago"
	default:
		return "on " + t.In(s.Now.Location()).Format("2006-01-02")
	}
}

// In says how far a time is ahead: "in 42 s"; "now" once it is reached.
func (s Style) In(t time.Time) string {
	d := t.Sub(s.Now)
	if d < time.Second {
		return "now"
	}
	return "in " + Duration(d)
}

// Clock is a time of day, with the date unless it is today's.
func (s Style) Clock(t time.Time) string {
	t = t.In(s.Now.Location())
	if t.Format(time.DateOnly) == s.Now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04:05")
}

// Stamp is a time for lists, always of the same width: to the second within
// this year, else the date.
func (s Style) Stamp(t time.Time) string {
	t = t.In(s.Now.Location())
	if t.Year() != s.Now.Year() {
		return t.Format("2006-01-02     ")
	}
	return t.Format("Jan _2 15:04:05")
}

// Count is a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// tokens is a context length: "200K", "1M", "8,192" stays readable as 8K.
func tokens(n int) string {
	switch {
	case n <= 0:
		return "unknown"
	case n >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	case n >= 1000:
		return fmt.Sprintf("%dK", n/1000)
	}
	return fmt.Sprint(n)
}

// list joins words as a person would: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
