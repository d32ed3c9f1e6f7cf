package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
)

const base = `# my host
apiVersion: core.dev/v1alpha1
kind: Host
metadata: {name: h}
spec:
  model:
    provider: anthropic   # the usual one

  drift: heal
`

// house is one home with an open store.
type house struct {
	t    *testing.T
	dir  string
	now  func() time.Time
	door *home.Door
	db   *operatordb.DB
	*store.Store
}

// newHouse opens a store in a home whose desired.yaml has this content; empty:
// none.
func newHouse(t *testing.T, content string) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), now: time.Now}
	if content != "" {
		h.save(content)
	}
	h.open()
	return h
}

func (h *house) open() {
	h.t.Helper()
	door, err := home.Open(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	db, err := operatordb.Open(h.t.Context(), h.path(home.OperatorFile))
	if err != nil {
		h.t.Fatal(err)
	}
	h.door, h.db = door, db
	h.t.Cleanup(h.close)
	h.Store, err = store.Open(h.t.Context(), store.Config{Door: door, DB: db, Now: func() time.Time { return h.now() }, Hostname: "h", Create: true})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) close() {
	_ = h.db.Close()
	_ = h.door.Close()
}

func (h *house) reopen() {
	h.t.Helper()
	h.close()
	h.open()
}

func (h *house) path(name string) string { return filepath.Join(h.dir, name) }

// save writes desired.yaml as an editor does: a new file in its place.
func (h *house) save(content string) {
	h.t.Helper()
	temp := h.path("desired.yaml~new")
	if err := os.WriteFile(temp, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(temp, h.path(home.DesiredFile)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) file() string {
	h.t.Helper()
	data, err := os.ReadFile(h.path(home.DesiredFile))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func (h *house) refresh() store.State {
	h.t.Helper()
	if err := h.Refresh(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return h.Current()
}

// history is "number author" of every revision, oldest first.
func (h *house) history() []string {
	h.t.Helper()
	revisions, err := h.List(h.t.Context(), 0, 200)
	if err != nil {
		h.t.Fatal(err)
	}
	var lines []string
	for _, r := range revisions {
		lines = append([]string{fmt.Sprint(r.Number, " ", r.Author)}, lines...)
	}
	return lines
}

// run starts the watch; the returned function waits until a state fits.
func (h *house) run() (await func(what string, fits func(store.State) bool)) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.t.Context())
	done := make(chan error)
	go func() { done <- h.Run(ctx) }()
	h.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Errorf("run: %v", err)
		}
	})
	return func(what string, fits func(store.State) bool) {
		h.t.Helper()
		deadline := time.After(4 * time.Second) // before the poll looks: the event has to do it
		for {
			changed := h.Changed()
			if fits(h.Current()) {
				return
			}
			select {
			case <-changed:
			case <-deadline:
				h.t.Fatalf("%s: never; now %+v", what, h.Current())
			}
		}
	}
}

func provider(name string) string { return strings.Replace(base, "anthropic", name, 1) }

func providerOf(s store.State) string { return desired.Fields(s.Host)["model.provider"] }

func TestFirstStartWritesADocumentThatManagesNothingElse(t *testing.T) {
	h := newHouse(t, "")
	if h.file() != string(desired.Template("h")) {
		t.Error("the file is not the template")
	}
	want := []string{"1 operator"}
	if diff := cmp.Diff(want, h.history()); diff != "" {
		t.Error(diff)
	}
	state := h.Current()
	if state.Problem != nil || state.Invalid != nil || state.Host.Generation != 1 || state.FileSum != state.Revision.Sum {
		t.Errorf("state %+v", state)
	}
	h.reopen()
	if diff := cmp.Diff(want, h.history()); diff != "" {
		t.Errorf("after the second start: %s", diff)
	}
}

func TestExistingFileIsTheFirstRevision(t *testing.T) {
	h := newHouse(t, base)
	if h.file() != base {
		t.Error("the file was touched")
	}
	if diff := cmp.Diff([]string{"1 file"}, h.history()); diff != "" {
		t.Error(diff)
	}
}

// TestEditorsSave: every way in which editors save arrives, without a refresh.
func TestEditorsSave(t *testing.T) {
	cases := []struct {
		name string
		save func(h *house, content string) error
	}{
		{"rename", func(h *house, content string) error { h.save(content); return nil }},
		{"in place", func(h *house, content string) error {
			return os.WriteFile(h.path(home.DesiredFile), []byte(content), 0o644)
		}},
		{"in place, in two halves", func(h *house, content string) error {
			f, err := os.OpenFile(h.path(home.DesiredFile), os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				return err
			}
			half := strings.Index(content, "spec:")
			_, err1 := f.WriteString(content[:half])
			time.Sleep(50 * time.Millisecond) // an editor that is slow
			_, err2 := f.WriteString(content[half:])
			return errors.Join(err1, err2, f.Close())
		}},
		{"away and anew", func(h *house, content string) error {
			return errors.Join(os.Rename(h.path(home.DesiredFile), h.path("desired.yaml~")),
				os.WriteFile(h.path(home.DesiredFile), []byte(content), 0o644))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, base)
			await := h.run()
			h.save(provider("warm"))
			await("the watch runs", func(s store.State) bool { return providerOf(s) == "warm" })
			if err := c.save(h, provider("openai")); err != nil {
				t.Fatal(err)
			}
			await("openai in force", func(s store.State) bool { return providerOf(s) == "openai" })
			if diff := cmp.Diff([]string{"1 file", "2 file", "3 file"}, h.history()); diff != "" {
				t.Errorf("half a file was a revision, or more than one was: %s", diff)
			}
		})
	}
}

func TestSymlinkInsideTheHomeIsFollowed(t *testing.T) {
	h := newHouse(t, base)
	if err := errors.Join(os.Mkdir(h.path("conf"), 0o755),
		os.Rename(h.path(home.DesiredFile), h.path("conf/real.yaml")),
		os.Symlink("conf/real.yaml", h.path(home.DesiredFile))); err != nil {
		t.Fatal(err)
	}
	await := h.run()
	for _, name := range []string{"warm", "openai"} { // the first may be seen before the watch runs
		if err := os.WriteFile(h.path("conf/real.yaml"), []byte(provider(name)), 0o644); err != nil {
			t.Fatal(err)
		}
		await(name+" in force", func(s store.State) bool { return providerOf(s) == name })
	}
	if _, err := h.Edit(t.Context(), store.Write{Author: "api:a"}, yamledit.Set("spec.model.provider", "groq")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(h.path("conf/real.yaml"))
	if err != nil || string(data) != provider("groq") {
		t.Errorf("the file behind the link: %q, %v", data, err)
	}
}

// TestTroubleLeavesTheLastGoodInForce: also after a restart, and the file is
// as it was.
func TestTroubleLeavesTheLastGoodInForce(t *testing.T) {
	path := func(h *house) string { return h.path(home.DesiredFile) }
	remove := func(h *house) error { return os.Remove(path(h)) }
	cases := []struct {
		name    string
		spoil   func(h *house) error
		line    int   // of the first problem, when the content is wrong
		problem error // when the file is
	}{
		{"broken", func(h *house) error { h.save(base + "  model: [\n"); return nil }, 10, nil},
		{"unknown key", func(h *house) error { h.save(base + "  modle: x\n"); return nil }, 10, nil},
		{"empty", func(h *house) error { h.save(""); return nil }, 1, nil},
		{"NUL", func(h *house) error { h.save(base + "\x00"); return nil }, 10, nil},
		{"not UTF-8", func(h *house) error { h.save(base + "# \xff\n"); return nil }, 10, nil},
		{"alias bomb", func(h *house) error { h.save(base + bomb()); return nil }, 15, nil},
		{"10 MB", func(h *house) error { h.save(base + strings.Repeat("# padding\n", 1_000_000)); return nil }, 0, home.ErrTooLarge},
		{"removed", remove, 0, fs.ErrNotExist},
		{"folder", func(h *house) error { return errors.Join(remove(h), os.Mkdir(path(h), 0o755)) }, 0, home.ErrNotRegular},
		{"pipe", func(h *house) error { return errors.Join(remove(h), unix.Mkfifo(path(h), 0o644)) }, 0, home.ErrNotRegular},
		{"symlink out", func(h *house) error { return errors.Join(remove(h), os.Symlink("/etc/hostname", path(h))) }, 0, home.ErrEscape},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, base)
			await := h.run()
			if err := c.spoil(h); err != nil {
				t.Fatal(err)
			}
			await("the trouble is seen", func(s store.State) bool {
				return c.problem == nil && s.Invalid != nil || c.problem != nil && errors.Is(s.Problem, c.problem)
			})
			check := func(s store.State) {
				t.Helper()
				if providerOf(s) != "anthropic" || s.Revision.Number != 1 || s.Host.Generation != 1 {
					t.Errorf("in force is revision %d, provider %q", s.Revision.Number, providerOf(s))
				}
				switch {
				case c.problem != nil && !errors.Is(s.Problem, c.problem):
					t.Errorf("problem %v, want %v", s.Problem, c.problem)
				case c.problem == nil && (s.Invalid == nil || s.Problem != nil):
					t.Errorf("invalid %v, problem %v", s.Invalid, s.Problem)
				case c.problem == nil && s.Invalid.Problems[0].Line != c.line:
					t.Errorf("%v; want line %d", s.Invalid, c.line)
				}
			}
			check(h.Current())
			before := snapshot(t, path(h))
			h.Store = openAgain(h)
			check(h.Current())
			if after := snapshot(t, path(h)); after != before {
				t.Errorf("the file is %s, was %s", after, before)
			}
		})
	}
}

// openAgain opens a second store over the same home, as a restart does.
func openAgain(h *house) *store.Store {
	h.t.Helper()
	s, err := store.Open(h.t.Context(), store.Config{Door: h.door, DB: h.db, Now: h.now, Create: true})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func snapshot(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
}

func bomb() string {
	var b strings.Builder
	b.WriteString("  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestMendedFileTakesForce(t *testing.T) {
	h := newHouse(t, base)
	h.save("nonsense: [")
	if s := h.refresh(); s.Invalid == nil {
		t.Fatal("not seen as invalid")
	}
	h.save(base)
	if s := h.refresh(); s.Invalid != nil || s.Revision.Number != 1 {
		t.Errorf("the same content again: %+v", s)
	}
	h.save(provider("openai"))
	if s := h.refresh(); s.Revision.Number != 2 || providerOf(s) != "openai" {
		t.Errorf("revision %d, provider %s", s.Revision.Number, providerOf(s))
	}
}
