package dashboard

import (
	"fmt"
	"math"
	"strings"
	"time"

	"corehost/api"
	"corehost/observers/history"
)

// The drawing area of a curve, in its own units, and how many points it has
// at most.
const (
	sparkWidth  = 300
	sparkHeight = 56
	sparkPoints = 120
	sparkPast   = 6 * time.Hour
)

// Spark is a curve of the last hours as SVG path data, with its text.
type Spark struct {
	Line, Area string // path data; empty: nothing to draw
	Text       string // the same in words
	From       string // what the left edge is: 6 hours ago
	Peak       string // the highest value
	ViewBox    string
}

// figure is one of the figures a history holds.
type figure struct {
	name string // Load, Memory used
	of   func(history.Sample) *float64
	text func(float64) string
	top  float64 // upper edge of the drawing; 0: a little above the highest value
}

var (
	loadFigure   = figure{"Load", func(s history.Sample) *float64 { return s.Load }, load, 0}
	memoryFigure = figure{"Memory used", func(s history.Sample) *float64 { return s.Memory }, share, 100}
	diskFigure   = figure{"Disk used", func(s history.Sample) *float64 { return s.Disk }, share, 100}
)

func share(v float64) string { return percent(v, api.RedAbove) + " %" }

// point is the largest value of one column of the drawing.
type point struct {
	column int
	value  float64
}

// spark draws one figure. The left edge is six hours ago, or the first sample
// when that is younger, so that a fresh start has a curve too. A gap in the
// samples is a gap in the curve.
func spark(samples []history.Sample, now time.Time, f figure) Spark {
	s := Spark{ViewBox: fmt.Sprintf("0 0 %d %d", sparkWidth, sparkHeight)}
	from, points := columns(samples, now, f)
	if len(points) < 2 {
		s.Text = "The curve begins when two readings are in."
		return s
	}
	low, high := points[0].value, points[0].value
	for _, p := range points {
		low, high = math.Min(low, p.value), math.Max(high, p.value)
	}
	top := f.top
	if top == 0 {
		top = math.Max(high*1.1, .2)
	}
	s.Line, s.Area = paths(points, top)
	past := span(now.Sub(from).Round(time.Minute))
	s.From, s.Peak = past+" ago", f.text(high)
	s.Text = fmt.Sprintf("%s over the last %s, between %s and %s", f.name, past, f.text(low), f.text(high))
	return s
}

// columns puts samples into the columns of the drawing, the largest in each.
func columns(samples []history.Sample, now time.Time, f figure) (time.Time, []point) {
	from := now
	for _, sample := range samples {
		if f.of(sample) != nil && now.Sub(sample.At) <= sparkPast && sample.At.Before(from) {
			from = sample.At
		}
	}
	wide := max(now.Sub(from), 5*time.Minute)
	var points []point
	for _, sample := range samples {
		value := f.of(sample)
		if value == nil || sample.At.Before(from) || sample.At.After(now) {
			continue
		}
		column := sparkPoints - 1 - int(now.Sub(sample.At)*(sparkPoints-1)/wide)
		if n := len(points); n > 0 && points[n-1].column == column {
			points[n-1].value = math.Max(points[n-1].value, *value)
			continue
		}
		points = append(points, point{column, *value})
	}
	return now.Add(-wide), points
}

// gap is how many empty columns break the curve.
const gap = 6

func paths(points []point, top float64) (line, area string) {
	var l, a strings.Builder
	begin := 0
	for i, p := range points {
		fresh := i == 0 || p.column-points[i-1].column > gap && len(points) > sparkPoints/4
		if fresh {
			closeArea(&a, points, begin, i-1)
			begin = i
			fmt.Fprintf(&l, "M%d %s", x(p.column), y(p.value, top))
			fmt.Fprintf(&a, "M%d %dL%d %s", x(p.column), sparkHeight, x(p.column), y(p.value, top))
			continue
		}
		step := fmt.Sprintf("L%d %s", x(p.column), y(p.value, top))
		l.WriteString(step)
		a.WriteString(step)
	}
	closeArea(&a, points, begin, len(points)-1)
	return l.String(), a.String()
}

func closeArea(a *strings.Builder, points []point, begin, end int) {
	if end >= begin {
		fmt.Fprintf(a, "L%d %dZ", x(points[end].column), sparkHeight)
	}
}

func x(column int) int { return column * sparkWidth / (sparkPoints - 1) }

func y(value, top float64) string {
	const margin = 3.0
	return fmt.Sprintf("%.1f", sparkHeight-margin-(sparkHeight-2*margin)*value/top)
}
