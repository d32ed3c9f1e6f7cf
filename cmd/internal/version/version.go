// Package version knows which build this program is.
//
// Law: it asks the program alone, so that the answer needs no host and no file.
package version

import (
	"runtime/debug"
	"strings"
)

// number is set at link time: -ldflags "-X corehost/cmd/internal/version.number=1.2.3".
var number string

// Number is the version of this build: the linked one, else that of the
// module or commit it was built from, else "dev".
func Number() string {
	if number != "" {
		return number
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	return fromBuild(info)
}

func fromBuild(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return strings.TrimPrefix(v, "v")
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if commit == "" {
		return "dev"
	}
	return "dev-" + commit + dirty
}
