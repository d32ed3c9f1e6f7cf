package history_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"corehost/observers"
	"corehost/observers/history"
	"corehost/observers/hub"
)

// machine is a host whose load is the number of readings so far.
type machine struct {
	n    int
	bare bool
}

func (m *machine) Name() string            { return "host" }
func (m *machine) Interval() time.Duration { return 5 * time.Second }
func (m *machine) Observe(context.Context) (observers.Host, error) {
	m.n++
	up := time.Duration(m.n)
	if m.bare {
		return observers.Host{Uptime: &up}, nil
	}
	return observers.Host{
		Uptime: &up,
		Load:   &observers.Load{One: float64(m.n)},
		Memory: &observers.Memory{UsedMB: 1, TotalMB: 3},
		Disk:   &observers.Disk{UsedPercent: 17},
	}, nil
}

func slot(s *observers.Snapshot) *observers.Reading[observers.Host] { return &s.Host }

// run fills a history for d and returns it.
func run(t *testing.T, m *machine, d time.Duration) []history.Sample {
	h := hub.New(time.Now)
	hub.Register(h, m, slot)
	past := history.New(h, time.Now)
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	h.Run(ctx)
	h.Close()
	return past.Load()
}

func TestOneSampleInFifteenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := run(t, &machine{}, 10*time.Minute-time.Second)
		if len(got) < 38 || len(got) > 41 {
			t.Fatalf("%d samples in ten minutes, want about forty", len(got))
		}
		s := got[1]
		if *s.Load != 4 || *s.Memory != 33.3 || *s.Disk != 17 || s.At.Sub(got[0].At).Round(time.Second) != 15*time.Second {
			t.Errorf("second sample: load %v memory %v disk %v, %v later", *s.Load, *s.Memory, *s.Disk, s.At.Sub(got[0].At))
		}
	})
}

func TestSixHoursAreKeptInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := run(t, &machine{}, 7*time.Hour)
		if len(got) != history.Kept {
			t.Fatalf("%d samples kept, want %d", len(got), history.Kept)
		}
		for i, s := range got[1:] {
			if !s.At.After(got[i].At) || *s.Load <= *got[i].Load {
				t.Fatalf("sample %d is not newer than the one before", i+1)
			}
		}
		if age := time.Since(got[len(got)-1].At); age > 20*time.Second {
			t.Errorf("the newest sample is %v old", age)
		}
	})
}

func TestUnknownPartsStayUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := run(t, &machine{bare: true}, time.Minute)
		if len(got) == 0 || got[0].Load != nil || got[0].Memory != nil || got[0].Disk != nil {
			t.Errorf("a host that tells nothing: %+v", got)
		}
	})
}
