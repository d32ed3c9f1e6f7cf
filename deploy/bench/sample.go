package main

import (
	"slices"
	"time"
)

// samples are durations of one measurement.
type samples []time.Duration

// at is a percentile by the nearest-rank method.
func (s samples) at(percent int) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	rank := (percent*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

func round(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	default:
		return d.Round(time.Millisecond).String()
	}
}
