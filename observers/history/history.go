// Package history remembers the host's figures of the last hours for the
// curves on the dashboard.
//
// Law: it holds a fixed number of samples in memory and nothing on disk; what
// was not known leaves a gap, never a guess.
package history

import (
	"math"
	"sync"
	"time"

	"corehost/observers"
)

// Every is the distance of two samples, Kept their largest number: six hours.
const (
	Every = 15 * time.Second
	Kept  = int(6 * time.Hour / Every)
)

// Source is what history listens to; the hub is one.
type Source interface {
	Snapshot() *observers.Snapshot
	Subscribe(fn func(name string)) (cancel func())
}

// Sample is the host at one moment. A part that was not known is nil.
type Sample struct {
	At     time.Time
	Load   *float64 // one-minute load average
	Memory *float64 // percent used
	Disk   *float64 // percent used of the root file system
}

// History is a ring of samples. It is safe for concurrent use.
type History struct {
	source Source
	now    func() time.Time

	mu      sync.Mutex
	samples []Sample // a ring once it is full
	next    int      // where the next one goes
}

// New starts to remember. It ends when the source does.
func New(source Source, now func() time.Time) *History {
	h := &History{source: source, now: now}
	source.Subscribe(func(name string) {
		if name == "host" {
			h.sample()
		}
	})
	return h
}

// Load returns the samples, oldest first.
func (h *History) Load() []Sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Sample, 0, len(h.samples))
	if len(h.samples) == Kept {
		out = append(out, h.samples[h.next:]...)
		return append(out, h.samples[:h.next]...)
	}
	return append(out, h.samples...)
}

func (h *History) sample() {
	now := h.now()
	reading := h.source.Snapshot().Host
	if !reading.Known(now) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if last, ok := h.last(); ok && now.Sub(last.At).Abs() < Every-time.Second {
		return // a second of grace: readings come a little early or late
	}
	h.add(of(reading.Value, now))
}

func (h *History) last() (Sample, bool) {
	if len(h.samples) == 0 {
		return Sample{}, false
	}
	return h.samples[(h.next+len(h.samples)-1)%len(h.samples)], true
}

func (h *History) add(s Sample) {
	if len(h.samples) < Kept {
		h.samples = append(h.samples, s)
		h.next = len(h.samples) % Kept
		return
	}
	h.samples[h.next] = s
	h.next = (h.next + 1) % Kept
}

func of(host observers.Host, at time.Time) Sample {
	s := Sample{At: at}
	if host.Load != nil {
		s.Load = &host.Load.One
	}
	if m := host.Memory; m != nil && m.TotalMB > 0 {
		percent := math.Round(1000*float64(m.UsedMB)/float64(m.TotalMB)) / 10
		s.Memory = &percent
	}
	if host.Disk != nil {
		s.Disk = &host.Disk.UsedPercent
	}
	return s
}
