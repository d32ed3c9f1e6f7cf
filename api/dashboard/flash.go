package dashboard

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// Bounds of the messages that wait to be shown.
const (
	flashCookie = "corehost_flash"
	flashLife   = time.Minute
	flashMax    = 64
)

// Flash is what came of a form, shown once on the page that follows.
type Flash struct {
	Text string
	Bad  bool // it did not do what was asked
}

type waiting struct {
	flash Flash
	until time.Time
}

// flashes keeps messages between a form and the page it leads to. The browser
// holds a random name only, so that nobody else can put words on a page. It
// is safe for concurrent use.
type flashes struct {
	now  func() time.Time
	mu   sync.Mutex
	held map[string]waiting
}

func newFlashes(now func() time.Time) *flashes {
	return &flashes{now: now, held: map[string]waiting{}}
}

// leave keeps a message for the next page of this browser.
func (f *flashes) leave(w http.ResponseWriter, r *http.Request, flash Flash) {
	name := rand.Text()
	f.mu.Lock()
	f.sweep()
	f.held[name] = waiting{flash, f.now().Add(flashLife)}
	f.mu.Unlock()
	http.SetCookie(w, cookie(r, name, int(flashLife/time.Second)))
}

// take gives the message out, once.
func (f *flashes) take(w http.ResponseWriter, r *http.Request) *Flash {
	sent, err := r.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	http.SetCookie(w, cookie(r, "", -1))
	f.mu.Lock()
	defer f.mu.Unlock()
	held, ok := f.held[sent.Value]
	delete(f.held, sent.Value)
	if !ok || f.now().After(held.until) {
		return nil
	}
	return &held.flash
}

func cookie(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure where there is TLS; on loopback there is none
		Name: flashCookie, Value: value, Path: "/", MaxAge: age,
		Secure: r.TLS != nil, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// sweep forgets what nobody came for; when too many wait, all of them.
func (f *flashes) sweep() {
	for name, held := range f.held {
		if f.now().After(held.until) {
			delete(f.held, name)
		}
	}
	if len(f.held) >= flashMax {
		clear(f.held)
	}
}
