package api

import (
	"context"
	"runtime"
	"time"

	"corehost/desired"
	"corehost/reconcilers"
)

// Status is where the host stands, with the verdict over it.
func (s *Server) Status(context.Context) Status {
	status := s.statusEntry().value
	status.Time = s.Now().UTC().Format(time.RFC3339)
	return status
}

// statusEntry is made anew when the engine or a reading moved. It carries no
// time, so that equal bytes mean that nothing happened.
func (s *Server) statusEntry() *entry[Status] {
	moved := s.Engine.Changed()
	snapshot := s.Hub.Snapshot()
	return s.status.get(stamp{version: snapshot.Version, engine: moved}, snapshot.At, func() (Status, time.Time) {
		stats := s.statsEntry().value
		engine := plain(s.Engine.Status())
		status := Status{
			Status:          engine,
			Verdict:         Judge(engine, stats, s.Store.Current().Host, snapshot),
			Versions:        Versions{Dashboard: s.Version, Go: runtime.Version(), API: desired.APIVersion},
			RestartRequired: len(engine.Restart) > 0,
			Home:            s.Paths.Home,
			Hostname:        stats.Hostname,
		}
		if stats.Vault != nil {
			status.Secrets = stats.Vault.OneLine
		}
		return status, expiry(snapshot)
	})
}

// plain makes every list of a status a list, also the empty ones.
func plain(status reconcilers.Status) reconcilers.Status {
	status.Conditions = listed(status.Conditions)
	status.Reconcilers = append([]reconcilers.ReconcilerStatus{}, status.Reconcilers...)
	for i := range status.Reconcilers {
		status.Reconcilers[i].Conditions = listed(status.Reconcilers[i].Conditions)
	}
	status.Restart = listed(status.Restart)
	status.Drift = listed(status.Drift)
	return status
}
