package desired

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cronField is one of the five fields of crontab(5).
type cronField struct {
	name     string
	min, max int
	names    []string // for min, min+1, …
}

var cronFields = [5]cronField{
	{name: "minute", min: 0, max: 59},
	{name: "hour", min: 0, max: 23},
	{name: "day of month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{name: "day of week", min: 0, max: 7, names: strings.Fields("sun mon tue wed thu fri sat")}, // 0 and 7: Sunday
}

// daysIn counts the days of a month in a leap year.
var daysIn = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// checkSchedule refuses what is not five cron fields or never comes.
func checkSchedule(schedule string) error {
	if strings.TrimSpace(schedule) == "" {
		return errors.New("is blank; leave the key out to make backups on demand only")
	}
	fields := strings.Fields(schedule)
	if len(fields) != len(cronFields) {
		return fmt.Errorf("expected five fields (minute hour day month weekday), got %d", min(len(fields), 99))
	}
	var sets [5][]int
	for i, text := range fields {
		set, err := cronFields[i].parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", cronFields[i].name, err)
		}
		sets[i] = set
	}
	if everyDay := strings.HasPrefix(fields[4], "*"); !everyDay {
		return nil // cron runs on a day that matches either field
	}
	for _, month := range sets[3] {
		if sets[2][0] <= daysIn[month] {
			return nil
		}
	}
	return errors.New("such a day never comes")
}

// parse lists the values of a field in ascending order: *, 5, 1-5, mon,
// */15, 1-30/2, and lists of them.
func (f cronField) parse(text string) ([]int, error) {
	var set []int
	for part := range strings.SplitSeq(text, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			n, err := strconv.Atoi(stepText)
			if err != nil || n < 1 || n > f.max {
				return nil, fmt.Errorf("step %q is not a number from 1 to %d", shorten(stepText), f.max)
			}
			step = n
		}
		first, last, err := f.span(span, stepped)
		if err != nil {
			return nil, err
		}
		for n := first; n <= last; n += step {
			set = append(set, n)
		}
	}
	slices.Sort(set)
	return set, nil
}

func (f cronField) span(text string, stepped bool) (first, last int, err error) {
	if text == "*" {
		return f.min, f.max, nil
	}
	from, to, isRange := strings.Cut(text, "-")
	if first, err = f.number(from); err != nil {
		return 0, 0, err
	}
	switch {
	case isRange:
		if last, err = f.number(to); err != nil {
			return 0, 0, err
		}
	case stepped:
		return 0, 0, fmt.Errorf("a step needs a range, as in %s-%d/2", shorten(from), f.max)
	default:
		last = first
	}
	if last < first {
		return 0, 0, fmt.Errorf("the range %q runs backwards", shorten(text))
	}
	return first, last, nil
}

func (f cronField) number(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.min + i, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(n) < f.min || int(n) > f.max {
		return 0, fmt.Errorf("%q is not a number from %d to %d", shorten(text), f.min, f.max)
	}
	return int(n), nil
}
