package home_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"corehost/config/home"
)

func TestReplaceKeepsWhatItDisplaces(t *testing.T) {
	door, dir := open(t)
	name, kept := filepath.Join(dir, "f"), filepath.Join(dir, "f.bak")
	write(t, name, "one", 0o640)
	write(t, kept, "zero", 0o600)
	for _, step := range []struct{ have, put string }{{"one", "two"}, {"two", "three"}} {
		if _, err := door.Replace("f", "f.bak", []byte(step.put), home.SumOf([]byte(step.have)), 0o600); err != nil {
			t.Fatal(err)
		}
		if content(t, name) != step.put || content(t, kept) != step.have {
			t.Errorf("f is %q and the copy %q, want %q and %q", content(t, name), content(t, kept), step.put, step.have)
		}
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode of the copy: %v, %v", info.Mode(), err)
	}
	nothingStaged(t, dir)
}

func TestReplaceRefuses(t *testing.T) {
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
	} {
		if err := func() error {
			_, err := door.Replace(c.from, c.to, []byte("next"), c.sum, 0o600)
			return err
		}(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	if content(t, filepath.Join(dir, "f")) != "new" || content(t, filepath.Join(dir, "f.bak")) != "old" {
		t.Error("a refused write changed something")
	}
	nothingStaged(t, dir)
}
