package home_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"corehost/config/home"
)

// A person edits the file while the service writes to it as fast as it can.
// The service must never put content in place that was made without having
// seen the person's last edit.
func TestConcurrentEditIsNeverLost(t *testing.T) {
	tests := []struct {
		name string
		save func(name string, data []byte) error
	}{
		{"editor that renames", saveRename},
		{"editor that writes into the file", saveInPlace},
		{"editor that writes into the file, slowly", saveSlowly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			door, dir := open(t)
			name := filepath.Join(dir, "f")
			write(t, name, "person 0\nservice 0\n", 0o600)
			var rounds, written, refused atomic.Int64
			stop, stopped := make(chan struct{}), make(chan error, 1)
			go func() { stopped <- serve(door, stop, &rounds, &written, &refused) }()

			edits := 0
			for deadline := time.Now().Add(1500 * time.Millisecond); time.Now().Before(deadline); {
				f, err := door.Read("f")
				must(t, err)
				_, service, ok := strings.Cut(string(f.Data), "\n")
				if !ok { // caught the file between truncation and text
					continue
				}
				edits++
				must(t, tt.save(name, fmt.Appendf(nil, "person %d\n%s", edits, service)))
				settled(&rounds)
				if seen := person(content(t, name)); seen != edits {
					t.Fatalf("edit %d was lost; the file says %d", edits, seen)
				}
			}
			close(stop)
			must(t, <-stopped)
			if seen := person(content(t, name)); seen != edits {
				t.Errorf("the last edit %d was lost; the file says %d", edits, seen)
			}
			if written.Load() == 0 {
				t.Error("the service never wrote")
			}
			t.Logf("%d edits; the service wrote %d times and was refused %d times", edits, written.Load(), refused.Load())
		})
	}
}

// settled waits until no write is under way that began before now.
func settled(rounds *atomic.Int64) {
	for until := rounds.Load() + 2; rounds.Load() < until; {
		time.Sleep(50 * time.Microsecond)
	}
}

// serve changes its own line of the file, over and over.
func serve(door *home.Door, stop chan struct{}, rounds, written, refused *atomic.Int64) error {
	for n := 1; ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		f, err := door.Read("f")
		if err != nil {
			return err
		}
		person, _, ok := strings.Cut(string(f.Data), "\n")
		if ok {
			_, err = door.Write("f", fmt.Appendf(nil, "%s\nservice %d\n", person, n), f.Sum, 0o600)
		}
		switch {
		case errors.Is(err, home.ErrChanged):
			refused.Add(1)
		case err != nil:
			return err
		case ok:
			written.Add(1)
		}
		rounds.Add(1)
	}
}

func person(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	n, _ := strconv.Atoi(strings.TrimPrefix(line, "person "))
	return n
}

func saveRename(name string, data []byte) error {
	if err := os.WriteFile(name+"~", data, 0o600); err != nil {
		return err
	}
	return os.Rename(name+"~", name)
}

func saveInPlace(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }

func saveSlowly(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	time.Sleep(3 * time.Millisecond) // the service swaps the file meanwhile
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Close()
}

// Of many writers of one file, each sees what the others wrote: no write is
// lost and none is made twice.
func TestManyWritersOfOneFile(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "f"), "", 0o600)
	const writers, each = 4, 25
	ended := make(chan error, writers)
	for w := range writers {
		go func() { ended <- appendLines(door, w, each) }()
	}
	for range writers {
		must(t, <-ended)
	}
	seen := map[string]int{}
	for line := range strings.Lines(content(t, filepath.Join(dir, "f"))) {
		seen[line]++
	}
	for w := range writers {
		for n := range each {
			if line := fmt.Sprintf("%d %d\n", w, n); seen[line] != 1 {
				t.Errorf("line %q is there %d times", line, seen[line])
			}
		}
	}
	nothingStaged(t, dir)
}

func appendLines(door *home.Door, writer, lines int) error {
	for n := 0; n < lines; {
		f, err := door.Read("f")
		if err != nil {
			return err
		}
		_, err = door.Write("f", fmt.Appendf(f.Data, "%d %d\n", writer, n), f.Sum, 0o600)
		switch {
		case err == nil:
			n++
		case !errors.Is(err, home.ErrChanged):
			return err
		}
	}
	return nil
}
