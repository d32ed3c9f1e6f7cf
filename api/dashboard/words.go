package dashboard

import (
	"fmt"
	"math"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"
)

// ago says how long before now a moment was, in its largest unit: "just now",
// "4 minutes ago", and from a month on the date. A moment ahead says so:
// clocks are set back. The script on the pages knows the same rule.
func ago(at, now time.Time) string {
	switch d := now.Sub(at); {
	case d < -5*time.Second:
		return "in " + span(-d)
	case d < 2*time.Second:
		return "just now"
	case d < 30*24*time.Hour:
		return span(d) + " ago"
	default:
		return "on " + at.In(now.Location()).Format("2 January 2006")
	}
}

// span is a duration in its largest unit, rounded down: "42 seconds",
// "6 days".
func span(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return count(int(d/time.Second), "second")
	case d < time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < 24*time.Hour:
		return count(int(d/time.Hour), "hour")
	}
	return count(int(d/(24*time.Hour)), "day")
}

// spans is a duration in its two largest units: "41 days 3 hours".
func spans(d time.Duration) string {
	d = max(d, 0)
	rest := ""
	switch {
	case d >= 24*time.Hour:
		rest = smaller(d%(24*time.Hour), time.Hour, "hour")
	case d >= time.Hour:
		rest = smaller(d%time.Hour, time.Minute, "minute")
	case d >= time.Minute:
		rest = smaller(d%time.Minute, time.Second, "second")
	}
	return span(d) + rest
}

// brief is a duration as a large figure: "41 days 3 h", "2 h 25 min".
func brief(d time.Duration) string {
	d = max(d, 0)
	days, hours, minutes := int(d/(24*time.Hour)), int(d%(24*time.Hour)/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case days > 0:
		return fmt.Sprintf("%s %d h", count(days, "day"), hours)
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	}
	return fmt.Sprintf("%d min", minutes)
}

func smaller(d, unit time.Duration, noun string) string {
	if n := int(d / unit); n > 0 {
		return " " + count(n, noun)
	}
	return ""
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// comma groups the thousands of a whole number.
func comma(n int64) string { return humanize.Comma(n) }

// tokens is a context length as it stands in a list: 200K, 1M.
func tokens(n int) string {
	switch {
	case n <= 0:
		return ""
	case n >= 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
	case n >= 1000:
		return fmt.Sprintf("%dK", n/1000)
	}
	return fmt.Sprint(n)
}

// load is a load average as /proc/loadavg has it.
func load(v float64) string { return fmt.Sprintf("%.2f", v) }

// percent is a share without decimals. It rounds away from the red line, so
// that a red bar never says 85.
func percent(v float64, red float64) string {
	if v > red {
		return fmt.Sprintf("%.0f", math.Max(math.Ceil(red+.01), math.Round(v)))
	}
	return fmt.Sprintf("%.0f", math.Round(v))
}

// names joins names as a person would: "a", "a and b", "a, b and c".
func names(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	r := []rune(text)
	if !strings.ContainsAny(text[:min(len(text), 14)], "-_./") {
		r[0] = []rune(strings.ToUpper(string(r[0])))[0]
	}
	if strings.ContainsRune(".:?", r[len(r)-1]) {
		return string(r)
	}
	return string(r) + "."
}

// first is the first text that is not empty.
func first(list ...string) string {
	for _, text := range list {
		if text != "" {
			return text
		}
	}
	return ""
}
