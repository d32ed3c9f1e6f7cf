package api

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// router finds the handler of a request. What the mux would answer in plain
// text (unknown address, wrong method, panic) it answers as a problem.
type router struct {
	mux    *http.ServeMux
	pages  http.Handler
	server *Server
}

func (t *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, route := t.mux.Handler(r)
	out := &recorder{ResponseWriter: w}
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			t.panicked(out, r, v)
		}
		t.server.count(r.Method, route, out.status, time.Since(began))
	}()
	if route != "" {
		t.mux.ServeHTTP(out, r)
		return
	}
	t.unrouted(out, r)
}

// unrouted serves pages, or says why there is nothing.
func (t *router) unrouted(w http.ResponseWriter, r *http.Request) {
	probe := &prober{header: http.Header{}}
	t.mux.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		allow := probe.header.Get("Allow")
		w.Header().Set("Allow", allow)
		WriteProblem(w, NewProblem(http.StatusMethodNotAllowed, "method_not_allowed",
			fmt.Sprintf("%s is not possible here. Possible: %s.", r.Method, allow)))
		return
	}
	if t.pages != nil && r.URL.Path != "/api" && !strings.HasPrefix(r.URL.Path, "/api/") {
		t.pages.ServeHTTP(w, r)
		return
	}
	WriteProblem(w, NewProblem(http.StatusNotFound, "not_found", "There is nothing at this address. GET /openapi.json lists what there is."))
}

// panicked keeps one broken answer from ending the others.
func (t *router) panicked(w *recorder, r *http.Request, v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	t.server.Log.ErrorContext(r.Context(), "handler panicked", "method", r.Method, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
	if w.status == 0 {
		WriteProblem(w, NewProblem(http.StatusInternalServerError, "internal", "The answer could not be made because of a defect. The log of the service says more."))
	}
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// prober takes the mux's own refusal without sending it.
type prober struct {
	header http.Header
	status int
}

func (p *prober) Header() http.Header         { return p.header }
func (p *prober) Write(b []byte) (int, error) { return len(b), nil }
func (p *prober) WriteHeader(status int)      { p.status = status }
