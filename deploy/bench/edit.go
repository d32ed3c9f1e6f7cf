package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// apart is the time between two edits: people do not save again before the
// journal of the first save is written.
const apart = 50 * time.Millisecond

// measureEdit times the way from a person's edit of desired.yaml to the
// converged config.yaml. The floor does the least that any operator must:
// hear of the edit, write a temporary file, fsync it, rename it. Both run in
// turn, on the same disk.
func measureEdit(ctx context.Context, o options) ([]row, error) {
	d, err := startDaemon(ctx, o.bin)
	if err != nil {
		return nil, err
	}
	defer d.close()
	floorDir, err := scratchHome()
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(floorDir) }()
	stop, err := startFloor(floorDir)
	if err != nil {
		return nil, err
	}
	defer stop()

	var ours, floor samples
	for i := 1; i <= o.rounds && ctx.Err() == nil; i++ {
		mark := fmt.Sprintf("m-%d", i)
		text := bytes.Replace([]byte(startDesired), []byte("m-0"), []byte(mark), 1)
		t, err := roundTrip(ctx, d.home, "desired.yaml", text, "config.yaml", "default: "+mark+"\n")
		if err != nil {
			return nil, fmt.Errorf("edit %d: %w", i, err)
		}
		ours = append(ours, t)
		pause(ctx, apart)
		t, err = roundTrip(ctx, floorDir, "in", text, "out", mark+"\n")
		if err != nil {
			return nil, fmt.Errorf("floor %d: %w", i, err)
		}
		floor = append(floor, t)
		pause(ctx, apart)
	}
	return []row{
		compare("edit to converged, median", ours.at(50), floor.at(50), 3),
		compare("edit to converged, p99", ours.at(99), floor.at(99), 3),
	}, nil
}

func compare(what string, ours, yardstick time.Duration, limit float64) row {
	ratio := float64(ours) / float64(yardstick)
	return row{what, round(ours), round(yardstick), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("at most %g times", limit), ratio <= limit}
}

// roundTrip renames new content over one file, as an editor does, and returns
// the time until another file of the folder holds the text that answers it.
func roundTrip(ctx context.Context, dir, in string, text []byte, out, want string) (time.Duration, error) {
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		return 0, err
	}
	defer func() { _ = watch.Close() }()
	if err := watch.Add(dir); err != nil {
		return 0, err
	}
	staged := filepath.Join(dir, ".edit")
	if err := os.WriteFile(staged, text, 0o600); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := os.Rename(staged, filepath.Join(dir, in)); err != nil {
		return 0, err
	}
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		data, err := os.ReadFile(filepath.Join(dir, out))
		if err == nil && bytes.Contains(data, []byte(want)) {
			return time.Since(began), nil
		}
		select {
		case <-watch.Events:
		case <-limit.C:
			return 0, fmt.Errorf("%s does not hold %q after 10 s", out, want)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// startFloor answers each change of dir/in by writing it to dir/out.
func startFloor(dir string) (stop func(), err error) {
	watch, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := watch.Add(dir); err != nil {
		return nil, err
	}
	go func() {
		for event := range watch.Events {
			if filepath.Base(event.Name) == "in" {
				_ = replace(dir)
			}
		}
	}()
	return func() { _ = watch.Close() }, nil
}

func replace(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "in"))
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, ".out"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, "out"))
}
