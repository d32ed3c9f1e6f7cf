package version

import (
	"runtime/debug"
	"testing"
)

func TestFromBuild(t *testing.T) {
	setting := func(kv ...string) []debug.BuildSetting {
		var out []debug.BuildSetting
		for i := 0; i < len(kv); i += 2 {
			out = append(out, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return out
	}
	tests := map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"released module": {debug.BuildInfo{Main: debug.Module{Version: "v1.4.0"}}, "1.4.0"},
		"a commit":        {debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: setting("vcs.revision", "0123456789abcdef")}, "dev-0123456789ab"},
		"with changes":    {debug.BuildInfo{Settings: setting("vcs.revision", "0123456789abcdef", "vcs.modified", "true")}, "dev-0123456789ab+changes"},
		"nothing known":   {debug.BuildInfo{}, "dev"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := fromBuild(&tt.info); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
