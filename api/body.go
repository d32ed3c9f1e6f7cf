package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// MaxBody is the largest request body, in bytes (25 MB, application-wide).
const MaxBody = 25_000_000

// Bodies are held in memory while they are read and answered. Those over
// smallBody take turns, so that many at one time cannot fill the memory.
const (
	smallBody   = 1_000_000 // bytes; read at once
	largeBodies = 2         // at one time
	bodyWait    = 10 * time.Second
)

// admit enforces MaxBody whether or not the client told the length before,
// and waits for a large body's turn, which done ends. A body of unknown length
// is read here, so that a handler that does not look at its body cannot be
// used to get around the cap.
func (s *Server) admit(r *http.Request) (done func(), problem *Problem) {
	done = func() {}
	switch {
	case r.ContentLength > MaxBody:
		return nil, bodyTooLarge()
	case r.ContentLength > smallBody:
		return s.turn(r.Context())
	case r.ContentLength >= 0 || r.Body == nil || r.Body == http.NoBody:
		return done, nil
	}
	var body bytes.Buffer
	ended, problem := readUpTo(&body, r.Body, smallBody)
	if problem == nil && !ended {
		if done, problem = s.turn(r.Context()); problem != nil {
			return nil, problem
		}
		ended, problem = readUpTo(&body, r.Body, MaxBody)
		if problem == nil && !ended {
			problem = bodyTooLarge()
		}
	}
	if problem != nil {
		done()
		return nil, problem
	}
	_ = r.Body.Close()
	r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
	return done, nil
}

// turn waits until a large body may be read.
func (s *Server) turn(ctx context.Context) (done func(), problem *Problem) {
	ctx, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	select {
	case s.bodies <- struct{}{}:
		return func() { <-s.bodies }, nil
	case <-ctx.Done():
		return nil, NewProblem(http.StatusServiceUnavailable, "busy", "Too many large requests are being answered. Try again.")
	}
}

// readUpTo reads until body holds more than limit bytes, or all there are.
func readUpTo(body *bytes.Buffer, from io.Reader, limit int) (ended bool, problem *Problem) {
	_, err := body.ReadFrom(io.LimitReader(from, int64(limit+1-body.Len())))
	var timeout net.Error
	switch {
	case err == nil:
		return body.Len() <= limit, nil
	case errors.As(err, &timeout) && timeout.Timeout():
		return false, NewProblem(http.StatusRequestTimeout, "timeout", details[http.StatusRequestTimeout])
	default:
		return false, NewProblem(http.StatusBadRequest, "malformed", details[http.StatusBadRequest])
	}
}

func bodyTooLarge() *Problem {
	return NewProblem(http.StatusRequestEntityTooLarge, "too_large", details[http.StatusRequestEntityTooLarge])
}

// refuseBody answers a request whose body is not read to its end.
func refuseBody(w http.ResponseWriter, problem *Problem) {
	w.Header().Set("Connection", "close")
	if problem.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	WriteProblem(w, problem)
}
