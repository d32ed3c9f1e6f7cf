package home_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
)

func TestResolve(t *testing.T) {
	here, err := os.Getwd()
	must(t, err)
	tests := []struct {
		name  string
		uid   int
		env   map[string]string
		flags home.Paths
		want  map[string]string
	}{
		{"root", 0, map[string]string{"HOME": "/root"}, home.Paths{}, map[string]string{
			"Home": "/var/lib/core", "Backup": "/var/backups/core", "Control": "/var/lib/core-control",
			"Socket": "/var/lib/core/run/core.sock", "Listen": "127.0.0.1:7710", "Gateway": "127.0.0.1:7711", "Auth": "127.0.0.1:7712",
			"Proc": "/proc", "Etc": "/etc", "Sites": "/etc/nginx/sites-available", "LicenseKeys": "/etc/core/license-signing",
		}},
		{"user", 1000, map[string]string{"HOME": "/h"}, home.Paths{}, map[string]string{
			"Home": "/h/.local/share/core", "Backup": "/h/.local/state/core/backups",
		}},
		{"XDG", 1000, map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"}, home.Paths{}, map[string]string{
			"Home": "/d/core", "Backup": "/s/core/backups",
		}},
		{"relative XDG is ignored", 1000, map[string]string{"HOME": "/h", "XDG_DATA_HOME": "d"}, home.Paths{}, map[string]string{
			"Home": "/h/.local/share/core",
		}},
		{"environment", 0, map[string]string{"CORE_HOME": "/e", "CORE_LISTEN": "http://127.0.0.1:1/", "CORE_SOCKET": "/s"}, home.Paths{}, map[string]string{
			"Home": "/e", "Listen": "127.0.0.1:1", "Socket": "/s",
		}},
		{"flags win", 0, map[string]string{"CORE_HOME": "/e", "CORE_PROC_ROOT": "/p"}, home.Paths{Home: "rel"}, map[string]string{
			"Home": filepath.Join(here, "rel"), "Socket": filepath.Join(here, "rel/run/core.sock"), "Proc": "/p",
		}},
		{"a home and nothing else", 1000, map[string]string{"CORE_HOME": "/srv/core/"}, home.Paths{}, map[string]string{
			"Home": "/srv/core", "Backup": "/srv/core-backups",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := home.Resolve(func(k string) string { return tt.env[k] }, tt.uid, tt.flags)
			must(t, err)
			all := map[string]string{
				"Home": p.Home, "Backup": p.Backup, "Control": p.Control, "LicenseKeys": p.LicenseKeys, "Sites": p.Sites,
				"Socket": p.Socket, "Listen": p.Listen, "Gateway": p.Gateway, "Auth": p.Auth, "Proc": p.Proc, "Etc": p.Etc,
			}
			got := map[string]string{}
			for k := range tt.want {
				got[k] = all[k]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if _, err := home.Resolve(func(string) string { return "" }, 1000, home.Paths{}); err == nil {
		t.Error("nothing says where the home is, and nobody asked")
	}
}
