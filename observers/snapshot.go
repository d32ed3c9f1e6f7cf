package observers

import (
	"time"

	"corehost/config/home"
	"corehost/config/platform"
)

// Snapshot is everything observed, as of one moment. It is immutable: the hub
// replaces it as a whole, so it can be read without a lock and kept.
type Snapshot struct {
	Version  uint64    // grows with every reading
	At       time.Time // the clock for everything planned from this snapshot
	Host     Reading[Host]
	Units    Reading[Units]
	Platform Reading[Platform]
	Keys     Reading[Keys]
	Vault    Reading[VaultFiles]
	Mesh     Reading[Mesh]
	Backups  Reading[Backups]
}

// Host is the machine. Parts that could not be read are nil and named in
// Warnings; the rest stands.
type Host struct {
	OS       string
	Hostname string
	Uptime   *time.Duration
	Load     *Load
	Memory   *Memory
	Disk     *Disk
	CPUs     int
	Warnings []string
}

// Load is the number of runnable tasks, averaged; source /proc/loadavg.
type Load struct{ One, Five, Fifteen float64 }

// Memory in MiB as `free -m` prints it; used = MemTotal - MemAvailable.
type Memory struct{ UsedMB, TotalMB int64 }

// Disk of one file system in GiB as `df -BG` prints it (rounded up).
type Disk struct {
	Path            string
	UsedGB, TotalGB int64
	UsedPercent     float64 // of what an unprivileged user can use, as df counts
}

// Units is the state of the service units.
type Units struct {
	Manager bool   // a service manager answered
	Reason  string // why not, in a sentence
	BootID  string // kernel boot id; monotonic times compare only within one
	Units   []Unit // in the order asked for; one entry for each name
}

// Unit is one systemd service unit.
type Unit struct {
	Name        string // without ".service"
	Load        string // loaded, not-found, masked, error
	Active      string // active, inactive, failed, activating, deactivating, reloading
	Sub         string // running, exited, dead, auto-restart …
	Result      string // success, exit-code, oom-kill, start-limit-hit …
	PID         int
	Restarts    int           // by the service manager, since the unit was loaded
	Since       time.Time     // of the present active state
	Started     time.Time     // when it last became active; zero: never
	StartedMono time.Duration // the same on CLOCK_MONOTONIC of BootID
	Invocation  string        // invocation id of the last start
}

// Up reports whether `systemctl is-active` would say active.
func (u Unit) Up() bool { return u.Active == "active" || u.Active == "reloading" }

// Installed reports whether the service manager has a unit file for it.
func (u Unit) Installed() bool { return u.Load == "loaded" }

// Find returns the unit of a name.
func (u Units) Find(name string) (Unit, bool) {
	for _, unit := range u.Units {
		if unit.Name == name {
			return unit, true
		}
	}
	return Unit{}, false
}

// Platform is config.yaml as it lies on disk.
type Platform struct {
	Exists  bool
	Sum     home.Sum
	ModTime time.Time
	Config  platform.Config   // what it says; zero when Problem is set
	Problem *platform.Problem // why it does not parse
	Writer  *Writer           // who last wrote it, where the host can tell
}

// Writer is who wrote a file, as far as the host can tell.
type Writer struct {
	UID     int
	User    string // name of the user, else the number
	PID     int    // 0: not known, only the file's owner is
	Command string // name of the program: vim, sed; empty: not known
	At      time.Time
}

// Keys tells which provider keys are at hand, by environment name. Values
// never pass through here.
type Keys struct {
	Sources map[string]string // ANTHROPIC_API_KEY → "vault", ".env", "environment"
}

// Has reports whether a usable key of that environment name is at hand.
func (k Keys) Has(env string) bool { return k.Sources[env] != "" }

// VaultFiles is what the vault's files look like from outside.
type VaultFiles struct {
	StorePath, KeyPath string
	StoreExists        bool
	StoreSize          int64 // bytes
	KeyExists          bool
	KeyMode            uint32 // permission bits
	KeySize            int64  // bytes
	KeyOwner           int    // uid
	KeyRegular         bool
}

// MeshState is the state of the mesh VPN client.
type MeshState string

// The mesh states of the service document.
const (
	MeshNotInstalled MeshState = "not_installed"
	MeshConnected    MeshState = "connected"
	MeshNotConnected MeshState = "not_connected"
)

// Mesh is the mesh VPN client, through which the dashboard can be reached.
type Mesh struct {
	State    MeshState
	Hostname string   // without the trailing dot; only when connected
	IPs      []string // only when connected
	Detail   string   // why it is not connected, in a sentence
}

// Backups are the whole-server backups in the backup folder.
type Backups struct {
	Dir   string
	Files []BackupFile // newest first
}

// BackupFile is one core-<stamp>.tar.gz.
type BackupFile struct {
	Name     string
	Stamp    time.Time // from the name, UTC
	Size     int64     // bytes
	Finished bool      // its .sha256 sidecar exists and is well-formed
	Verified bool      // a read-back matched the sidecar
	Sum      string    // SHA-256 of the sidecar
	Identity string    // device, inode, size and time of change: what a plan was made from
}
