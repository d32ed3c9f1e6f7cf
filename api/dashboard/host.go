package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"corehost/api"
	"corehost/observers/history"
)

// HostView is the first page: the machine, its services, its latest changes.
type HostView struct {
	Load    LoadCard
	Memory  BarCard
	Disk    BarCard
	Units   UnitsCard
	System  SystemCard
	Remote  RemoteCard
	Vault   VaultCard
	Update  UpdateCard
	Changes []ChangeRow
	Problem string // why the changes cannot be shown; empty: they can
}

// LoadCard is the load with its curve.
type LoadCard struct {
	Age
	One   string
	Rest  string // the averages over 5 and 15 minutes
	Cores string
	Spark Spark
}

// BarCard is a share of something limited.
type BarCard struct {
	Age
	Title, Used, Total, Unit string
	Percent                  string // whole number
	Width                    string // of the bar, 0 to 100
	Red                      bool
	Note                     string
	Spark                    Spark
}

// SystemCard is what does not change by the second.
type SystemCard struct {
	Age
	OS, Hostname, Version string
	Up                    string
	UpSince               *Moment
	Home                  string
}

// hostPage gathers the first page.
func (d *Dashboard) hostPage(r *http.Request, now clock, status api.Status, _ Failure) (body, error) {
	ctx := r.Context()
	stats, ages, samples := d.src.Stats(ctx), d.src.Ages(ctx), d.src.History()
	view := HostView{
		Load:   loadCard(stats, samples, now),
		Memory: memoryCard(stats, samples, now),
		Disk:   diskCard(stats, samples, now),
		Units:  unitsCard(stats, ages, now, r.URL.Path),
		System: systemCard(stats, status, now),
		Remote: remoteCard(stats, ages, now),
		Vault:  vaultCard(stats, ages, now),
		Update: updateCard(d.src.UpdateStatus(ctx), now),
	}
	view.Changes, view.Problem = d.latest(ctx, now)
	return body{template: "host", title: "Host", name: "host", view: view}, nil
}

func loadCard(stats api.SystemStats, samples []history.Sample, now clock) LoadCard {
	card := LoadCard{Age: hostAge(stats, stats.LoadAvg != nil, "load", now), Spark: spark(samples, now.now, loadFigure)}
	if stats.CPUs > 0 {
		card.Cores = count(stats.CPUs, "core")
	}
	if l := stats.LoadAvg; l != nil {
		card.One, card.Rest = load(l.One), load(l.Five)+" over 5 min, "+load(l.Fifteen)+" over 15 min"
	}
	return card
}

func memoryCard(stats api.SystemStats, samples []history.Sample, now clock) BarCard {
	card := BarCard{Title: "Memory", Unit: "MB", Age: hostAge(stats, stats.Memory != nil, "memory", now), Spark: spark(samples, now.now, memoryFigure)}
	if m := stats.Memory; m != nil {
		card.fill(m.UsedMB, m.TotalMB, m.UsedPercent, m.Red)
	}
	return card
}

func diskCard(stats api.SystemStats, samples []history.Sample, now clock) BarCard {
	card := BarCard{Title: "Disk /", Unit: "GB", Age: hostAge(stats, stats.Disk != nil, "disk", now), Spark: spark(samples, now.now, diskFigure)}
	if d := stats.Disk; d != nil {
		card.Title = "Disk " + d.Path
		card.fill(d.UsedGB, d.TotalGB, d.UsedPercent, d.Red)
	}
	return card
}

func (c *BarCard) fill(used, total int64, share float64, red bool) {
	c.Used, c.Total, c.Red = comma(used), comma(total), red
	c.Percent = percent(share, api.RedAbove)
	c.Width = fmt.Sprintf("%.1f", min(max(share, 0), 100))
	c.Note = c.Percent + " % used"
	if red {
		c.Note += fmt.Sprintf(", above %.0f %%", api.RedAbove)
	}
}

func systemCard(stats api.SystemStats, status api.Status, now clock) SystemCard {
	card := SystemCard{
		Age: hostAge(stats, stats.UptimeSeconds != nil, "uptime", now),
		OS:  stats.OS, Hostname: stats.Hostname, Version: stats.DashboardVersion, Home: status.Home,
	}
	if stats.UptimeSeconds != nil {
		up := time.Duration(*stats.UptimeSeconds) * time.Second
		card.Up, card.UpSince = brief(up), now.moment(now.now.Add(-up))
	}
	return card
}

// hostAge is the age of the host's figures, or why one of them is missing.
func hostAge(stats api.SystemStats, known bool, part string, now clock) Age {
	age := Age{At: now.pointer(stats.ObservedAt)}
	if !known {
		age.Why = why(stats.Warnings, "host", part)
	}
	return age
}

// hostParts are the parts the host's observer names before a colon.
var hostParts = []string{"os", "hostname", "uptime", "load", "memory", "disk", "cpus"}

// why is the reason a part is not known: the warning about it, else what its
// observer says of the whole, else that nothing was read yet.
func why(warnings []api.Warning, source, part string) string {
	var about, whole []string
	for _, w := range warnings {
		if w.Source != source && w.Source != source+"."+part {
			continue
		}
		subject, rest, found := strings.Cut(w.Message, ":")
		switch {
		case found && subject == part && part != "":
			about = append(about, strings.TrimSpace(rest))
		case !found || part == "" || !slices.Contains(hostParts, subject):
			whole = append(whole, w.Message)
		}
	}
	if len(about) == 0 {
		about = whole
	}
	if len(about) == 0 {
		return "It was not read yet."
	}
	return sentence(strings.Join(slices.Compact(about), "; "))
}

// readAt is the age of a part by the name of its observer.
func readAt(ages map[string]time.Time, observer string, now clock) Age {
	return Age{At: now.moment(ages[observer])}
}
