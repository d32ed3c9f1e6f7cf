package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"corehost/api"
)

// talk is a service with an answer of each kind.
func talk() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"status":"ok","version":%q}`, api.ActorFrom(r.Context()))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		api.WriteProblem(w, api.NewProblem(503, "starting", "Soon."))
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) })
	mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_, _ = io.WriteString(w, ": hello\n\nid: 7\nevent: event\ndata: {\"id\":7,\"message\":\"seven\"}\n\nevent: later\ndata: {}\n\n")
		_ = rc.Flush()
		if r.Header.Get("Last-Event-ID") == "7" {
			<-r.Context().Done()
		}
	})
	return mux
}

// clients are the three ways to one service.
func clients(t *testing.T) map[string]*Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: talk()}
	for _, l := range []net.Listener{unix, tcp} {
		go func() { _ = server.Serve(l) }()
	}
	t.Cleanup(func() { _ = server.Close() })
	return map[string]*Client{"unix": Unix(socket), "tcp": New("http://"+tcp.Addr().String()+"/", nil), "in process": InProcess(talk())}
}

func TestAnswersAndFailures(t *testing.T) {
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			if h, err := c.Healthz(t.Context()); err != nil || h.Status != "ok" {
				t.Errorf("got %+v, %v", h, err)
			}
			var p *api.Problem
			if _, err := c.Readyz(t.Context()); !errors.As(err, &p) || p.Code != "starting" || p.Status != 503 {
				t.Errorf("a problem comes as itself: %v", err)
			}
			p = nil
			if _, err := c.Metrics(t.Context()); err == nil || errors.As(err, &p) {
				t.Errorf("what is no problem is another error: %v", err)
			}
			if _, err := c.Status(t.Context()); err == nil {
				t.Error("an unknown address is a failure")
			}
		})
	}
}

func TestActorReachesTheHandler(t *testing.T) {
	ctx := api.WithActor(t.Context(), "cli:42")
	if h, err := InProcess(talk()).Healthz(ctx); err != nil || h.Version != "cli:42" {
		t.Errorf("got %+v, %v", h, err)
	}
}

func TestStreams(t *testing.T) {
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			var got []int64
			note := func(m Message) error { got = append(got, m.ID); return nil }
			if err := c.Events(t.Context(), -1, note); !errors.Is(err, io.EOF) || len(got) != 1 || got[0] != 7 {
				t.Errorf("the service ends the stream: %v, %v", got, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			err := c.Events(ctx, 7, func(Message) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the reader ends the stream: %v", err)
			}
			stop := errors.New("enough")
			if err := c.Events(t.Context(), 7, func(Message) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("the function ends the stream: %v", err)
			}
		})
	}
}

// TestPanicInProcess: a defect in a handler is an error of the call.
func TestPanicInProcess(t *testing.T) {
	c := InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("defect") }))
	if _, err := c.Healthz(t.Context()); err == nil {
		t.Error("got no error")
	}
}
