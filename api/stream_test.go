package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"corehost/api/client"
	"corehost/reconcilers"
)

// tell writes n numbered events to the journal.
func (in *installation) tell(from, n int) {
	in.Helper()
	for i := range n {
		err := in.journal.Append(context.Background(), reconcilers.Event{Kind: reconcilers.EventObserved, Object: "test", Message: fmt.Sprint(from + i)})
		if err != nil {
			in.Error(err)
		}
	}
}

// TestSleepAndResume closes the laptop again and again: every event is seen
// once and in order.
func TestSleepAndResume(t *testing.T) {
	in := install(t)
	const total = 600
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; i < total; i += 10 {
			in.tell(i, 10)
		}
	})
	var seen []string
	lastID, opened := int64(0), 0
	for len(seen) < total {
		opened++
		if opened > total {
			t.Fatalf("only %d of %d after %d connections", len(seen), total, opened)
		}
		got := 0
		err := in.client.Events(t.Context(), lastID, func(m client.Message) error {
			if m.State != nil && m.State.Missed {
				return errors.New("events are missed")
			}
			if m.Event == nil {
				return nil
			}
			if m.ID != m.Event.ID {
				return fmt.Errorf("id %d carries event %d", m.ID, m.Event.ID)
			}
			lastID = m.ID
			if m.Event.Object == "test" {
				seen = append(seen, m.Event.Message)
				got++
			}
			if got == 37 || len(seen) == total {
				return errDone // asleep
			}
			return nil
		})
		if !errors.Is(err, errDone) {
			t.Fatal(err)
		}
	}
	writing.Wait()
	for i, message := range seen {
		if message != fmt.Sprint(i) {
			t.Fatalf("place %d has event %s", i, message)
		}
	}
	if opened < 5 {
		t.Errorf("only %d connections: nothing was resumed", opened)
	}
}

// TestTooMuchWasMissed gets the state instead of a long replay.
func TestTooMuchWasMissed(t *testing.T) {
	in := install(t)
	in.tell(0, 1200)
	newest := in.journal.Last()
	for lastID, missed := range map[int64]bool{1: true, newest - 3: false, newest + 50: true} {
		err := in.client.Events(t.Context(), lastID, func(m client.Message) error {
			if m.State == nil {
				return fmt.Errorf("the first message is %+v", m)
			}
			if m.State.Missed != missed || m.State.Status.Home != in.home || m.State.Stats.Hostname == "" {
				return fmt.Errorf("after %d of %d: missed %v", lastID, newest, m.State.Missed)
			}
			if missed && m.ID != newest {
				return fmt.Errorf("goes on after %d, want %d", m.ID, newest)
			}
			return errDone
		})
		if !errors.Is(err, errDone) {
			t.Error(err)
		}
	}
}

// TestManyReaders sees one event on each of many streams, and their end.
func TestManyReaders(t *testing.T) {
	in := install(t)
	const readers = 100
	open := make(chan struct{}, readers)
	ended := make(chan error, readers)
	for range readers {
		go func() {
			ended <- in.client.Events(t.Context(), -1, func(m client.Message) error {
				if m.State != nil || m.Event != nil && m.Event.Object == "test" {
					open <- struct{}{}
				}
				return nil
			})
		}()
	}
	collect(t, open, readers)
	in.tell(1, 1)
	collect(t, open, readers)
	began := time.Now()
	in.server.Close()
	for range readers {
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Fatalf("a stream ended with %v", err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
}

func collect(t *testing.T, c <-chan struct{}, n int) {
	t.Helper()
	late := time.After(20 * time.Second)
	for i := range n {
		select {
		case <-c:
		case <-late:
			t.Fatalf("only %d of %d", i, n)
		}
	}
}

// TestSleepingReaderHoldsNobodyUp opens a stream, reads nothing, and goes on.
func TestSleepingReaderHoldsNobodyUp(t *testing.T) {
	in := install(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.base+"/api/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		t.Errorf("got %q", kind)
	}
	began := time.Now()
	for range 3000 {
		if err := in.journal.Append(t.Context(), reconcilers.Event{Kind: reconcilers.EventObserved, Message: strings.Repeat("x", 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := in.client.Status(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("3000 events beside a sleeping reader took %v", time.Since(began))
}
