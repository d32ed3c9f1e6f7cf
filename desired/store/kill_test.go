package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/config/operatordb"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
)

// writerHome tells a re-executed test binary to be the writer of a home.
const writerHome = "STORE_TEST_WRITER_HOME"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerHome); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writeForever edits without rest and says each edit that was acknowledged.
// The author of an edit and the value it writes belong together.
func writeForever(dir string) error {
	ctx := context.Background()
	door, err := home.Open(dir)
	if err != nil {
		return err
	}
	db, err := operatordb.Open(ctx, filepath.Join(dir, home.OperatorFile))
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Config{Door: door, DB: db, Now: time.Now})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := fmt.Sprintf("p%d-%d", os.Getpid(), i)
		r, err := s.Edit(ctx, store.Write{Author: "api:" + name}, yamledit.Set("spec.model.provider", name))
		if err != nil {
			return err
		}
		fmt.Println(r.Number, name)
	}
}

// TestKillLosesNothing kills the writer at any moment, many times over.
func TestKillLosesNothing(t *testing.T) {
	const rounds = 30
	h := newHouse(t, base)
	acknowledged := map[int64]string{}
	for range rounds {
		h.close()
		for number, name := range writeAndKill(t, h.dir) {
			acknowledged[number] = name
		}
		h.open()
		state := h.Current()
		if state.Problem != nil || state.Invalid != nil {
			t.Fatalf("the file is not whole: %v %v", state.Problem, state.Invalid)
		}
		if text := h.file(); string(state.Revision.Text) != text || text != provider(providerOf(state)) {
			t.Fatalf("in force is not the file:\n%s", text)
		}
		if left, _ := filepath.Glob(h.path(".corehost-*")); len(left) > 0 {
			t.Fatalf("left behind: %v", left)
		}
		if kept, _ := filepath.Glob(h.path("desired.yaml.*")); len(kept) > 0 {
			t.Fatalf("nobody else wrote, and yet something was kept: %v", kept)
		}
	}
	if len(acknowledged) < rounds {
		t.Fatalf("only %d edits were acknowledged", len(acknowledged))
	}
	for number, name := range acknowledged {
		r, err := h.Get(t.Context(), number)
		if err != nil {
			t.Fatalf("acknowledged revision %d: %v", number, err)
		}
		if r.Author != "api:"+name || string(r.Text) != provider(name) {
			t.Errorf("revision %d is by %s, want api:%s", number, r.Author, name)
		}
	}
	checkAuthors(t, h)
}

// checkAuthors makes sure that also an edit which was made and not
// acknowledged has the author who asked for it.
func checkAuthors(t *testing.T, h *house) {
	t.Helper()
	for before := int64(0); ; {
		page, err := h.List(t.Context(), before, 200)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			before = r.Number
			host, err := store.Check(r.Text)
			if err != nil {
				t.Fatalf("revision %d: %v", r.Number, err)
			}
			if want := "api:" + desired.Fields(host)["model.provider"]; r.Number > 1 && r.Author != want {
				t.Errorf("revision %d is by %s, want %s", r.Number, r.Author, want)
			}
		}
		if len(page) == 0 {
			return
		}
	}
}

// writeAndKill runs a writer, kills it after a few acknowledged edits and some
// microseconds, and returns what it had acknowledged.
func writeAndKill(t *testing.T, dir string) map[int64]string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerHome+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	got := map[int64]string{}
	lines := bufio.NewScanner(out)
	until := 1 + rand.IntN(6)
	for lines.Scan() {
		var number int64
		var name string
		if _, err := fmt.Sscan(lines.Text(), &number, &name); err != nil {
			if strings.HasSuffix(lines.Text(), "\n") {
				t.Errorf("the writer said %q", lines.Text())
			}
			continue // cut off by the kill
		}
		got[number] = name
		if len(got) == until {
			time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond) // any moment of the next edit
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	return got
}

// TestCrashPoints builds by hand what a kill at each step leaves, so that the
// rare ones are met for certain.
func TestCrashPoints(t *testing.T) {
	const temp = ".corehost-desired.yaml-0123456789ab-0123456789ab-00000000"
	next := provider("openai")
	announce := func(h *house) {
		_, err := h.db.Exec(`INSERT INTO intents (id, at, author, note, text, sum) VALUES (1, '2026-01-02T03:04:05Z', 'api:anna', 'n', ?, ?)`,
			[]byte(next), home.SumOf([]byte(next)))
		if err != nil {
			h.t.Fatal(err)
		}
	}
	put := func(h *house, name, content string) {
		if err := os.WriteFile(h.path(name), []byte(content), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	cases := []struct {
		name    string
		leave   func(h *house)
		history string
		kept    string // content of the displaced file
	}{
		{"announced only", announce, "1 file", ""},
		{"half staged", func(h *house) { announce(h); put(h, temp, next[:40]) }, "1 file", ""},
		{"staged", func(h *house) { announce(h); put(h, temp, next) }, "1 file", ""},
		{"exchanged", func(h *house) { announce(h); h.save(next); put(h, temp, base) }, "1 file, 2 api:anna", ""},
		{"written, not recorded", func(h *house) { announce(h); h.save(next) }, "1 file, 2 api:anna", ""},
		{"exchanged with a save nobody saw", func(h *house) { announce(h); h.save(next); put(h, temp, "mine: 1\n") },
			"1 file, 2 api:anna", "mine: 1\n"},
		{"edited by hand after the kill", func(h *house) { announce(h); h.save(provider("groq")) }, "1 file, 2 file", ""},
		{"file gone after the kill", func(h *house) { announce(h); _ = os.Remove(h.path(home.DesiredFile)) }, "1 file", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, base)
			c.leave(h)
			h.reopen()
			if got := strings.Join(h.history(), ", "); got != c.history {
				t.Errorf("history %s, want %s", got, c.history)
			}
			if left, _ := filepath.Glob(h.path(".corehost-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			var kept string
			if names, _ := filepath.Glob(h.path("desired.yaml.displaced-*")); len(names) == 1 {
				data, err := os.ReadFile(names[0])
				if err != nil {
					t.Fatal(err)
				}
				kept = string(data)
			}
			if kept != c.kept {
				t.Errorf("kept %q, want %q", kept, c.kept)
			}
		})
	}
}
