package hub_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
	"corehost/observers/hub"
)

// probe is an observer of the mesh whose answers a test decides.
type probe struct {
	name    string
	every   time.Duration
	observe func(ctx context.Context, n int) (observers.Mesh, error)
	wake    func(ctx context.Context, wake func()) error
	count   atomic.Int64
}

func (p *probe) Name() string            { return p.name }
func (p *probe) Interval() time.Duration { return p.every }
func (p *probe) Observe(ctx context.Context) (observers.Mesh, error) {
	return p.observe(ctx, int(p.count.Add(1)))
}
func (p *probe) Wake(ctx context.Context, wake func()) error {
	if p.wake == nil {
		<-ctx.Done()
		return nil
	}
	return p.wake(ctx, wake)
}

func mesh(s *observers.Snapshot) *observers.Reading[observers.Mesh] { return &s.Mesh }

func named(host string) observers.Mesh { return observers.Mesh{Hostname: host} }

// start runs a hub with one probe until the test ends.
func start(t *testing.T, p *probe) *hub.Hub {
	t.Helper()
	h := hub.New(time.Now)
	hub.Register(h, p, mesh)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		h.Close()
	})
	return h
}

func TestReadingIsTakenInItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &probe{name: "mesh", every: time.Minute, observe: func(_ context.Context, n int) (observers.Mesh, error) {
			return named("a"), nil
		}}
		h := start(t, p)
		synctest.Wait()
		if got := h.Snapshot().Mesh; got.Value.Hostname != "a" || got.At != time.Now() || got.Interval != time.Minute {
			t.Errorf("at the start: %+v", got)
		}
		time.Sleep(10*time.Minute + 30*time.Second)
		if got := p.count.Load(); got != 11 {
			t.Errorf("%d readings in ten minutes and a half, want 11", got)
		}
	})
}

func TestFailedReadingIsUnknownAndKeepsTheValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the cable is cut")
		p := &probe{name: "mesh", every: time.Minute, observe: func(_ context.Context, n int) (observers.Mesh, error) {
			if n > 1 {
				return named("wrong"), broken
			}
			return named("a"), nil
		}}
		began := time.Now()
		h := start(t, p)
		time.Sleep(90 * time.Second)
		s := h.Snapshot()
		if s.Mesh.Known(s.At) || s.Mesh.Why(s.At) != broken.Error() {
			t.Errorf("a failed reading is known: %+v, %q", s.Mesh, s.Mesh.Why(s.At))
		}
		if s.Mesh.Value.Hostname != "a" || s.Mesh.At != began || !s.Mesh.Tried.After(began) {
			t.Errorf("the last good value is not kept with its age: %+v", s.Mesh)
		}
	})
}

func TestReadingGrowsOldWhenNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &probe{name: "mesh", every: time.Minute, observe: func(context.Context, int) (observers.Mesh, error) { return named("a"), nil }}
		h := hub.New(time.Now)
		hub.Register(h, p, mesh)
		defer h.Close()
		if s := h.Snapshot(); s.Mesh.Known(s.At) || s.Mesh.Interval != time.Minute {
			t.Errorf("before the first reading: %+v", s.Mesh)
		}
		if err := h.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		if s := h.Snapshot(); !s.Mesh.Known(s.At) {
			t.Error("unknown after three intervals")
		}
		time.Sleep(time.Second)
		if s := h.Snapshot(); s.Mesh.Known(s.At) {
			t.Error("still known after more than three intervals")
		}
	})
}

func TestHangingObserverTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &probe{name: "mesh", every: time.Minute, observe: func(ctx context.Context, _ int) (observers.Mesh, error) {
			<-ctx.Done()
			return observers.Mesh{}, ctx.Err()
		}}
		h := start(t, p)
		time.Sleep(11 * time.Second)
		if s := h.Snapshot(); !errors.Is(s.Mesh.Err, context.DeadlineExceeded) {
			t.Errorf("after ten seconds: %v", s.Mesh.Err)
		}
	})
}

func TestPanicIsTheReadingsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var woken atomic.Int64
		p := &probe{name: "mesh", every: time.Minute,
			observe: func(_ context.Context, n int) (observers.Mesh, error) {
				if n == 1 {
					panic("index out of range")
				}
				return named("a"), nil
			},
			wake: func(context.Context, func()) error {
				woken.Add(1)
				panic("nil map")
			},
		}
		h := start(t, p)
		synctest.Wait()
		if s := h.Snapshot(); s.Mesh.Err == nil || s.Mesh.Why(s.At) != "observe mesh: panic: index out of range" {
			t.Errorf("after a panic: %v", s.Mesh.Err)
		}
		time.Sleep(90 * time.Second)
		if s := h.Snapshot(); !s.Mesh.Known(s.At) {
			t.Errorf("not read again: %v", s.Mesh.Err)
		}
		if woken.Load() < 3 {
			t.Errorf("events were subscribed to %d times", woken.Load())
		}
	})
}

func TestEventIsAnsweredAtOnceAndAStormIsCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan int)
		p := &probe{name: "mesh", every: time.Hour,
			observe: func(context.Context, int) (observers.Mesh, error) { return named("a"), nil },
			wake: func(ctx context.Context, wake func()) error {
				for {
					select {
					case n := <-events:
						for range n {
							wake()
						}
					case <-ctx.Done():
						return nil
					}
				}
			},
		}
		start(t, p)
		time.Sleep(time.Second)
		before := p.count.Load()
		events <- 1
		synctest.Wait()
		if got := p.count.Load() - before; got != 1 {
			t.Errorf("%d readings at once after an event, want 1", got)
		}
		time.Sleep(time.Second)
		before = p.count.Load()
		for range 1000 {
			events <- 10
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		if got := p.count.Load() - before; got < 15 || got > 25 {
			t.Errorf("%d readings in a storm of one second, want about twenty", got)
		}
	})
}

func TestEventsAreSubscribedToAgainWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		p := &probe{name: "mesh", every: time.Hour,
			observe: func(context.Context, int) (observers.Mesh, error) { return observers.Mesh{}, nil },
			wake: func(ctx context.Context, _ func()) error {
				mu.Lock()
				at = append(at, time.Since(began).Round(time.Second)/time.Second)
				n := len(at)
				mu.Unlock()
				if n == 9 { // it works for a while, then breaks
					select {
					case <-time.After(5 * time.Minute):
					case <-ctx.Done():
					}
				}
				return errors.New("no events")
			},
		}
		start(t, p)
		time.Sleep(10 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		want := []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183, 484, 486, 490, 498, 514, 546}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("seconds of the subscriptions (-want +got):\n%s", diff)
		}
	})
}

func TestRefreshWaitsForAReadingThatStartedAfterTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var host atomic.Value
		host.Store("old")
		p := &probe{name: "mesh", every: time.Hour, observe: func(_ context.Context, n int) (observers.Mesh, error) {
			seen := host.Load().(string)
			<-release
			return named(seen), nil
		}}
		h := start(t, p)
		synctest.Wait() // the first reading has looked and is under way
		host.Store("new")
		got := make(chan string, 10)
		for range 10 {
			go func() {
				if err := h.Refresh(t.Context(), "mesh"); err != nil {
					t.Error(err)
				}
				got <- h.Snapshot().Mesh.Value.Hostname
			}()
		}
		synctest.Wait()
		close(release)
		for range 10 {
			if name := <-got; name != "new" {
				t.Errorf("Refresh came back with %q", name)
			}
		}
		if n := p.count.Load(); n != 2 {
			t.Errorf("ten callers took %d readings, want to share one beside the first", n)
		}
	})
}

func TestCallerThatGivesUpDoesNotFailTheReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &probe{name: "mesh", every: time.Hour, observe: func(ctx context.Context, _ int) (observers.Mesh, error) {
			select {
			case <-time.After(2 * time.Second):
				return named("a"), nil
			case <-ctx.Done():
				return observers.Mesh{}, ctx.Err()
			}
		}}
		h := hub.New(time.Now)
		hub.Register(h, p, mesh)
		defer h.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Refresh(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Refresh: %v", err)
		}
		time.Sleep(2 * time.Second)
		if s := h.Snapshot(); s.Mesh.Value.Hostname != "a" || s.Mesh.Err != nil {
			t.Errorf("the reading: %+v", s.Mesh)
		}
	})
}

func TestOneHangingObserverDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &probe{name: "stuck", every: time.Minute, observe: func(ctx context.Context, _ int) (observers.Mesh, error) {
			<-ctx.Done()
			return observers.Mesh{}, ctx.Err()
		}}
		fine := &probe{name: "fine", every: time.Minute, observe: func(context.Context, int) (observers.Mesh, error) { return named("a"), nil }}
		h := hub.New(time.Now)
		var aside observers.Reading[observers.Mesh]
		hub.Register(h, stuck, func(*observers.Snapshot) *observers.Reading[observers.Mesh] { return &aside })
		hub.Register(h, fine, mesh)
		defer h.Close()
		go h.Refresh(t.Context())
		synctest.Wait()
		if h.Snapshot().Mesh.Value.Hostname != "a" {
			t.Error("the other observer's reading is not there")
		}
	})
}

func TestSubscribersHearOfChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []observers.Mesh{{IPs: []string{"a"}}, {IPs: []string{"a"}}, {IPs: []string{"b"}}, {}, {}, {IPs: []string{"b"}}}
		failing := errors.New("out of order")
		p := &probe{name: "mesh", every: time.Hour, observe: func(_ context.Context, n int) (observers.Mesh, error) {
			if n == 4 || n == 5 {
				return observers.Mesh{}, failing
			}
			return answers[n-1], nil
		}}
		h := hub.New(time.Now)
		hub.Register(h, p, mesh)
		defer h.Close()
		var heard []uint64
		cancel := h.Subscribe(func(name string) { heard = append(heard, h.Snapshot().Version) })
		for range 5 {
			time.Sleep(time.Minute)
			if err := h.Refresh(t.Context(), "mesh"); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		h.Refresh(t.Context())
		if want := []uint64{1, 3, 4}; !slices.Equal(heard, want) {
			t.Errorf("told of the readings %v, want %v", heard, want)
		}
	})
}

func TestSnapshotIsNeverChanged(t *testing.T) {
	p := &probe{name: "mesh", every: time.Hour, observe: func(_ context.Context, n int) (observers.Mesh, error) { return named(string(rune('a' + n))), nil }}
	h := hub.New(time.Now)
	hub.Register(h, p, mesh)
	defer h.Close()
	h.Refresh(t.Context())
	kept := h.Snapshot()
	before := *kept
	if h.Snapshot() == kept {
		t.Error("two callers share a snapshot with one clock")
	}
	h.Refresh(t.Context())
	if kept.Mesh.Value.Hostname != before.Mesh.Value.Hostname || kept.Version != before.Version {
		t.Error("a snapshot changed after it was handed out")
	}
	if h.Snapshot().Version <= kept.Version {
		t.Error("the version did not grow")
	}
}

func TestRefreshRefusals(t *testing.T) {
	h := hub.New(time.Now)
	hub.Register(h, &probe{name: "mesh", observe: func(context.Context, int) (observers.Mesh, error) { return observers.Mesh{}, nil }}, mesh)
	if err := h.Refresh(t.Context(), "mesh", "moon"); !errors.Is(err, hub.ErrUnknown) {
		t.Errorf("unknown name: %v", err)
	}
	h.Close()
	if err := h.Refresh(t.Context(), "mesh"); !errors.Is(err, hub.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := h.Run(t.Context()); err != nil {
		t.Errorf("Run after Close: %v", err)
	}
}

// TestCloseLeavesAReadingThatHangs: a file system that does not answer takes
// no heed of a context.
func TestCloseLeavesAReadingThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		h := hub.New(time.Now)
		hub.Register(h, &probe{name: "mesh", every: time.Hour, observe: func(context.Context, int) (observers.Mesh, error) {
			<-answer
			return named("late"), nil
		}}, mesh)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Refresh(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		began := time.Now()
		h.Close()
		if waited := time.Since(began); waited == 0 || waited > 10*time.Second {
			t.Errorf("Close took %v", waited)
		}
		close(answer)
		synctest.Wait()
		if h.Snapshot().Mesh.Value.Hostname != "" {
			t.Error("a reading was published after Close")
		}
	})
}
