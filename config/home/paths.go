package home

import (
	"errors"
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
// uid 0 are the system's folders, those of any other user the XDG folders; a
// relative XDG path counts as not set, as its specification asks.
func Resolve(getenv func(string) string, uid int, flags Paths) (Paths, error) {
	data, backups := systemData, systemBackups
	if uid != 0 {
		data, backups = userFolders(getenv)
	}
	p := Paths{
		Home:        first(flags.Home, getenv("CORE_HOME"), data),
		Backup:      first(flags.Backup, getenv("CORE_BACKUP_DIR"), backups),
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
	if p.Home == "" {
		return Paths{}, errors.New("resolve home: neither --home, CORE_HOME, XDG_DATA_HOME nor HOME is set")
	}
	p.Backup = first(p.Backup, filepath.Clean(p.Home)+"-backups")
	p.Socket = first(flags.Socket, getenv("CORE_SOCKET"), filepath.Join(p.Home, "run", "core.sock"))
	for _, address := range []*string{&p.Listen, &p.Gateway, &p.Auth} {
		*address = strings.TrimSuffix(strings.TrimPrefix(*address, "http://"), "/")
	}
	for _, name := range []*string{&p.Home, &p.Backup, &p.Control, &p.LicenseKeys, &p.Sites, &p.Proc, &p.Etc, &p.Socket} {
		abs, err := filepath.Abs(*name)
		if err != nil {
			return Paths{}, fmt.Errorf("resolve %q: %w", *name, err)
		}
		*name = abs
	}
	return p, nil
}

// Folders of an installation that belongs to the system.
const (
	systemData    = "/var/lib/core"
	systemBackups = "/var/backups/core"
)

// userFolders are the XDG folders of a user's own installation, empty where
// nothing says where they are.
func userFolders(getenv func(string) string) (data, backups string) {
	xdg := func(name, below string) string {
		if dir := getenv(name); filepath.IsAbs(dir) {
			return dir
		}
		if home := getenv("HOME"); filepath.IsAbs(home) {
			return filepath.Join(home, below)
		}
		return ""
	}
	if dir := xdg("XDG_DATA_HOME", ".local/share"); dir != "" {
		data = filepath.Join(dir, "core")
	}
	if dir := xdg("XDG_STATE_HOME", ".local/state"); dir != "" {
		backups = filepath.Join(dir, "core/backups")
	}
	return data, backups
}

// Names of files in the home, relative to it.
const (
	DesiredFile  = "desired.yaml"
	PlatformFile = "config.yaml"
	SecretsFile  = "secrets.db"
	KeyFile      = ".kek"
	OperatorFile = "operator.db"
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
