package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
	"corehost/observers/vault"
)

func TestObserve(t *testing.T) {
	tests := map[string]struct {
		make func(t *testing.T, store, key string)
		want observers.VaultFiles
	}{
		"no vault": {func(*testing.T, string, string) {}, observers.VaultFiles{KeyOwner: -1}},
		"both": {func(t *testing.T, store, key string) {
			write(t, store, "12345", 0o600)
			write(t, key, "123", 0o400)
		}, observers.VaultFiles{StoreExists: true, StoreSize: 5, KeyExists: true, KeyMode: 0o400, KeySize: 3, KeyOwner: os.Geteuid(), KeyRegular: true}},
		"key is lost": {func(t *testing.T, store, _ string) { write(t, store, "12345", 0o600) },
			observers.VaultFiles{StoreExists: true, StoreSize: 5, KeyOwner: -1}},
		"key for everybody": {func(t *testing.T, _, key string) { write(t, key, "123", 0o644) },
			observers.VaultFiles{KeyExists: true, KeyMode: 0o644, KeySize: 3, KeyOwner: os.Geteuid(), KeyRegular: true}},
		"key is a dangling link": {func(t *testing.T, _, key string) { must(t, os.Symlink("/nowhere", key)) },
			observers.VaultFiles{KeyExists: true, KeyMode: 0o777, KeySize: 8, KeyOwner: os.Geteuid()}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			test.want.StorePath, test.want.KeyPath = filepath.Join(dir, "secrets.db"), filepath.Join(dir, ".kek")
			test.make(t, test.want.StorePath, test.want.KeyPath)
			got, err := vault.New(dir).Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHomeThatIsAFileIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home")
	write(t, file, "", 0o600)
	if got, err := vault.New(file).Observe(t.Context()); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestWakesWhenTheKeyIsOpenedToOthers(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, ".kek")
	write(t, key, "123", 0o400)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	woken := make(chan bool, 100)
	go vault.New(dir).Wake(ctx, func() { woken <- true })
	<-woken // it watches
	must(t, os.Chmod(key, 0o644))
	select {
	case <-woken:
	case <-ctx.Done():
		t.Error("nobody was told")
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), mode))
	must(t, os.Chmod(path, mode))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
