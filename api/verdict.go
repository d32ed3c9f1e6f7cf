package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Levels of a verdict and of its items.
const (
	LevelHealthy   = "healthy"
	LevelAttention = "attention" // somebody should look
	LevelBroken    = "broken"    // something that should work does not
)

// Kinds of thing to do: what a button does.
const (
	DoRestart = "restart_unit"
	DoStart   = "start_unit"
	DoConfirm = "confirm"
	DoAdopt   = "adopt"
	DoResume  = "resume"
	DoLink    = "link"
)

// Judge answers whether a host is well and what a person must do. It is pure;
// the time is that of the snapshot.
func Judge(status reconcilers.Status, stats SystemStats, want *desired.Host, have *observers.Snapshot) Verdict {
	j := &judge{status: status, stats: stats, want: want, have: have, now: have.At}
	j.try()
	j.reverted()
	j.document()
	j.stalled()
	j.services()
	j.restarts()
	j.resources()
	j.drift()
	j.suspended()
	j.journaling()
	j.unknown()
	return j.verdict()
}

type judge struct {
	status reconcilers.Status
	stats  SystemStats
	want   *desired.Host
	have   *observers.Snapshot
	now    time.Time
	items  []VerdictItem
}

func (j *judge) add(item VerdictItem) { j.items = append(j.items, item) }

func (j *judge) verdict() Verdict {
	rank := map[string]int{LevelBroken: 0, LevelAttention: 1}
	slices.SortStableFunc(j.items, func(a, b VerdictItem) int { return cmp.Compare(rank[a.Level], rank[b.Level]) })
	v := Verdict{Level: LevelHealthy, Title: "Healthy", Items: listed(j.items)}
	if len(j.items) == 0 {
		return v
	}
	v.Level = j.items[0].Level
	word := "Attention"
	if v.Level == LevelBroken {
		word = "Broken"
	}
	v.Title = fmt.Sprintf("%s: %s to do", word, count(len(j.items), "thing"))
	return v
}

func (j *judge) try() {
	t := j.status.Try
	if t == nil {
		return
	}
	j.add(VerdictItem{
		Code: "try_running", Level: LevelAttention,
		What: fmt.Sprintf("Revision %d is only being tried", t.Revision),
		Why:  fmt.Sprintf("It is taken back by itself in %s unless you keep it", until(t.Deadline, j.now)),
		Kind: DoConfirm, Action: "Keep the change", Command: "cli confirm",
	})
}

// reverted tells a person why an edit is gone.
func (j *judge) reverted() {
	r := j.status.Reverted
	if r == nil {
		return
	}
	back := "An earlier revision"
	if r.To > 0 {
		back = fmt.Sprintf("Revision %d", r.To)
	}
	j.add(VerdictItem{
		Code: "reverted", Level: LevelAttention,
		What: fmt.Sprintf("Revision %d was taken back", r.Revision),
		Why: fmt.Sprintf("%s ago, because %s. %s is in force again, and what revision %d changed is not",
			since(r.Time, j.now), sentence(r.Reason, "it did harm"), back, r.Revision),
		Kind: DoLink, Target: "/activity", Action: "See what happened", Command: "cli history",
	})
}

func (j *judge) document() {
	c := meta.FindStatusCondition(j.status.Conditions, reconcilers.DesiredValid)
	if c == nil || c.Status != metav1.ConditionFalse {
		return
	}
	j.add(VerdictItem{
		Code: "desired_invalid", Level: LevelAttention,
		What: "desired.yaml is not in force as it stands",
		Why:  ended(c.Message) + " " + j.meanwhile(),
		Kind: DoLink, Target: "/activity", Action: "Show the place", Command: "cli status",
	})
}

// meanwhile says what holds while desired.yaml cannot.
func (j *judge) meanwhile() string {
	if j.status.Revision == 0 {
		return "Nothing is managed until it is mended"
	}
	return fmt.Sprintf("Revision %d stays in force until it is mended", j.status.Revision)
}

func (j *judge) stalled() {
	for _, r := range j.status.Reconcilers {
		c := meta.FindStatusCondition(r.Conditions, reconcilers.Stalled)
		if c == nil || c.Status != metav1.ConditionTrue {
			continue
		}
		j.add(VerdictItem{
			Code: "stalled", Level: LevelBroken,
			What: stalledSubject(r.Name) + " cannot be brought to what desired.yaml says",
			Why:  sentence(c.Message, "It waits for a person") + ". Nothing else is held up by it",
			Kind: DoLink, Target: "/activity", Action: "Show what holds it", Command: "cli plan",
		})
	}
}

// stalledSubject names what a reconciler looks after.
func stalledSubject(name string) string {
	switch name {
	case "model":
		return "The model"
	case "reasoning":
		return "The reasoning effort"
	case "unit":
		return "A service"
	case "retention":
		return "The number of backups kept"
	}
	return "The part " + name
}

func (j *judge) restarts() {
	fields := map[string][]reconcilers.RestartNotice{}
	var units []string
	for _, n := range j.status.Restart {
		if fields[n.Unit] == nil {
			units = append(units, n.Unit)
		}
		fields[n.Unit] = append(fields[n.Unit], n)
	}
	for _, unit := range units {
		j.restart(unit, fields[unit])
	}
}

func (j *judge) restart(unit string, notices []reconcilers.RestartNotice) {
	oldest, values := notices[0].Since, []string{}
	for _, n := range notices {
		if n.Since.Before(oldest) {
			oldest = n.Since
		}
		values = append(values, fmt.Sprintf("%s is %s, it runs %s", n.Field, cmp.Or(n.Configured, "not set"), cmp.Or(n.Running, "without")))
	}
	item := VerdictItem{
		Code: "restart_required", Level: LevelAttention,
		What: unit + " still runs the old settings",
		Why:  fmt.Sprintf("For %s now: %s. It reads them only when it starts", since(oldest, j.now), strings.Join(values, "; ")),
		Kind: DoRestart, Target: unit, Action: "Restart " + short(unit), Command: "cli unit restart " + unit,
	}
	if unit == "core-dashboard" {
		item.Command = "systemctl restart " + unit // it cannot restart itself and say how it went
	}
	if !j.have.Units.Value.Manager {
		item.Why += ". Without a service manager that is done by hand"
		item.Kind, item.Target, item.Action, item.Command = DoLink, "/", "", ""
	}
	j.add(item)
}

func (j *judge) resources() {
	if m := j.stats.Memory; m != nil && m.Red {
		j.add(VerdictItem{
			Code: "memory_full", Level: LevelAttention,
			What: fmt.Sprintf("Memory is %.0f %% full", m.UsedPercent),
			Why:  fmt.Sprintf("%d of %d MB are used. When it runs out, the system ends a service to go on", m.UsedMB, m.TotalMB),
			Kind: DoLink, Target: "/", Command: "cli status",
		})
	}
	if d := j.stats.Disk; d != nil && d.Red {
		j.add(VerdictItem{
			Code: "disk_full", Level: LevelAttention,
			What: fmt.Sprintf("The disk %s is %.0f %% full", d.Path, d.UsedPercent),
			Why:  fmt.Sprintf("%d of %d GB are used. When it is full, no change and no backup can be written", d.UsedGB, d.TotalGB),
			Kind: DoLink, Target: "/", Command: "cli status",
		})
	}
}

func (j *judge) drift() {
	for _, d := range j.status.Drift {
		if d.IgnoredUntil != nil && d.IgnoredUntil.After(j.now) {
			continue
		}
		if j.want.Spec.Drift != desired.DriftReport {
			continue
		}
		by := "Somebody"
		if d.By != "" {
			by = d.By
		}
		j.add(VerdictItem{
			Code: "drift", Level: LevelAttention,
			What: fmt.Sprintf("%s was changed by hand to %s", d.Field, value(d.Actual)),
			Why:  fmt.Sprintf("%s changed it %s ago in %s; desired.yaml says %s", by, since(d.Seen, j.now), d.Object, value(d.Desired)),
			Kind: DoAdopt, Target: d.Field, Action: "Adopt the change", Command: "cli drift adopt " + d.Field,
		})
	}
}

func (j *judge) suspended() {
	s := j.want.Spec.Suspend
	if !suspended(j.want, j.now) {
		return
	}
	why := "Changes are planned but not made"
	if s.Reason != "" {
		why += ". Reason given: " + strings.TrimSuffix(s.Reason, ".")
	}
	if s.Until != nil {
		why += ". It ends by itself in " + until(s.Until.Time, j.now)
	}
	j.add(VerdictItem{
		Code: "suspended", Level: LevelAttention, What: "The host is suspended", Why: why,
		Kind: DoResume, Action: "Resume", Command: "cli resume",
	})
}

func (j *judge) journaling() {
	c := meta.FindStatusCondition(j.status.Conditions, reconcilers.Journaling)
	if c == nil || c.Status != metav1.ConditionFalse {
		return
	}
	j.add(VerdictItem{
		Code: "journaling_off", Level: LevelAttention,
		What: "The record of changes is not being written",
		Why:  sentence(c.Message, "operator.db cannot be written") + ". The host is still looked after, but what happens now is forgotten at the next start",
		Kind: DoLink, Target: "/activity", Command: "cli status",
	})
}

// sentence is a message without its full stop, or what to say without one.
func sentence(message, otherwise string) string {
	return first(strings.TrimRight(strings.TrimSpace(message), "."), otherwise)
}

// ended is a message that ends as a sentence does.
func ended(message string) string {
	if message = strings.TrimSpace(message); strings.HasSuffix(message, "?") || strings.HasSuffix(message, ".") {
		return message
	}
	return message + "."
}

// value is a value as a sentence shows it.
func value(v string) string {
	if v == "" {
		return "not set"
	}
	return v
}

// short is a unit's name for a button: "gateway".
func short(unit string) string { return strings.TrimPrefix(unit, "core-") }

func suspended(host *desired.Host, now time.Time) bool {
	suspend := host.Spec.Suspend
	return suspend != nil && suspend.Active && (suspend.Until == nil || suspend.Until.After(now))
}
