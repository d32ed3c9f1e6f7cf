package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

func (s *Server) routesSystem(mux *http.ServeMux, api huma.API) {
	mux.HandleFunc("GET /api/system/stats", s.serveStats)
	described(api, "/api/system/stats", "get-system-stats", "system", "The host as last observed",
		"Resource use, service units, remote access and vault, served from memory. What could not be read is null and named in warnings; the answer is 200 all the same.",
		schemaOf[SystemStats](api), "application/json")
	read(api, "/api/update/status", "get-update-status", "system", "What is known of newer releases",
		"Without a release feed only the current version is known.", answer(s.UpdateStatus))
	read(api, "/api/status", "get-status", "operate", "Where the host stands",
		"The verdict with what to do, conditions of the host and of each reconciler, pending restarts, drift, a running try.", answer(s.Status))
}
