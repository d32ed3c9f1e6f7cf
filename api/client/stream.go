package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"corehost/api"
	"corehost/reconcilers"
)

// maxMessage bounds one message of a stream, in bytes.
const maxMessage = 4 << 20

// Message is one message of the event stream; exactly one pointer is set.
type Message struct {
	ID     int64 // to go on after; 0: the message does not move it
	State  *api.State
	Event  *reconcilers.Event
	Status *api.Status
	Stats  *api.SystemStats
}

// Events follows GET /api/events. fn is called for each message in order; its
// error ends the stream and is returned. lastID below 0 starts with what is
// now, otherwise after that event. A stream that the service ends returns
// io.EOF: call again with the last id that was seen.
func (c *Client) Events(ctx context.Context, lastID int64, fn func(Message) error) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if lastID >= 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(lastID, 10))
	}
	resp, err := c.open(ctx, http.MethodGet, "/api/events", nil, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), maxMessage)
	var raw frame
	for lines.Scan() {
		if lines.Text() != "" {
			raw.line(lines.Text())
			continue
		}
		if err := raw.deliver(fn); err != nil {
			return err
		}
		raw = frame{}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read event stream: %w", err)
	}
	return io.EOF
}

// frame is a message as it comes over the line.
type frame struct {
	id   int64
	name string
	data string
}

func (f *frame) line(text string) {
	field, value, _ := strings.Cut(text, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "id":
		f.id, _ = strconv.ParseInt(value, 10, 64)
	case "event":
		f.name = value
	case "data":
		f.data += value
	}
}

func (f *frame) deliver(fn func(Message) error) error {
	m := Message{ID: f.id}
	var into any
	switch f.name {
	case "state":
		m.State = &api.State{}
		into = m.State
	case "event":
		m.Event = &reconcilers.Event{}
		into = m.Event
	case "status":
		m.Status = &api.Status{}
		into = m.Status
	case "stats":
		m.Stats = &api.SystemStats{}
		into = m.Stats
	default:
		return nil // a comment, or a message of a newer service
	}
	if err := json.Unmarshal([]byte(f.data), into); err != nil {
		return fmt.Errorf("read message %s: %w", f.name, err)
	}
	return fn(m)
}

func decode[T any](data []byte) (T, error) {
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("read answer: %w", err)
	}
	return out, nil
}
