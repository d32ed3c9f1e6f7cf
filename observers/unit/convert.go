package unit

import (
	"encoding/hex"
	"math"
	"time"

	"corehost/observers"
)

// convert reads the properties of a unit and of its service
// (org.freedesktop.systemd1(5)). What is missing or of another type stays
// zero.
func convert(name string, props map[string]any) observers.Unit {
	u := observers.Unit{
		Name:        name,
		Load:        get[string](props, "LoadState"),
		Active:      get[string](props, "ActiveState"),
		Sub:         get[string](props, "SubState"),
		Result:      get[string](props, "Result"),
		PID:         int(get[uint32](props, "MainPID")),
		Restarts:    int(get[uint32](props, "NRestarts")),
		Started:     wall(get[uint64](props, "ActiveEnterTimestamp")),
		StartedMono: micros(get[uint64](props, "ActiveEnterTimestampMonotonic")),
	}
	if id := get[[]byte](props, "InvocationID"); len(id) > 0 {
		u.Invocation = hex.EncodeToString(id)
	}
	u.Since = wall(get[uint64](props, since(u.Active)))
	return u
}

// since names the time at which a unit came into its present state.
func since(active string) string {
	switch active {
	case "active", "reloading":
		return "ActiveEnterTimestamp"
	case "deactivating":
		return "ActiveExitTimestamp"
	case "activating":
		return "InactiveExitTimestamp"
	default:
		return "InactiveEnterTimestamp"
	}
}

func get[T any](props map[string]any, name string) T {
	value, _ := props[name].(T)
	return value
}

// wall is a time in microseconds since 1970; zero: never.
func wall(usec uint64) time.Time {
	if usec == 0 || usec > math.MaxInt64 {
		return time.Time{}
	}
	return time.UnixMicro(int64(usec)).UTC()
}

func micros(usec uint64) time.Duration {
	if usec > math.MaxInt64/uint64(time.Microsecond) {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}
