package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// newRequestCounter counts answers. Routes are patterns, never addresses: a
// label from a client would grow without bound.
func newRequestCounter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "corehost_http_requests_total", Help: "Answers by method, route and status.",
	}, []string{"method", "route", "status"})
}

func newRequestLatency() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "corehost_http_request_seconds", Help: "Time to answer by route, event streams left out.",
		Buckets: []float64{.0005, .001, .005, .025, .1, .5, 2.5},
	}, []string{"route"})
}

// count records one answer.
func (s *Server) count(method, route string, status int, took time.Duration) {
	if route == "" {
		method, route = "", "other"
	}
	if status == 0 {
		status = http.StatusOK
	}
	s.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	if route != streamRoute {
		s.latency.WithLabelValues(route).Observe(took.Seconds())
	}
}

// streamRoute answers for as long as its reader stays.
const streamRoute = "GET /api/events"

// metrics serves the numbers of the loops and of the service. They hold no
// secret and no value of the document.
func (s *Server) metrics() http.Handler {
	own := prometheus.NewRegistry()
	own.MustRegister(s.requests, s.latency, &gauges{server: s})
	return promhttp.HandlerFor(prometheus.Gatherers{metrics.Registry, own}, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// gauges reads the state of the host at each scrape.
type gauges struct{ server *Server }

var (
	descReady    = prometheus.NewDesc("corehost_converged", "1 when the host is what desired.yaml says.", nil, nil)
	descRevision = prometheus.NewDesc("corehost_revision", "Number of the revision in force.", nil, nil)
	descRestart  = prometheus.NewDesc("corehost_restart_pending", "Number of values that a unit still runs with an old content.", nil, nil)
	descDrift    = prometheus.NewDesc("corehost_drift", "Number of managed values changed by hand.", nil, nil)
	descAge      = prometheus.NewDesc("corehost_reading_age_seconds", "Age of the last good reading.", []string{"observer"}, nil)
	descFailed   = prometheus.NewDesc("corehost_reading_failed", "1 when the last attempt to read failed.", []string{"observer"}, nil)
	descEvents   = prometheus.NewDesc("corehost_last_event_id", "Id of the newest event.", nil, nil)
	descStreams  = prometheus.NewDesc("corehost_event_streams", "Open event streams.", nil, nil)
	descStart    = prometheus.NewDesc("corehost_build_info", "Always 1; the version is a label.", []string{"version"}, nil)
)

// Describe lists what there is.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descReady, descRevision, descRestart, descDrift, descAge, descFailed, descEvents, descStreams, descStart} {
		ch <- d
	}
}

// Collect reads it now.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	s := g.server
	status := s.Engine.Status()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(descReady, one(status.Converged))
	gauge(descRevision, float64(status.Revision))
	gauge(descRestart, float64(len(status.Restart)))
	gauge(descDrift, float64(len(status.Drift)))
	gauge(descEvents, float64(s.Journal.Last()))
	gauge(descStreams, float64(len(s.streams)))
	gauge(descStart, 1, s.Version)
	have := s.Hub.Snapshot()
	for _, reading := range ages(have) {
		gauge(descFailed, one(reading.Err != nil), reading.Name)
		if !reading.At.IsZero() {
			gauge(descAge, have.At.Sub(reading.At).Seconds(), reading.Name)
		}
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
