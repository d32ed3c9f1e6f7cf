package folder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"corehost/observers/folder"
)

// watch starts to watch dir for one name; woken tells of each wake, ended how
// it ended.
func watch(ctx context.Context, t *testing.T, dir string) (woken chan bool, ended chan error) {
	t.Helper()
	woken, ended = make(chan bool, 1000), make(chan error, 1)
	go func() {
		ended <- folder.Watch(ctx, dir, folder.Named("config.yaml"), func() { woken <- true })
	}()
	return woken, ended
}

func await[T any](t *testing.T, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

func TestWakesForTheNamedFileOnly(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	woken, ended := watch(ctx, t, dir)
	await(t, woken, "the beginning")

	write(t, filepath.Join(dir, "operator.db"), "noise")
	write(t, filepath.Join(dir, "config.yaml.tmp"), "new")
	rename(t, filepath.Join(dir, "config.yaml.tmp"), filepath.Join(dir, "config.yaml"))
	await(t, woken, "the rename an editor does")
	if len(woken) != 0 {
		t.Errorf("%d wakes more for one rename", len(woken))
	}
	cancel()
	if err := await(t, ended, "the end"); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestEndsWithTheFolder(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"removed": func(t *testing.T, dir string) {
			if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
		},
		"moved away": func(t *testing.T, dir string) { rename(t, dir, dir+".old") },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "home")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			woken, ended := watch(t.Context(), t, dir)
			await(t, woken, "the beginning")
			end(t, dir)
			if err := await(t, ended, "the end"); !errors.Is(err, folder.ErrGone) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	_, ended := watch(t.Context(), t, filepath.Join(t.TempDir(), "none"))
	if err := await(t, ended, "the refusal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ended with %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
