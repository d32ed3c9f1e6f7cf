//go:build browser

package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium finds the browser. A machine without one fails these tests rather
// than leaving the script of the pages untried.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no chromium found: the pages are tested in a browser. Install it, on Debian with: apt-get install chromium")
	return ""
}

// tab is a browser tab on a fixture.
type tab struct {
	t       *testing.T
	ctx     context.Context
	url     string
	fixture *fixture
	mu      sync.Mutex
	errors  []string // of the console
}

// openTab starts a browser on a fixture's pages.
func openTab(t *testing.T, f *fixture) *tab {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", newAt(f, "0.2.0", f.now))
	mux.Handle("/api/events", f)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b := newTab(t)
	b.fixture, b.url = f, server.URL
	return b
}

// newTab starts a browser with an empty profile.
func newTab(t *testing.T) *tab {
	t.Helper()
	b := &tab{t: t}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 900))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	b.ctx, _ = chromedp.NewContext(alloc)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
		defer cancel()
		_ = chromedp.Cancel(ctx)
		stop()
	})
	if err := chromedp.Listen(b.ctx, b.listen); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	call(b, log.Enable, cdp.Empty{})
	return b
}

// listen collects what a person would find red in the console.
func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.errors = append(b.errors, fmt.Sprint(e.Entry.Text, " ", e.Entry.URL))
		}
	}
}

func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("browser: %v; console: %q", err, b.errors)
	}
}

// open goes to a page and waits for it to be live.
func (b *tab) open(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.url + path))
	b.until(`document.querySelector("#live")?.textContent === "live"`)
	b.js(`window.unbroken = true`)
}

// loads does something and waits for the page it leads to.
func (b *tab) loads(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(page.LoadEventFired, nil, action)); err != nil {
		b.t.Fatalf("no page was loaded: %v", err)
	}
}

// js runs a script for its effect.
func (b *tab) js(script string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](script))
}

// eval is the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return got
}

func (b *tab) bool(expression string) bool { b.t.Helper(); return eval[bool](b, expression) }

func (b *tab) text(expression string) string { b.t.Helper(); return eval[string](b, expression) }

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(8*time.Second))
	if err := chromedp.Do(b.ctx, poll); err != nil {
		b.t.Fatalf("never true: %s: %v; console: %q\nthe page says:\n%s", expression, err, b.errors, b.text(`document.body.innerText`))
	}
}

// at is the middle of what a CSS selector finds.
func (b *tab) at(selector string) (x, y float64) {
	b.t.Helper()
	p := eval[[]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	return p[0], p[1]
}

func (b *tab) scrollTo(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.js(fmt.Sprintf(`document.querySelector(%q).scrollIntoView({block: "center"})`, selector))
}

// click presses what a CSS selector finds, with the mouse.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.scrollTo(selector)
	b.run(chromedp.MouseClickXY(b.at(selector)))
}

// typeInto types into a field, as with the keyboard.
func (b *tab) typeInto(selector, text string) {
	b.t.Helper()
	b.click(selector)
	b.run(chromedp.KeyEvent(text))
}

// says waits for a text on the page, which must be the one that was opened.
func (b *tab) says(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text))
	if !b.bool(`window.unbroken === true`) {
		b.t.Errorf("the page was loaded anew before it said %q", text)
	}
}

func (b *tab) asked(want string) {
	b.t.Helper()
	b.fixture.mu.Lock()
	defer b.fixture.mu.Unlock()
	if got := strings.Join(b.fixture.done, "; "); got != want {
		b.t.Errorf("the host was asked for %q, want %q", got, want)
	}
}

func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		b.t.Errorf("console: %q", b.errors)
	}
}

// size sets the window, in CSS pixels, as on a screen of that width.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height))
}

// prefers sets what the person asked of the system.
func (b *tab) prefers(scheme, motion string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
}

func stateNamed(t *testing.T, name string) *fixture {
	t.Helper()
	for _, s := range states {
		if s.name == name {
			return s.make(time.Now)
		}
	}
	t.Fatalf("no state %q", name)
	return nil
}
