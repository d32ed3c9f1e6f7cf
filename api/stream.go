package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"corehost/reconcilers"
)

// Bounds of the event streams.
const (
	maxStreams   = 512              // open at one time
	maxReplay    = 1000             // events after Last-Event-ID; beyond it only the state is sent
	heartbeat    = 15 * time.Second // a comment, so that a dead connection is noticed
	writeTimeout = 10 * time.Second // a reader that takes longer is dropped; it comes back with Last-Event-ID
)

// State is the first message of a stream: everything as it is now.
type State struct {
	Status Status      `json:"status"`
	Stats  SystemStats `json:"stats"`
	// Missed is true when events between Last-Event-ID and now are not
	// replayed, because they are too many or not kept any longer.
	Missed bool `json:"missed"`
}

// stream is one open reader of events.
type stream struct {
	server *Server
	out    http.ResponseWriter
	rc     *http.ResponseController
	last   int64  // id of the newest event that was sent
	stats  []byte // as sent last
	status []byte
}

// serveEvents streams the full state and then each change until the reader
// goes, is too slow, or the server closes.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request, lastID string) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", "5")
		WriteProblem(w, NewProblem(http.StatusServiceUnavailable, "too_many_streams", "Too many event streams are open. Close one and try again."))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	st := &stream{server: s, out: w, rc: http.NewResponseController(w)}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	st.run(ctx, lastID)
}

// run subscribes before it looks, so that nothing falls between the two.
func (t *stream) run(ctx context.Context, lastID string) {
	subscription := t.server.Journal.Subscribe()
	defer subscription.Close()
	seen := make(chan struct{}, 1)
	cancel := t.server.Hub.Subscribe(func(string) {
		select {
		case seen <- struct{}{}:
		default:
		}
	})
	defer cancel()
	moved := t.server.Engine.Changed()
	if !t.begin(ctx, lastID) {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for ok := true; ok; {
		select {
		case <-ctx.Done():
			return
		case <-t.server.done:
			return
		case event, open := <-subscription.C:
			ok = open && t.event(event)
		case <-seen:
			ok = t.refresh()
		case <-moved:
			moved = t.server.Engine.Changed()
			ok = t.refresh()
		case <-beat.C:
			ok = t.refresh() && t.write([]byte(": alive\n\n"))
		}
	}
}

// begin sends the state, and what was missed since the last event id.
func (t *stream) begin(ctx context.Context, lastID string) bool {
	newest := t.server.Journal.Last()
	after, err := strconv.ParseInt(lastID, 10, 64)
	resume := err == nil && after >= 0 && after <= newest
	state := State{Status: t.server.Status(ctx), Stats: t.server.Stats(ctx), Missed: lastID != "" && !resume}
	t.last = newest
	var replay []reconcilers.Event
	if resume {
		events, whole, err := t.server.missed(ctx, after, newest)
		switch {
		case err != nil || !whole:
			state.Missed = true
		default:
			replay, t.last = events, after
		}
	}
	t.stats, t.status = t.server.statsEntry().body, t.server.statusEntry().body
	if !t.send("state", t.last, encode(state)) {
		return false
	}
	for _, event := range replay {
		if !t.event(event) {
			return false
		}
	}
	return true
}

// event sends one event, once.
func (t *stream) event(event reconcilers.Event) bool {
	if event.ID <= t.last {
		return true
	}
	t.last = event.ID
	return t.send("event", event.ID, encode(event))
}

// refresh sends what differs from what this reader has.
func (t *stream) refresh() bool {
	if body := t.server.statsEntry().body; string(body) != string(t.stats) {
		t.stats = body
		if !t.send("stats", 0, body) {
			return false
		}
	}
	if body := t.server.statusEntry().body; string(body) != string(t.status) {
		t.status = body
		return t.send("status", 0, encode(t.server.Status(context.Background())))
	}
	return true
}

// send writes one message; id 0 leaves the reader's last event id as it is.
func (t *stream) send(name string, id int64, data []byte) bool {
	message := make([]byte, 0, len(data)+64)
	if id > 0 || name == "state" {
		message = append(strconv.AppendInt(append(message, "id: "...), id, 10), '\n')
	}
	message = append(append(append(message, "event: "...), name...), "\ndata: "...)
	message = append(append(message, data...), "\n\n"...)
	return t.write(message)
}

func (t *stream) write(message []byte) bool {
	_ = t.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := t.out.Write(message); err != nil {
		return false
	}
	return t.rc.Flush() == nil
}
