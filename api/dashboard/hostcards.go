package dashboard

import (
	"strings"
	"time"

	"corehost/api"
)

// UnitsCard is the table of services.
type UnitsCard struct {
	Age
	Rows []UnitRow
}

// UnitRow is one service.
type UnitRow struct {
	Name     string
	Pill     Pill
	Since    *Moment
	Restarts string
	Reason   string  // why it is down; empty: it is not
	Action   *Action // nil: no button
	HowTo    *HowTo  // the dashboard's own unit
}

// Pill is a state in a word with its colour; the word says it all.
type Pill struct {
	Word  string
	Tone  string // good, warn, bad; empty: grey
	Pulse bool
}

// RemoteCard is how the dashboard can be reached from elsewhere.
type RemoteCard struct {
	Age
	Pill     Pill
	Hostname string
	IPs      []string
	Detail   string
}

// VaultCard is what the vault's files tell.
type VaultCard struct {
	Age
	Pill      Pill
	Detail    string
	StorePath string
	KeyPath   string
	Summary   string // empty: unknown; Detail says why
}

// UpdateCard is what is known of newer releases.
type UpdateCard struct {
	Age
	Pill     Pill
	Figure   string
	Detail   string
	NotesURL string
	Command  string
}

func unitsCard(stats api.SystemStats, ages map[string]time.Time, now clock, path string) UnitsCard {
	card := UnitsCard{Age: readAt(ages, "unit", now)}
	known := false
	for _, unit := range stats.Units {
		card.Rows = append(card.Rows, unitRow(unit, howTo(stats), now, path))
		known = known || unit.Known
	}
	if !known {
		card.Why = why(stats.Warnings, "units", "")
	}
	return card
}

func unitRow(unit api.UnitStatus, how *HowTo, now clock, path string) UnitRow {
	row := UnitRow{Name: unit.Name, Since: now.pointer(unit.Since), Restarts: comma(int64(unit.Restarts))}
	if !unit.Known {
		row.Pill, row.Since, row.Restarts = Pill{Word: "UNKNOWN"}, nil, ""
		row.Reason = sentence(first(unit.Reason, "It was not read yet"))
		return row
	}
	button := func(do, label string) *Action {
		return &Action{Path: path, Do: do, Field: []Hidden{{"unit", unit.Name}}, Label: label, Name: label + " " + unit.Name, Plain: true}
	}
	if unit.State == api.UnitActive {
		row.Pill = Pill{Word: "ACTIVE", Tone: "good"}
		row.Action = button("restart", "Restart")
	} else {
		row.Pill, row.Reason = Pill{Word: "DOWN", Tone: "bad"}, sentence(unit.Reason)
		if installed(unit) {
			row.Action = button("start", "Start")
		}
	}
	if unit.Name == self {
		row.Action, row.HowTo = nil, how
	}
	return row
}

// installed reports whether a start can be asked for at all; the API tells
// the others apart by their reason only.
func installed(unit api.UnitStatus) bool {
	return !strings.HasPrefix(unit.Reason, "not installed") && !strings.HasPrefix(unit.Reason, "masked")
}

func remoteCard(stats api.SystemStats, ages map[string]time.Time, now clock) RemoteCard {
	card := RemoteCard{Age: readAt(ages, "mesh", now)}
	remote := stats.RemoteAccess
	if remote == nil {
		card.Why = why(stats.Warnings, "remote_access", "")
		card.Pill = Pill{Word: "unknown"}
		return card
	}
	card.Pill, card.Hostname, card.IPs = Pill{Word: remote.Label}, remote.Hostname, remote.IPs
	switch remote.State {
	case "connected":
		card.Pill.Tone = "good"
		card.Detail = "The dashboard can be reached from your other devices under this name."
	case "not_connected":
		card.Pill.Tone = "warn"
		card.Detail = sentence(first(remote.Detail, "The mesh VPN client is installed but not connected. Run tailscale up on the host"))
	default:
		card.Detail = sentence(first(remote.Detail, "No mesh VPN client on this host. The dashboard is reached from this machine only, or through your own tunnel"))
	}
	return card
}

func vaultCard(stats api.SystemStats, ages map[string]time.Time, now clock) VaultCard {
	card := VaultCard{Age: readAt(ages, "vault", now)}
	vault := stats.Vault
	if vault == nil {
		card.Why = why(stats.Warnings, "vault", "")
		card.Pill = Pill{Word: "unknown"}
		return card
	}
	card.StorePath, card.KeyPath, card.Detail = vault.StorePath, vault.KeyPath, sentence(vault.Detail)
	card.Pill = vaultPill(vault.State)
	if vault.OneLine != nil {
		card.Summary = strings.TrimPrefix(*vault.OneLine, "secrets: ")
	}
	return card
}

func vaultPill(state string) Pill {
	switch state {
	case "ok":
		return Pill{Word: "ok", Tone: "good"}
	case "uninitialised":
		return Pill{Word: "not set up"}
	case "key_missing":
		return Pill{Word: "key missing", Tone: "bad"}
	case "key_insecure":
		return Pill{Word: "key readable by others", Tone: "bad"}
	case "unknown":
		return Pill{Word: "unknown"}
	}
	return Pill{Word: strings.ReplaceAll(state, "_", " "), Tone: "warn"}
}

func updateCard(update api.UpdateStatus, now clock) UpdateCard {
	card := UpdateCard{Age: Age{At: now.pointer(update.CheckedAt)}, Figure: update.CurrentVersion}
	if update.ReleaseNotesURL != nil {
		card.NotesURL = *update.ReleaseNotesURL
	}
	switch update.Case {
	case "update_available":
		card.Pill = Pill{Word: "Update available", Tone: "warn", Pulse: true}
		if update.LatestVersion != nil {
			card.Figure += " → " + *update.LatestVersion
		}
		card.Detail, card.Command = "Install it on the host:", "cli update apply"
	case "up_to_date":
		card.Pill, card.Detail = Pill{Word: "Up to date", Tone: "good"}, "There is no newer release."
	default:
		card.Pill = Pill{Word: "unknown"}
		card.Why = first(sentence(update.ApplyInstruction), "No release feed is set up, so newer releases are not looked for.")
	}
	if update.Error != nil {
		card.Pill, card.Why = Pill{Word: "unknown"}, sentence(*update.Error)
	}
	return card
}
