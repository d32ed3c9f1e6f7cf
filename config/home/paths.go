package home

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Paths is the answer to "where": every place and address of one
// installation, resolved once at the start of a program and then only passed
// on. All file paths are absolute.
type Paths struct {
	Home        string // {home_dir}
	Backup      string // {backup_dir}
	Control     string // {control_dir}
	LicenseKeys string // {license_key_dir}
	Sites       string // {web_server_sites_dir}
	Socket      string // unix socket of the daemon
	Listen      string // host:port of the HTTP API
	Gateway     string // host:port of the model gateway
	Auth        string // host:port of the sign-in service
	Proc        string // root of the process file system to observe
	Etc         string // root of the system configuration to observe
	ReleasesURL string // release feed; empty: the code host's API
}

// Resolve reads the settings from the environment. flags win over getenv;
// both may leave a setting empty, which selects its default. The defaults of
// uid 0 are the system's folders, those of any other user the XDG folders.
func Resolve(getenv func(string) string, uid int, flags Paths) (Paths, error) {
	userHome := getenv("HOME")
	data, state := "/var/lib", "/var/backups/core"
	if uid != 0 {
		if userHome == "" && getenv("XDG_DATA_HOME") == "" && flags.Home == "" && getenv("CORE_HOME") == "" {
			return Paths{}, fmt.Errorf("resolve home: neither --home, CORE_HOME, XDG_DATA_HOME nor HOME is set")
		}
		data = first(getenv("XDG_DATA_HOME"), filepath.Join(userHome, ".local/share"))
		state = filepath.Join(first(getenv("XDG_STATE_HOME"), filepath.Join(userHome, ".local/state")), "core/backups")
	}
	p := Paths{
		Home:        first(flags.Home, getenv("CORE_HOME"), filepath.Join(data, "core")),
		Backup:      first(flags.Backup, getenv("CORE_BACKUP_DIR"), state),
		Control:     first(flags.Control, getenv("CORE_CONTROL_DIR"), "/var/lib/core-control"),
		LicenseKeys: first(flags.LicenseKeys, getenv("CORE_LICENSE_KEY_DIR"), "/etc/core/license-signing"),
		Sites:       first(flags.Sites, getenv("CORE_SITES_DIR"), "/etc/nginx/sites-available"),
		Listen:      first(flags.Listen, getenv("CORE_LISTEN"), "127.0.0.1:7710"),
		Gateway:     first(flags.Gateway, getenv("CORE_GATEWAY_LISTEN"), "127.0.0.1:7711"),
		Auth:        first(flags.Auth, getenv("CORE_AUTH_LISTEN"), "127.0.0.1:7712"),
		Proc:        first(flags.Proc, getenv("CORE_PROC_ROOT"), "/proc"),
		Etc:         first(flags.Etc, getenv("CORE_ETC_ROOT"), "/etc"),
		ReleasesURL: first(flags.ReleasesURL, getenv("CORE_RELEASES_URL")),
	}
	p.Listen = strings.TrimPrefix(p.Listen, "http://")
	for _, dir := range []*string{&p.Home, &p.Backup, &p.Control, &p.LicenseKeys, &p.Sites, &p.Proc, &p.Etc} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return Paths{}, fmt.Errorf("resolve %q: %w", *dir, err)
		}
		*dir = abs
	}
	p.Socket = first(flags.Socket, getenv("CORE_SOCKET"), filepath.Join(p.Home, "run", "core.sock"))
	return p, nil
}

// Names of files in the home, relative to it.
const (
	DesiredFile  = "desired.yaml"
	PlatformFile = "config.yaml"
	SecretsFile  = "secrets.db"
	KeyFile      = ".kek"
	SessionsFile = "sessions.db"
	HarnessFile  = "harness.db"
	OperatorFile = "operator.db"
	AccountsFile = "accounts.db"
	EnvFile      = ".env"
	RunDir       = "run"
	LockFile     = "run/core.lock"
)

// Join is the absolute path of a name relative to the home.
func (p Paths) Join(name string) string { return filepath.Join(p.Home, name) }

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
