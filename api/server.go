package api

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"corehost/observers/history"
)

// settle is how long a change of the desired state waits for the loops before
// it answers with converged: false (contract, section 4).
const settle = 2 * time.Second

// Server answers from what the engine, the store and the observers know. It
// is safe for concurrent use. Its methods are the logic; the handlers and the
// dashboard call the same ones.
type Server struct {
	Config
	stats    cached[SystemStats]
	status   cached[Status]
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	streams  chan struct{} // one token for each open event stream
	bodies   chan struct{} // one token for each large request body in memory
	done     chan struct{}
	once     sync.Once
}

// New makes a server. It does not listen and starts nothing.
func New(c Config) *Server {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Server{
		Config:   c,
		requests: newRequestCounter(),
		latency:  newRequestLatency(),
		streams:  make(chan struct{}, maxStreams),
		bodies:   make(chan struct{}, largeBodies),
		done:     make(chan struct{}),
	}
}

// Handler serves the API, and pages for every address that is none of the
// API's. pages may be nil.
func (s *Server) Handler(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	s.routes(mux)
	return s.guard(&router{mux: mux, pages: pages, server: s})
}

// Close ends every open event stream, so that a shutdown need not wait for
// readers. The other answers go on working.
func (s *Server) Close() { s.once.Do(func() { close(s.done) }) }

// History is the recent past of load, memory and disk, oldest first.
func (s *Server) History() []history.Sample {
	if s.Config.History == nil {
		return nil
	}
	return s.Config.History.Load()
}
