package api

import (
	"net/http"
	"strings"
)

// Health is the body of GET /healthz and /readyz.
type Health struct {
	Status  string `json:"status" enum:"ok,starting" doc:"ok, or starting while the first readings are taken"`
	Version string `json:"version" doc:"Version of the running service"`
}

// Ready reports in a problem what the service still waits for; nil: nothing.
// A broken document, a sealed vault or a failed reading do not make it
// unready: the person who repairs them needs the service.
func (s *Server) Ready() *Problem {
	var waiting []string
	have := s.Hub.Snapshot()
	for _, first := range []age{ageOf("host", have.Host), ageOf("unit", have.Units), ageOf("platform", have.Platform)} {
		if first.At.IsZero() && first.Err == nil {
			waiting = append(waiting, first.Name)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return NewProblem(http.StatusServiceUnavailable, "starting", "The service is starting. It waits for the first reading of: "+strings.Join(waiting, ", ")+".")
}
