package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"corehost/config/yamledit"
	"corehost/desired/store"
)

func TestHistoryFollowsTheOrderOfEventsNotTheClock(t *testing.T) {
	h := newHouse(t, base)
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	h.now = func() time.Time { return at }
	for i, name := range []string{"openai", "groq", "mistral"} {
		at = at.Add(-24 * time.Hour)
		if r, err := h.Edit(t.Context(), store.Write{}, yamledit.Set("spec.model.provider", name)); err != nil || r.Number != int64(i+2) {
			t.Fatalf("revision %d, %v", r.Number, err)
		}
	}
	h.reopen()
	if s := h.Current(); s.Revision.Number != 4 || providerOf(s) != "mistral" {
		t.Errorf("in force: %d %s", s.Revision.Number, providerOf(s))
	}
}

func TestOrigin(t *testing.T) {
	h := newHouse(t, base)
	edit := func(path string, value any) {
		t.Helper()
		if _, err := h.Edit(t.Context(), store.Write{}, yamledit.Set(path, value)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(field string, number int64) {
		t.Helper()
		r, err := h.Origin(t.Context(), field)
		if err != nil || r.Number != number {
			t.Errorf("%s comes from %d (%v), want %d", field, r.Number, err, number)
		}
	}
	edit("spec.model.provider", "openai")    // 2
	edit("spec.drift", "report")             // 3
	edit("spec.model.provider", "anthropic") // 4
	want("model.provider", 4)
	want("drift", 3)
	want("metadata.name", 1)
	want("model.default", 1)               // absent since ever
	edit("spec.model.provider", "openai")  // 5: the known origins follow
	edit("spec.model.default", "gpt-four") // 6
	want("model.provider", 5)
	want("model.default", 6)
	want("drift", 3)
	h.reopen()
	want("model.provider", 5)
	want("model.default", 6)
	want("drift", 3)
}

func TestHistoryIsBounded(t *testing.T) {
	h := newHouse(t, base)
	if _, err := h.db.Exec("INSERT INTO facts (key, value) VALUES ('last_good_revision', '3')"); err != nil {
		t.Fatal(err)
	}
	insertMany(h, 1100, 1)
	if _, err := h.Edit(t.Context(), store.Write{}, setOpenAI); err != nil {
		t.Fatal(err)
	}
	var n, oldest, second int
	if err := errors.Join(h.db.QueryRow("SELECT count(*), min(number) FROM revisions").Scan(&n, &oldest),
		h.db.QueryRow("SELECT min(number) FROM revisions WHERE number > 3").Scan(&second)); err != nil {
		t.Fatal(err)
	}
	if n != 1001 || oldest != 3 || second != 103 {
		t.Errorf("%d revisions, oldest %d, then %d; want 1001, 3 (last good), 103", n, oldest, second)
	}
}

func TestHistoryOfLargeFilesIsBounded(t *testing.T) {
	h := newHouse(t, base)
	insertMany(h, 12, 8<<20)
	large := provider("openai") + strings.Repeat("# "+strings.Repeat("padding ", 100)+"\n", 100)
	if _, err := h.Replace(t.Context(), store.Write{}, []byte(large)); err != nil {
		t.Fatal(err)
	}
	var n, bytes int
	if err := h.db.QueryRow("SELECT count(*), sum(length(text)) FROM revisions").Scan(&n, &bytes); err != nil {
		t.Fatal(err)
	}
	if bytes > 64<<20 || n != 8 {
		t.Errorf("the history holds %d revisions, %d MiB; want 8 in 64 MiB", n, bytes>>20)
	}
	if s := h.Current(); providerOf(s) != "openai" {
		t.Errorf("in force: %s", providerOf(s))
	}
}

// insertMany adds revisions of so many bytes.
func insertMany(h *house, n, size int) {
	h.t.Helper()
	_, err := h.db.Exec(`WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < ?)
		INSERT INTO revisions (at, author, text, sum) SELECT '2026-01-01T00:00:00Z', 'file', zeroblob(?), 'x' FROM series`, n, size)
	if err != nil {
		h.t.Fatal(err)
	}
}
