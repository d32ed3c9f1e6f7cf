package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/operatordb"
	"corehost/reconcilers"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) (*Journal, *operatordb.DB) {
	t.Helper()
	db, err := operatordb.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j, err := Open(context.Background(), db, func() time.Time { return day })
	if err != nil {
		t.Fatal(err)
	}
	return j, db
}

func event(kind reconcilers.EventKind, object string) reconcilers.Event {
	return reconcilers.Event{
		Kind: kind, Object: object, Reconciler: "model", Field: "model.provider", From: "a", To: "b",
		Message: "a → b", Actor: "cli:0", Revision: 7,
	}
}

func add(t *testing.T, j *Journal, events ...reconcilers.Event) {
	t.Helper()
	if err := j.Append(context.Background(), events...); err != nil {
		t.Fatal(err)
	}
}

func TestAnEventComesBackAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operator.db")
	j, db := open(t, path)
	late := event(reconcilers.EventApplied, "config.yaml")
	late.Time = day.Add(time.Hour + 123*time.Nanosecond).In(time.FixedZone("east", 3600))
	add(t, j, event(reconcilers.EventPlanned, "config.yaml"), late)
	db.Close()

	j, _ = open(t, path)
	if j.Last() != 2 {
		t.Errorf("last %d, want 2", j.Last())
	}
	got, more, err := j.Page(context.Background(), Query{})
	if err != nil || more {
		t.Fatal(err, more)
	}
	first, second := event(reconcilers.EventPlanned, "config.yaml"), late
	first.ID, first.Time = 1, day
	second.ID, second.Time = 2, late.Time.UTC()
	if diff := cmp.Diff([]reconcilers.Event{second, first}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPages(t *testing.T) {
	j, _ := open(t, filepath.Join(t.TempDir(), "operator.db"))
	for i := range 10 {
		kind := reconcilers.EventApplied
		if i%2 == 1 {
			kind = reconcilers.EventFailed
		}
		add(t, j, event(kind, fmt.Sprintf("object-%d", i/5)))
	}
	tests := []struct {
		name string
		q    Query
		ids  []int64
		more bool
	}{
		{"newest first", Query{Limit: 3}, []int64{10, 9, 8}, true},
		{"the page after", Query{Limit: 3, Before: 8}, []int64{7, 6, 5}, true},
		{"the end", Query{Limit: 3, Before: 4}, []int64{3, 2, 1}, false},
		{"resume, oldest first", Query{After: 7, Oldest: true}, []int64{8, 9, 10}, false},
		{"resume, bounded", Query{After: 5, Oldest: true, Limit: 2}, []int64{6, 7}, true},
		{"between", Query{After: 2, Before: 5}, []int64{4, 3}, false},
		{"one kind", Query{Kinds: []reconcilers.EventKind{reconcilers.EventFailed}, Limit: 2}, []int64{10, 8}, true},
		{"two kinds of an object", Query{Kinds: []reconcilers.EventKind{reconcilers.EventFailed, reconcilers.EventApplied}, Object: "object-0"}, []int64{5, 4, 3, 2, 1}, false},
		{"nothing", Query{Object: "no such"}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, more, err := j.Page(context.Background(), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			var ids []int64
			for _, e := range events {
				ids = append(ids, e.ID)
			}
			if diff := cmp.Diff(tt.ids, ids); diff != "" || more != tt.more {
				t.Errorf("more %v\n%s", more, diff)
			}
		})
	}
}

func TestTheHistoryIsBoundedAndIdsNeverComeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operator.db")
	j, db := open(t, path)
	batch := make([]reconcilers.Event, 1000)
	for i := range batch {
		batch[i] = event(reconcilers.EventApplied, "o")
	}
	for range keep/len(batch) + 2 {
		add(t, j, batch...)
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM events`).Scan(&n); err != nil || n > keep+trimEvery {
		t.Errorf("%d events are kept, %v", n, err)
	}
	last := j.Last()
	if _, err := db.Exec(`DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	j, _ = open(t, path)
	add(t, j, event(reconcilers.EventApplied, "o"))
	if j.Last() != last+1 {
		t.Errorf("id %d after %d", j.Last(), last)
	}
}

func TestSubscribersSeeEachEventOnceInOrder(t *testing.T) {
	j, _ := open(t, filepath.Join(t.TempDir(), "operator.db"))
	s := j.Subscribe()
	defer s.Close()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 25 {
				if err := j.Append(context.Background(), event(reconcilers.EventApplied, "o")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for want := int64(1); want <= 100; want++ {
		if e := <-s.C; e.ID != want || e.Time.IsZero() {
			t.Fatalf("event %d at %v, want %d", e.ID, e.Time, want)
		}
	}
	writers.Wait()
}

func TestASlowReaderIsDropped(t *testing.T) {
	j, _ := open(t, filepath.Join(t.TempDir(), "operator.db"))
	slow, quick := j.Subscribe(), j.Subscribe()
	for range queue + 1 {
		add(t, j, event(reconcilers.EventApplied, "o"))
		<-quick.C
	}
	n := 0
	for range slow.C {
		n++
	}
	if n != queue {
		t.Errorf("the slow reader got %d events before it was dropped, want %d", n, queue)
	}
	slow.Close()
	quick.Close()
	quick.Close()
	if _, open := <-quick.C; open {
		t.Error("a closed feed still delivers")
	}
	add(t, j, event(reconcilers.EventApplied, "o"))
}

func TestAFailedAppendWritesNothing(t *testing.T) {
	j, db := open(t, filepath.Join(t.TempDir(), "operator.db"))
	s := j.Subscribe()
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := j.Append(ctx, event(reconcilers.EventApplied, "o")); err == nil {
		t.Error("no error")
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM events`).Scan(&n); err != nil || n != 0 || j.Last() != 0 {
		t.Errorf("%d events, last %d, %v", n, j.Last(), err)
	}
	add(t, j, event(reconcilers.EventApplied, "o"))
	if e := <-s.C; e.ID != 1 {
		t.Errorf("id %d", e.ID)
	}
}
