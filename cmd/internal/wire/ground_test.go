package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/config/home"
)

func TestDaemonEndsWhenItsGroundIsGone(t *testing.T) {
	for name, take := range map[string]func(dir string) error{
		"the journal is removed": func(dir string) error { return os.Remove(filepath.Join(dir, home.OperatorFile)) },
		"the home is replaced": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700))
		},
		"the lock is removed": func(dir string) error { return os.RemoveAll(filepath.Join(dir, home.RunDir)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "home")
			i, err := Open(t.Context(), options(dir, true))
			if err != nil {
				t.Fatal(err)
			}
			defer i.Close()
			ended := make(chan error, 1)
			go func() { ended <- i.Run(t.Context()) }()
			if err := take(dir); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), dir) {
					t.Errorf("ended with %v, want ErrGone and the path", err)
				}
			case <-time.After(30 * time.Second):
				t.Error("the daemon goes on over what is gone")
			}
		})
	}
}
