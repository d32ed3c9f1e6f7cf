package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
)

var setOpenAI = yamledit.Set("spec.model.provider", "openai")

func TestEditKeepsEverythingElse(t *testing.T) {
	h := newHouse(t, base)
	r, err := h.Edit(t.Context(), store.Write{Author: "api:anna", Note: "why not"}, setOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(provider("openai"), h.file()); diff != "" {
		t.Error(diff)
	}
	got, err := h.Get(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("what was answered is not what is recorded: %s", diff)
	}
	if r.Number != 2 || r.Author != "api:anna" || r.Note != "why not" || string(r.Text) != h.file() {
		t.Errorf("revision %+v", r)
	}
	if s := h.Current(); providerOf(s) != "openai" || s.Host.Generation != 2 {
		t.Errorf("in force: %s, generation %d", providerOf(s), s.Host.Generation)
	}
}

func TestEditThatChangesNothing(t *testing.T) {
	h := newHouse(t, base)
	r, err := h.Edit(t.Context(), store.Write{Author: "api:anna"}, yamledit.Set("spec.model.provider", "anthropic"))
	if err != nil || r.Number != 1 {
		t.Errorf("revision %d, %v; want 1", r.Number, err)
	}
	if diff := cmp.Diff([]string{"1 file"}, h.history()); diff != "" {
		t.Error(diff)
	}
}

// TestRefusedWrites leave the file and the history as they are.
func TestRefusedWrites(t *testing.T) {
	stale := store.Write{Author: "api:a", IfMatch: home.SumOf([]byte("something else"))}
	cases := []struct {
		name  string
		write func(h *house) error
		want  func(err error) bool
	}{
		{"stale edit", func(h *house) error { _, err := h.Edit(t.Context(), stale, setOpenAI); return err }, is(home.ErrChanged)},
		{"stale replace", func(h *house) error { _, err := h.Replace(t.Context(), stale, []byte(provider("openai"))); return err }, is(home.ErrChanged)},
		{"stale rollback", func(h *house) error { _, err := h.Rollback(t.Context(), stale, 1); return err }, is(home.ErrChanged)},
		{"no such revision", func(h *house) error { _, err := h.Rollback(t.Context(), store.Write{}, 7); return err }, is(store.ErrNoRevision)},
		{"invalid value", func(h *house) error {
			_, err := h.Edit(t.Context(), store.Write{}, yamledit.Set("spec.drift", "maybe"))
			return err
		}, as[*desired.Invalid]},
		{"invalid text", func(h *house) error { _, err := h.Replace(t.Context(), store.Write{}, []byte("x: [")); return err }, as[*desired.Invalid]},
		{"10 MB text", func(h *house) error {
			_, err := h.Replace(t.Context(), store.Write{}, []byte(base+strings.Repeat("# padding\n", 1_000_000)))
			return err
		}, as[*desired.Invalid]},
		{"no safe splice", func(h *house) error {
			_, err := h.Edit(t.Context(), store.Write{}, yamledit.Set("spec.drift.deeper", "x"))
			return err
		}, as[*yamledit.Error]},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, base)
			if err := c.write(h); !c.want(err) {
				t.Errorf("error %v", err)
			}
			if h.file() != base {
				t.Error("the file was changed")
			}
			if diff := cmp.Diff([]string{"1 file"}, h.history()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// TestUnseenSaveIsNotOverwritten: an editor saved a moment ago and nobody has
// looked yet. The edit goes on top of it; the save is a revision of its own.
func TestUnseenSaveIsNotOverwritten(t *testing.T) {
	h := newHouse(t, base)
	edited := strings.Replace(base, "drift: heal", "drift: report # mine", 1)
	h.save(edited)
	if _, err := h.Edit(t.Context(), store.Write{Author: "api:anna"}, setOpenAI); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(edited, "anthropic", "openai", 1), h.file()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1 file", "2 file", "3 api:anna"}, h.history()); diff != "" {
		t.Error(diff)
	}
}

func TestRollbackBringsTheExactBytesBack(t *testing.T) {
	odd := "\ufeff" + strings.ReplaceAll(base, "\n", "\r\n") + "# no line end"
	h := newHouse(t, odd)
	if _, err := h.Edit(t.Context(), store.Write{Author: "api:anna"}, setOpenAI); err != nil {
		t.Fatal(err)
	}
	r, err := h.Rollback(t.Context(), store.Write{Author: "cli:0"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if h.file() != odd {
		t.Errorf("the file is %q", h.file())
	}
	if r.Number != 3 || r.Author != "cli:0" || r.Note != "rollback to revision 1" {
		t.Errorf("revision %+v", r)
	}
}

func TestReplaceKeepsAnInvalidFileBeside(t *testing.T) {
	h := newHouse(t, base)
	for i := range 8 {
		h.save(fmt.Sprintf("broken: [ # %d\n", i))
		if _, err := h.Rollback(t.Context(), store.Write{}, 1); err != nil {
			t.Fatal(err)
		}
		if h.file() != base {
			t.Fatal("the rollback did not arrive")
		}
	}
	kept, err := filepath.Glob(h.path("desired.yaml.invalid-*"))
	if err != nil || len(kept) != 5 {
		t.Fatalf("%d files kept, want 5 (%v)", len(kept), err)
	}
	if data, _ := os.ReadFile(kept[4]); string(data) != "broken: [ # 7\n" {
		t.Errorf("the newest is %q", data)
	}
	if diff := cmp.Diff([]string{"1 file"}, h.history()); diff != "" {
		t.Errorf("content in force was made a revision again: %s", diff)
	}
}

func TestWritesOverAFileInTrouble(t *testing.T) {
	h := newHouse(t, base)
	h.save(strings.Replace(base, "heal", "maybe", 1))
	if _, err := h.Edit(t.Context(), store.Write{}, setOpenAI); !as[*desired.Invalid](err) {
		t.Errorf("edit of an invalid file: %v", err)
	}
	if r, err := h.Edit(t.Context(), store.Write{}, yamledit.Set("spec.drift", "report")); err != nil || r.Number != 2 {
		t.Errorf("edit that mends the file: %d, %v", r.Number, err)
	}
	h.save("broken: [")
	if _, err := h.Edit(t.Context(), store.Write{}, setOpenAI); !as[*desired.Invalid](err) {
		t.Errorf("edit of a broken file: %v", err)
	}
	if err := os.Remove(h.path(home.DesiredFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Edit(t.Context(), store.Write{}, setOpenAI); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("edit of a missing file: %v", err)
	}
	if _, err := h.Rollback(t.Context(), store.Write{}, 1); err != nil || h.file() != base {
		t.Errorf("rollback of a missing file: %v", err)
	}
}

// TestTwoWriters: programs through the store and a person with an editor that
// reads, changes and saves, both without rest. Every acknowledged edit and
// every save is a revision, and the last of each is in the file.
func TestTwoWriters(t *testing.T) {
	const rounds = 60
	start := strings.Replace(base, "drift: heal", "drift: heal\n  reviews: {metaReviewer: auto} # 0", 1)
	h := newHouse(t, start)
	h.run()
	var saves, edits []string
	var both sync.WaitGroup
	both.Go(func() {
		for i := 1; i <= rounds; i++ {
			saves = append(saves, handEdit(h, i))
		}
	})
	both.Go(func() {
		for i := 1; i <= rounds; i++ {
			name := fmt.Sprintf("p%d", i)
			r, err := h.Edit(t.Context(), store.Write{Author: "api:a"}, yamledit.Set("spec.model.provider", name))
			if errors.Is(err, home.ErrChanged) {
				continue
			}
			if err != nil {
				t.Error(err)
				return
			}
			edits = append(edits, string(r.Text))
		}
	})
	both.Wait()
	h.refresh()
	text := h.file()
	if !strings.Contains(text, fmt.Sprintf("# %d\n", rounds)) {
		t.Errorf("the last save is not in the file:\n%s", text)
	}
	if n := len(edits); n > 0 && !strings.Contains(edits[n-1], "provider: "+providerOf(h.Current())+" ") {
		t.Errorf("the last edit is not in force, %s is; it wrote:\n%s", providerOf(h.Current()), edits[n-1])
	}
	known := map[string]string{}
	all, err := h.List(t.Context(), 0, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		known[string(r.Text)] = r.Author
	}
	for _, e := range edits {
		if known[e] != "api:a" {
			t.Fatalf("an acknowledged edit has the author %q:\n%s", known[e], e)
		}
	}
	if len(edits) < rounds/2 {
		t.Errorf("only %d of %d edits got through", len(edits), rounds)
	}
	if len(saves) != rounds {
		t.Errorf("%d saves", len(saves))
	}
}

// handEdit is a careful editor: it saves only over what it has read, by an
// exchange as the door does it, and starts over otherwise.
func handEdit(h *house, i int) string {
	door, err := home.Open(h.dir)
	if err != nil {
		h.t.Error(err)
		return ""
	}
	defer door.Close()
	for {
		file, err := door.Read(home.DesiredFile)
		if err != nil {
			h.t.Error(err)
			return ""
		}
		lines := strings.SplitAfter(string(file.Data), "\n")
		for k, line := range lines {
			if strings.Contains(line, "metaReviewer") {
				lines[k] = fmt.Sprintf("  reviews: {metaReviewer: auto} # %d\n", i)
			}
		}
		text := strings.Join(lines, "")
		_, err = door.Write(home.DesiredFile, []byte(text), file.Sum, 0o644)
		if err == nil {
			return text
		}
		if !errors.Is(err, home.ErrChanged) {
			h.t.Error(err)
			return ""
		}
	}
}

func TestCancelledWriteIsWholeOrNothing(t *testing.T) {
	h := newHouse(t, base)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Edit(ctx, store.Write{}, setOpenAI); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if h.file() != base || len(h.history()) != 1 {
		t.Error("something was written")
	}
}

// TestCallerGoesAway: a write that has begun is finished.
func TestCallerGoesAway(t *testing.T) {
	h := newHouse(t, base)
	ctx, cancel := context.WithCancel(t.Context())
	h.now = func() time.Time { cancel(); return time.Now() } // the clock is asked when the write begins
	if _, err := h.Edit(ctx, store.Write{Author: "api:anna"}, setOpenAI); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"1 file", "2 api:anna"}, h.history()); diff != "" || h.file() != provider("openai") {
		t.Error(diff)
	}
}
