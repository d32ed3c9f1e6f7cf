package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"corehost/reconcilers"
)

// BenchmarkEditToConverged measures the time from an edit of desired.yaml to
// the converged config.yaml, as somebody sees it who watches the folder.
func BenchmarkEditToConverged(b *testing.B) {
	h := newHost(b, setup{desired: wantModel("claude-x0x"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	var took []time.Duration
	i := 0
	for b.Loop() {
		i++
		name := "claude-x" + itoa(i) + "x"
		start := time.Now()
		h.write("desired.yaml", wantModel(name))
		for !strings.Contains(h.config(), name) {
			time.Sleep(50 * time.Microsecond) // the grain of the measurement
		}
		took = append(took, time.Since(start))
		h.await("the edit", func(s reconcilers.Status) bool { return s.Converged && s.Revision == int64(i+1) })
	}
	report(b, took)
}

// BenchmarkFloor measures what no operator can beat: an event of the folder,
// then a temporary file, fsync, rename.
func BenchmarkFloor(b *testing.B) {
	dir := b.TempDir()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		b.Fatal(err)
	}
	defer watcher.Close()
	if err := watcher.Add(dir); err != nil {
		b.Fatal(err)
	}
	go func() {
		for e := range watcher.Events {
			if filepath.Base(e.Name) == "desired.yaml" && e.Has(fsnotify.Create) {
				data, _ := os.ReadFile(e.Name)
				replace(dir, data)
			}
		}
	}()
	var took []time.Duration
	i := 0
	for b.Loop() {
		i++
		text := itoa(i) + "\n"
		start := time.Now()
		path := filepath.Join(dir, "desired.yaml")
		_ = os.WriteFile(path+".new", []byte(text), 0o600)
		_ = os.Rename(path+".new", path)
		for {
			if data, _ := os.ReadFile(filepath.Join(dir, "config.yaml")); string(data) == text {
				break
			}
			time.Sleep(50 * time.Microsecond)
		}
		took = append(took, time.Since(start))
	}
	report(b, took)
}

func replace(dir string, data []byte) {
	temp := filepath.Join(dir, "config.tmp")
	f, err := os.Create(temp)
	if err != nil {
		return
	}
	_, _ = f.Write(data)
	_ = f.Sync()
	_ = f.Close()
	_ = os.Rename(temp, filepath.Join(dir, "config.yaml"))
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
}
