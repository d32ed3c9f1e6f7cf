package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"corehost/cmd/cli/text"
)

// Timing of the progress line.
const (
	progressDelay = 300 * time.Millisecond // quick commands show none
	progressFrame = 120 * time.Millisecond
)

var frames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// progress is a line on the terminal that says what is waited for. On
// anything else than a terminal it is silent.
type progress struct {
	app  *app
	mu   sync.Mutex
	what string
	stop chan struct{}
	done chan struct{}
}

// waiting begins a progress line; its end removes it.
func (a *app) waiting(what string) *progress {
	p := &progress{app: a, what: what}
	if a.quiet || a.format != "text" || !terminal(a.stderr) {
		return p
	}
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	go p.draw()
	return p
}

// say changes what is waited for. It is safe for concurrent use.
func (p *progress) say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// end removes the line; a second call does nothing.
func (p *progress) end() {
	if p.stop == nil {
		return
	}
	close(p.stop)
	<-p.done
	p.stop = nil
}

func (p *progress) draw() {
	defer close(p.done)
	began, shown := time.Now(), false
	ticker := time.NewTicker(progressFrame)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-p.stop:
			if shown {
				_, _ = fmt.Fprint(p.app.stderr, "\r\x1b[K")
			}
			return
		case <-ticker.C:
			if spent := time.Since(began); spent > progressDelay {
				shown = true
				_, _ = fmt.Fprint(p.app.stderr, "\r\x1b[K"+p.line(i, spent))
			}
		}
	}
}

// line is one frame, cut to the width: a wrapped line could not be removed.
func (p *progress) line(i int, spent time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := []rune(fmt.Sprintf("%c %s (%s)", frames[i%len(frames)], text.Clean(strings.TrimSpace(p.what)), text.Duration(spent)))
	return string(line[:min(len(line), p.app.width()-1)])
}
