package api

import "time"

// SystemStats is the body of GET /api/system/stats. A part that could not be
// read is null and named in Warnings.
type SystemStats struct {
	OS               string        `json:"os"`
	DashboardVersion string        `json:"dashboard_version"`
	Hostname         string        `json:"hostname"`
	UptimeSeconds    *int64        `json:"uptime_seconds"`
	CPUs             int           `json:"cpus"`
	LoadAvg          *LoadAvg      `json:"load_avg"`
	Memory           *MemoryUse    `json:"memory"`
	Disk             *DiskUse      `json:"disk"`
	Units            []UnitStatus  `json:"units"`
	RemoteAccess     *RemoteAccess `json:"remote_access"`
	Vault            *VaultCard    `json:"vault"`
	ObservedAt       *time.Time    `json:"observed_at"` // of the host's figures
	Warnings         []Warning     `json:"warnings"`
}

// Warning is a part of an answer that is not known, and why.
type Warning struct {
	Source  string `json:"source"` // observer or part: "host.memory", "units"
	Message string `json:"message"`
}

// LoadAvg is the number of runnable tasks averaged over 1, 5 and 15 minutes.
type LoadAvg struct {
	One     float64 `json:"one"`
	Five    float64 `json:"five"`
	Fifteen float64 `json:"fifteen"`
}

// MemoryUse is in MiB, as `free -m` prints it.
type MemoryUse struct {
	UsedMB      int64   `json:"used_mb"`
	TotalMB     int64   `json:"total_mb"`
	UsedPercent float64 `json:"used_percent"`
	Red         bool    `json:"red"` // above 85 %
}

// DiskUse is in GiB, as `df -BG` prints it.
type DiskUse struct {
	Path        string  `json:"path"`
	UsedGB      int64   `json:"used_gb"`
	TotalGB     int64   `json:"total_gb"`
	UsedPercent float64 `json:"used_percent"`
	Red         bool    `json:"red"` // above 85 %
}

// RedAbove is the share in percent above which memory and disk are red.
const RedAbove = 85.0

// UnitStatus is one service unit. State is ACTIVE or DOWN.
type UnitStatus struct {
	Name     string     `json:"name"`
	State    string     `json:"state"`
	SubState string     `json:"sub_state"`
	Since    *time.Time `json:"since"`
	PID      int        `json:"pid"`
	Restarts int        `json:"restarts"`
	Reason   string     `json:"reason,omitempty"` // why DOWN, in words: no service manager, no unit file, exit code
	Known    bool       `json:"known"`            // false: the state is a guess, the reading is old or failed
}

// RemoteAccess is the mesh VPN client.
type RemoteAccess struct {
	State    string   `json:"state"` // not_installed, connected, not_connected
	Label    string   `json:"label"` // Not installed, Connected, Installed but not connected
	Hostname string   `json:"hostname"`
	IPs      []string `json:"ips"`
	Detail   string   `json:"detail,omitempty"`
}

// VaultCard is what is known of the vault from its files: until the vault can
// be opened, the counts are unknown and State is "unknown" or a key problem.
type VaultCard struct {
	State     string  `json:"state"` // uninitialised, key_missing, key_insecure, unknown
	StorePath string  `json:"store_path"`
	KeyPath   string  `json:"key_path"`
	Detail    string  `json:"detail"`
	OneLine   *string `json:"one_line"` // null: not known
}

// UpdateStatus is what is known of newer releases. Without a release feed
// only the current version is known.
type UpdateStatus struct {
	CurrentVersion   string     `json:"current_version"`
	LatestVersion    *string    `json:"latest_version"`
	ReleaseNotesURL  *string    `json:"release_notes_url"`
	UpdateAvailable  bool       `json:"update_available"`
	Case             string     `json:"case"` // no_releases, up_to_date, update_available
	CanApply         bool       `json:"can_apply"`
	ApplyInstruction string     `json:"apply_instruction"`
	CheckedAt        *time.Time `json:"checked_at"`
	Error            *string    `json:"error"`
}
