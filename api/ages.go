package api

import (
	"context"
	"time"
)

// Ages tells when each part of the host was last read, by the name of its
// observer: host, unit, platform, key, vault, mesh, backup. A part that was
// never read is absent.
func (s *Server) Ages(context.Context) map[string]time.Time {
	out := map[string]time.Time{}
	for _, reading := range ages(s.Hub.Snapshot()) {
		if !reading.At.IsZero() {
			out[reading.Name] = reading.At.UTC()
		}
	}
	return out
}
