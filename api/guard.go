package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// MaxBody is the largest request body, in bytes (25 MB, application-wide).
const MaxBody = 25_000_000

// guard refuses what no handler should see: foreign Host names (DNS
// rebinding), cross-origin changes, and bodies over the cap.
func (s *Server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		WriteProblem(w, NewProblem(http.StatusForbidden, "cross_origin", "A page of another origin may not change anything here."))
	}))
	inner := origin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if problem := capBody(r); problem != nil {
			w.Header().Set("Connection", "close")
			WriteProblem(w, problem)
			return
		}
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Context()) && !loopbackHost(r.Host) {
			WriteProblem(w, NewProblem(http.StatusForbidden, "foreign_host", "The service answers only under a loopback name, such as localhost or 127.0.0.1."))
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// loopbackHost reports whether a Host header names this machine only.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if name == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// capBody enforces MaxBody whether or not the client told the length before.
// A body of unknown length is read here, so that a handler that does not look
// at its body cannot be used to get around the cap.
func capBody(r *http.Request) *Problem {
	tooLarge := NewProblem(http.StatusRequestEntityTooLarge, "too_large", details[http.StatusRequestEntityTooLarge])
	if r.ContentLength > MaxBody {
		return tooLarge
	}
	if r.ContentLength >= 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if len(data) > MaxBody {
		return tooLarge
	}
	if err != nil {
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			return NewProblem(http.StatusRequestTimeout, "timeout", details[http.StatusRequestTimeout])
		}
		return NewProblem(http.StatusBadRequest, "malformed", details[http.StatusBadRequest])
	}
	_ = r.Body.Close()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return nil
}

// WriteProblem answers with a problem, outside of huma's own routes.
func WriteProblem(w http.ResponseWriter, p *Problem) {
	body, err := json.Marshal(p)
	if err != nil {
		http.Error(w, p.Detail, p.Status)
		return
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}
