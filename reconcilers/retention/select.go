package retention

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"corehost/desired"
	"corehost/observers"
)

// Verdict is what the policy says about one backup, and why.
type Verdict struct {
	Name   string `json:"name"`
	Keep   bool   `json:"keep"`
	Reason string `json:"reason"`
}

// Reasons for backups no rule decides.
const (
	reasonUnfinished = "unfinished: there is no checksum beside it"
	reasonUnverified = "not verified: it changed after its checksum was written"
	reasonFuture     = "its time lies in the future"
	reasonNoRule     = "no retention rule is set"
	reasonRemove     = "no rule keeps it"
)

// Select judges every backup, newest first. A rule with a count of N keeps the
// newest N, or the newest of each of the last N days, ISO weeks or months that
// have one, in the time zone of now; zero switches it off, and with every rule
// off nothing goes. It is pure: the order of files does not matter.
//
// An unfinished backup is kept for good: nobody can tell a maker that is
// still at work from one that died, and a maker cleans up after itself.
func Select(files []observers.BackupFile, policy desired.Retention, now time.Time) []Verdict {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b observers.BackupFile) int { return b.Stamp.Compare(a.Stamp) })
	rules := rulesOf(policy)
	verdicts := make([]Verdict, len(files))
	for i, f := range files {
		verdicts[i] = judge(f, rules, now)
	}
	return verdicts
}

func judge(f observers.BackupFile, rules []*rule, now time.Time) Verdict {
	aside := ""
	switch {
	case !f.Finished:
		aside = reasonUnfinished
	case !f.Verified:
		aside = reasonUnverified
	case f.Stamp.After(now):
		aside = reasonFuture
	case len(rules) == 0:
		aside = reasonNoRule
	}
	if aside != "" {
		return Verdict{Name: f.Name, Keep: true, Reason: aside}
	}
	var kept []string
	for _, r := range rules {
		if reason, ok := r.take(f.Stamp.In(now.Location())); ok {
			kept = append(kept, reason)
		}
	}
	if len(kept) == 0 {
		return Verdict{Name: f.Name, Reason: reasonRemove}
	}
	return Verdict{Name: f.Name, Keep: true, Reason: strings.Join(kept, ", ")}
}

// rule keeps the first backup of each of count periods, as they come newest
// first. Any rule that is on keeps the newest backup of all.
type rule struct {
	name   string
	count  int
	period func(time.Time) string
	last   string // the period that was kept last
	taken  int
}

func rulesOf(p desired.Retention) []*rule {
	all := []*rule{
		{name: "last", count: p.KeepLast, period: func(t time.Time) string { return t.UTC().Format(time.RFC3339) }},
		{name: "day", count: p.KeepDaily, period: func(t time.Time) string { return t.Format(time.DateOnly) }},
		{name: "week", count: p.KeepWeekly, period: week},
		{name: "month", count: p.KeepMonthly, period: func(t time.Time) string { return t.Format("2006-01") }},
	}
	return slices.DeleteFunc(all, func(r *rule) bool { return r.count <= 0 })
}

func week(t time.Time) string {
	year, number := t.ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, number)
}

func (r *rule) take(t time.Time) (reason string, ok bool) {
	period := r.period(t)
	if r.taken == r.count || r.taken > 0 && period == r.last {
		return "", false
	}
	r.taken++
	r.last = period
	if r.name == "last" {
		return fmt.Sprintf("last %d of %d", r.taken, r.count), true
	}
	return r.name + " " + period, true
}
