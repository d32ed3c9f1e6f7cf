package home_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"corehost/config/home"
)

func TestKeepHoldsTheContentBeforeTheNextWrite(t *testing.T) {
	door, dir := open(t)
	name, kept := filepath.Join(dir, "f"), filepath.Join(dir, "f.bak")
	write(t, name, "one", 0o640)
	write(t, kept, "zero", 0o600)
	for _, want := range []string{"one", "two"} { // the second Keep finds the first one's link
		now := home.SumOf([]byte(want))
		must(t, door.Keep("f", "f.bak", now))
		must(t, door.Keep("f", "f.bak", now)) // twice is harmless
		if _, err := door.Write("f", []byte("two"), now, 0o600); err != nil {
			t.Fatal(err)
		}
		if content(t, name) != "two" || content(t, kept) != want {
			t.Errorf("after the write f is %q and the copy %q, want the copy to be %q", content(t, name), content(t, kept), want)
		}
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode of the copy: %v, %v", info.Mode(), err)
	}
	nothingStaged(t, dir)
}

func TestKeepRefuses(t *testing.T) {
	door, dir := open(t)
	write(t, filepath.Join(dir, "f"), "new", 0o600)
	write(t, filepath.Join(dir, "f.bak"), "old", 0o600)
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, os.Symlink("/etc/hostname", filepath.Join(dir, "out")))
	for _, c := range []struct {
		name, from, to string
		sum            home.Sum
		want           error
	}{
		{"another content", "f", "f.bak", home.SumOf([]byte("else")), home.ErrChanged},
		{"a folder as the copy", "f", "folder", home.SumOf([]byte("new")), home.ErrNotRegular},
		{"a copy outside", "f", "out", home.SumOf([]byte("new")), home.ErrEscape},
		{"nothing to keep", "none", "f.bak", home.NoFile, os.ErrNotExist},
	} {
		if err := door.Keep(c.from, c.to, c.sum); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if got := content(t, filepath.Join(dir, "f.bak")); got != "old" {
		t.Errorf("a refused Keep changed the copy to %q", got)
	}
	nothingStaged(t, dir)
}
