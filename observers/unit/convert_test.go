package unit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
)

// running is what systemd 252 tells of a service, cut to what is looked at and
// some of what is not.
func running() map[string]any {
	return map[string]any{
		"Id": "core-gateway.service", "LoadState": "loaded", "ActiveState": "active", "SubState": "running", "UnitFileState": "enabled",
		"Result": "success", "MainPID": uint32(4711), "NRestarts": uint32(2), "ControlPID": uint32(0),
		"ActiveEnterTimestamp": uint64(1795230000123456), "ActiveEnterTimestampMonotonic": uint64(98765432),
		"InactiveExitTimestamp": uint64(1795229999000000), "InactiveEnterTimestamp": uint64(1795229998000000), "ActiveExitTimestamp": uint64(1795229997000000),
		"InvocationID": []byte{0x2f, 0x05, 0xa6, 0xcc}, "ExecMainStatus": int32(0), "Following": "",
	}
}

func TestConvert(t *testing.T) {
	started := time.UnixMicro(1795230000123456).UTC()
	base := observers.Unit{
		Name: "core-gateway", Load: "loaded", Active: "active", Sub: "running", Result: "success", PID: 4711, Restarts: 2,
		Since: started, Started: started, StartedMono: 98765432 * time.Microsecond, Invocation: "2f05a6cc",
	}
	tests := map[string]struct {
		props map[string]any
		want  func(*observers.Unit)
	}{
		"running": {nil, func(*observers.Unit) {}},
		"killed": {map[string]any{"ActiveState": "failed", "SubState": "failed", "Result": "signal", "MainPID": uint32(0)}, func(u *observers.Unit) {
			u.Active, u.Sub, u.Result, u.PID, u.Since = "failed", "failed", "signal", 0, time.UnixMicro(1795229998000000).UTC()
		}},
		"restarting": {map[string]any{"ActiveState": "activating", "SubState": "auto-restart"}, func(u *observers.Unit) {
			u.Active, u.Sub, u.Since = "activating", "auto-restart", time.UnixMicro(1795229999000000).UTC()
		}},
		"stopping": {map[string]any{"ActiveState": "deactivating", "SubState": "stop-sigterm"}, func(u *observers.Unit) {
			u.Active, u.Sub, u.Since = "deactivating", "stop-sigterm", time.UnixMicro(1795229997000000).UTC()
		}},
		"reloading": {map[string]any{"ActiveState": "reloading", "SubState": "reload"}, func(u *observers.Unit) { u.Active, u.Sub = "reloading", "reload" }},
		"never started": {map[string]any{"ActiveState": "inactive", "SubState": "dead", "MainPID": uint32(0), "NRestarts": uint32(0), "InvocationID": []byte{},
			"ActiveEnterTimestamp": uint64(0), "ActiveEnterTimestampMonotonic": uint64(0), "InactiveEnterTimestamp": uint64(0)}, func(u *observers.Unit) {
			*u = observers.Unit{Name: "core-gateway", Load: "loaded", Active: "inactive", Sub: "dead", Result: "success"}
		}},
		"other types": {map[string]any{"MainPID": "4711", "NRestarts": nil, "ActiveEnterTimestamp": int64(1), "InvocationID": "x", "Result": 5}, func(u *observers.Unit) {
			u.PID, u.Restarts, u.Started, u.Since, u.Invocation, u.Result = 0, 0, time.Time{}, time.Time{}, "", ""
		}},
		"absurd numbers": {map[string]any{"ActiveEnterTimestamp": ^uint64(0), "ActiveEnterTimestampMonotonic": ^uint64(0)}, func(u *observers.Unit) {
			u.Started, u.Since, u.StartedMono = time.Time{}, time.Time{}, 0
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			props, want := running(), base
			for k, v := range test.props {
				props[k] = v
			}
			test.want(&want)
			if diff := cmp.Diff(want, convert("core-gateway", props)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
