package retention_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/desired"
	"corehost/observers"
	"corehost/observers/backup"
	"corehost/reconcilers"
	"corehost/reconcilers/reconcilertest"
	"corehost/reconcilers/retention"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	newest  = "core-20261120T030000Z.tar.gz"
	second  = "core-20261119T030000Z.tar.gz"
	third   = "core-20261118T030000Z.tar.gz"
	oldest  = "core-20261117T030000Z.tar.gz"
	started = "core-20261101T030000Z.tar.gz"
)

// folder is a real backup folder with four good backups, one that was never
// finished and two files of somebody else.
type folder struct{ dir string }

func newFolder(t *testing.T) folder {
	t.Helper()
	f := folder{t.TempDir()}
	for _, name := range []string{newest, second, third, oldest} {
		f.add(t, name)
	}
	f.write(t, started, "half")
	f.write(t, "core-notes.txt", "mine")
	f.write(t, "core-20260101T000000Z.tar.gz.gpg", "mine too")
	return f
}

// add writes an archive, then its checksum, as a maker does.
func (f folder) add(t *testing.T, name string) {
	t.Helper()
	f.write(t, name, "archive "+name)
	sum := sha256.Sum256([]byte("archive " + name))
	f.write(t, name+".sha256", hex.EncodeToString(sum[:])+"  "+name+"\n")
}

func (f folder) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f folder) names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (f folder) observe(t *testing.T) *observers.Snapshot {
	t.Helper()
	value, err := backup.New(f.dir).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &observers.Snapshot{At: now, Backups: observers.Reading[observers.Backups]{Value: value, At: now, Interval: time.Minute}}
}

func keepLast(n int) *desired.Host {
	return &desired.Host{Spec: desired.Spec{Backup: &desired.Backup{Retention: &desired.Retention{KeepLast: n}}}}
}

func (f folder) plan(t *testing.T, keep int) []reconcilers.Change {
	t.Helper()
	changes, err := retention.New(backup.New(f.dir)).Plan(keepLast(keep), f.observe(t))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestSuite(t *testing.T) {
	reconcilertest.Run(t, reconcilertest.Case{New: func(t *testing.T) reconcilertest.Host {
		f := newFolder(t)
		return reconcilertest.Host{
			Reconciler: retention.New(backup.New(f.dir)),
			Want:       keepLast(2),
			Observe:    f.observe,
			Move: func(t *testing.T) {
				f.add(t, third)
				f.add(t, oldest)
			},
			State: func(t *testing.T) string { return strings.Join(f.names(t), "\n") },
			Shuffle: func(have *observers.Snapshot, r *rand.Rand) {
				files := have.Backups.Value.Files
				r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			},
		}
	}})
}

func TestPruneRemovesTheOldestFirstAndNothingElse(t *testing.T) {
	f := newFolder(t)
	before := f.names(t)
	changes := f.plan(t, 2)
	var objects []string
	for _, c := range changes {
		objects = append(objects, c.Object)
		if err := retention.New(backup.New(f.dir)).Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{oldest, third}, objects); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	gone := []string{oldest, oldest + ".sha256", third, third + ".sha256"}
	want := slices.DeleteFunc(before, func(name string) bool { return slices.Contains(gone, name) })
	if diff := cmp.Diff(want, f.names(t)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

func TestLastGoodOneIsNotRemovedBehindAStalePlan(t *testing.T) {
	f := newFolder(t)
	changes := f.plan(t, 2)
	for _, name := range []string{newest, second, third} {
		if err := os.Remove(filepath.Join(f.dir, name+".sha256")); err != nil {
			t.Fatal(err)
		}
	}
	before := f.names(t)
	if err := retention.New(backup.New(f.dir)).Apply(t.Context(), changes[0]); !errors.Is(err, reconcilers.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
	if diff := cmp.Diff(before, f.names(t)); diff != "" {
		t.Errorf("folder (-before +after):\n%s", diff)
	}
}

// A kill can come after each step of a removal; the next removal clears what
// it left, and nothing it left looks like a backup.
func TestKilledRemovalIsFinishedByTheNext(t *testing.T) {
	hidden := "." + oldest + ".pruned"
	for name, steps := range map[string]func(f folder) error{
		"after the rename": func(f folder) error {
			return os.Rename(filepath.Join(f.dir, oldest), filepath.Join(f.dir, hidden))
		},
		"after the checksum": func(f folder) error {
			return errors.Join(os.Rename(filepath.Join(f.dir, oldest), filepath.Join(f.dir, hidden)), os.Remove(filepath.Join(f.dir, oldest+".sha256")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			if err := steps(f); err != nil {
				t.Fatal(err)
			}
			for _, file := range f.observe(t).Backups.Value.Files {
				if strings.Contains(file.Name, oldest) {
					t.Errorf("%s still looks like a backup", file.Name)
				}
			}
			changes := f.plan(t, 2)
			if len(changes) != 1 || changes[0].Object != third {
				t.Fatalf("planned %+v", changes)
			}
			if err := retention.New(backup.New(f.dir)).Apply(t.Context(), changes[0]); err != nil {
				t.Fatal(err)
			}
			for _, left := range f.names(t) {
				if strings.Contains(left, oldest) || strings.Contains(left, third) {
					t.Errorf("%s was left", left)
				}
			}
		})
	}
}

func TestFolderThatIsNotThereIsConverged(t *testing.T) {
	f := folder{filepath.Join(t.TempDir(), "none")}
	if changes := f.plan(t, 1); len(changes) > 0 {
		t.Errorf("planned %+v", changes)
	}
}
