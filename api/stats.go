package api

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"corehost/observers"
)

// Stats is the host as last observed. The value is shared: do not change it.
func (s *Server) Stats(context.Context) SystemStats {
	entry := s.statsEntry()
	return entry.value
}

// statsEntry makes the answer once for each snapshot and again when a reading
// in it becomes too old to be shown as true.
func (s *Server) statsEntry() *entry[SystemStats] {
	snapshot := s.Hub.Snapshot()
	return s.stats.get(stamp{version: snapshot.Version}, snapshot.At, func() (SystemStats, time.Time) {
		return systemStats(snapshot, s.Version), expiry(snapshot)
	})
}

// serveStats answers GET /api/system/stats from memory: the bytes are those
// of the last snapshot, made once.
func (s *Server) serveStats(w http.ResponseWriter, _ *http.Request) {
	body := s.statsEntry().body
	h := w.Header()
	h["Content-Type"] = jsonContent
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write(body)
}

var jsonContent = []string{"application/json"}

// systemStats turns a snapshot into the answer. Nothing unknown is shown as
// a figure.
func systemStats(have *observers.Snapshot, version string) SystemStats {
	stats := SystemStats{DashboardVersion: version, Units: []UnitStatus{}, Warnings: []Warning{}}
	stats.host(have)
	stats.units(have)
	stats.remote(have)
	stats.vault(have)
	return stats
}

func (s *SystemStats) warn(source, message string) {
	s.Warnings = append(s.Warnings, Warning{Source: source, Message: message})
}

func (s *SystemStats) host(have *observers.Snapshot) {
	host := have.Host.Value
	s.OS, s.Hostname, s.CPUs = host.OS, host.Hostname, host.CPUs
	if !have.Host.At.IsZero() {
		at := have.Host.At.UTC()
		s.ObservedAt = &at
	}
	if why := have.Host.Why(have.At); why != "" {
		s.warn("host", why)
		return
	}
	for _, warning := range host.Warnings {
		s.warn("host", warning)
	}
	if host.Uptime != nil {
		seconds := int64(host.Uptime.Seconds())
		s.UptimeSeconds = &seconds
	}
	if host.Load != nil {
		s.LoadAvg = &LoadAvg{One: host.Load.One, Five: host.Load.Five, Fifteen: host.Load.Fifteen}
	}
	if m := host.Memory; m != nil && m.TotalMB > 0 {
		percent := 100 * float64(m.UsedMB) / float64(m.TotalMB)
		s.Memory = &MemoryUse{UsedMB: m.UsedMB, TotalMB: m.TotalMB, UsedPercent: tenth(percent), Red: percent > RedAbove}
	}
	if d := host.Disk; d != nil {
		s.Disk = &DiskUse{Path: d.Path, UsedGB: d.UsedGB, TotalGB: d.TotalGB, UsedPercent: tenth(d.UsedPercent), Red: d.UsedPercent > RedAbove}
	}
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

func (s *SystemStats) remote(have *observers.Snapshot) {
	if why := have.Mesh.Why(have.At); why != "" {
		s.warn("remote_access", why)
		return
	}
	mesh := have.Mesh.Value
	s.RemoteAccess = &RemoteAccess{
		State: string(mesh.State), Label: meshLabels[mesh.State], Hostname: mesh.Hostname,
		IPs: listed(mesh.IPs), Detail: mesh.Detail,
	}
}

// meshLabels are the words of the service document.
var meshLabels = map[observers.MeshState]string{
	observers.MeshNotInstalled: "Not installed",
	observers.MeshConnected:    "Connected",
	observers.MeshNotConnected: "Installed but not connected",
}

func (s *SystemStats) vault(have *observers.Snapshot) {
	if why := have.Vault.Why(have.At); why != "" {
		s.warn("vault", why)
		return
	}
	card := vaultCard(have.Vault.Value)
	s.Vault = &card
}

// vaultCard says what the files tell from outside.
func vaultCard(files observers.VaultFiles) VaultCard {
	card := VaultCard{StorePath: files.StorePath, KeyPath: files.KeyPath}
	const shared = 0o077
	switch {
	case !files.StoreExists && !files.KeyExists:
		line := "secrets: 0 keys, 0 due, 0 overdue, vault key backed up: no"
		card.State, card.OneLine = "uninitialised", &line
		card.Detail = "No vault yet. It is made when the first key is stored."
	case !files.KeyExists:
		card.State = "key_missing"
		card.Detail = "The store is there but its key file is not. Restore the key from a backup to open the store."
	case !files.KeyRegular || files.KeyMode&shared != 0:
		card.State = "key_insecure"
		card.Detail = "Others on this machine may read the vault key. Make it readable by its owner only: chmod 400 " + files.KeyPath
	default:
		card.State = "unknown"
		card.Detail = "The files of the vault are in place. How many keys it holds is not known yet."
	}
	return card
}

// expiry is when the first reading in a snapshot stops being the truth.
func expiry(have *observers.Snapshot) time.Time {
	first := have.At.Add(time.Hour)
	for _, r := range ages(have) {
		if end := r.At.Add(3 * r.Interval); r.Err == nil && !r.At.IsZero() && end.After(have.At) && end.Before(first) {
			first = end
		}
	}
	return first
}

// age is what is known of a reading whatever it reads.
type age struct {
	Name     string
	At       time.Time
	Interval time.Duration
	Err      error
}

func ageOf[T any](name string, r observers.Reading[T]) age {
	return age{Name: name, At: r.At, Interval: r.Interval, Err: r.Err}
}

// ages lists every reading of a snapshot.
func ages(have *observers.Snapshot) []age {
	return []age{
		ageOf("host", have.Host), ageOf("unit", have.Units), ageOf("platform", have.Platform),
		ageOf("key", have.Keys), ageOf("vault", have.Vault), ageOf("mesh", have.Mesh), ageOf("backup", have.Backups),
	}
}

// listed makes sure that a list is never null in JSON.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// encode is JSON as huma writes it: no HTML escapes, one line.
func encode(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return body
}
