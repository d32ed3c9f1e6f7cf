package backup_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
	"corehost/observers/backup"
)

const (
	older = "core-20260101T000000Z.tar.gz"
	newer = "core-20261121T030000Z.tar.gz"
)

// made is when the archives of these tests were written.
var made = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)

func archive(t *testing.T, dir, name string) {
	t.Helper()
	write(t, filepath.Join(dir, name), name, made)
}

func sum(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name))) }

func write(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
	must(t, os.Chtimes(path, at, at))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, dir string) []observers.BackupFile {
	t.Helper()
	got, err := backup.New(dir).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Dir != dir {
		t.Errorf("Dir %q", got.Dir)
	}
	return got.Files
}

func TestNewestFirstAndOnlyWhatIsNamedSo(t *testing.T) {
	dir := t.TempDir()
	archive(t, dir, older)
	archive(t, dir, newer)
	for _, other := range []string{
		"core-20261121T030000Z.tar", "core-20261121T030000.tar.gz", "core-2026-11-21.tar.gz", "core-20261321T030000Z.tar.gz",
		"core-20260231T030000Z.tar.gz", "score-20261121T030000Z.tar.gz", "core-20261121T030000Z.tar.gz.part", "CORE-20261121T030000Z.tar.gz", "notes.txt",
	} {
		archive(t, dir, other)
	}
	must(t, os.Symlink(older, filepath.Join(dir, "core-20260202T000000Z.tar.gz")))
	must(t, os.Mkdir(filepath.Join(dir, "core-20260303T000000Z.tar.gz"), 0o700))
	var names []string
	for _, f := range list(t, dir) {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{newer, older}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDescription(t *testing.T) {
	dir := t.TempDir()
	archive(t, dir, newer)
	got := list(t, dir)[0]
	if got.Stamp != made || got.Size != int64(len(newer)) || got.Finished || got.Verified || got.Sum != "" || got.Identity == "" {
		t.Errorf("%+v", got)
	}
	if again := list(t, dir)[0]; again != got {
		t.Errorf("an untouched file changed its identity: %+v", again)
	}
	must(t, os.WriteFile(filepath.Join(dir, newer), []byte(strings.Repeat("x", len(newer))), 0o600))
	must(t, os.Chtimes(filepath.Join(dir, newer), made, made))
	if now := list(t, dir)[0]; now.Identity == got.Identity {
		t.Error("a file with other bytes, the same size and the same time kept its identity")
	}
}

func TestChecksumFile(t *testing.T) {
	good := sum(newer) + "  " + newer + "\n"
	tests := map[string]struct {
		text               string
		at                 time.Time
		finished, verified bool
	}{
		"as sha256sum prints":       {good, made.Add(time.Second), true, true},
		"of the same moment":        {good, made, true, true},
		"binary mode":               {sum(newer) + " *" + newer + "\n", made, true, true},
		"older than the archive":    {good, made.Add(-time.Nanosecond), true, false},
		"cut off":                   {good[:len(good)-1], made, false, false},
		"empty":                     {"", made, false, false},
		"of another file":           {sum(newer) + "  " + older + "\n", made, false, false},
		"with a path":               {sum(newer) + "  /tmp/" + newer + "\n", made, false, false},
		"two lines":                 {good + good, made, false, false},
		"upper case":                {strings.ToUpper(sum(newer)) + "  " + newer + "\n", made, false, false},
		"not hexadecimal":           {strings.Repeat("g", 64) + "  " + newer + "\n", made, false, false},
		"a digit short":             {good[1:], made, false, false},
		"much too long":             {good + strings.Repeat("#", 1<<20), made, false, false},
		"carriage return":           {sum(newer) + "  " + newer + "\r\n", made, false, false},
		"with NULs instead of text": {strings.Repeat("\x00", 100), made, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			archive(t, dir, newer)
			write(t, filepath.Join(dir, newer+".sha256"), test.text, test.at)
			got := list(t, dir)[0]
			if got.Finished != test.finished || got.Verified != test.verified {
				t.Errorf("finished %t verified %t, want %t %t", got.Finished, got.Verified, test.finished, test.verified)
			}
			if test.finished != (got.Sum == sum(newer)) {
				t.Errorf("sum %q", got.Sum)
			}
		})
	}
}

func TestChecksumThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	archive(t, dir, older)
	archive(t, dir, newer)
	write(t, filepath.Join(dir, "sum"), sum(older)+"  "+older+"\n", made)
	must(t, os.Symlink("sum", filepath.Join(dir, older+".sha256")))
	must(t, os.Mkdir(filepath.Join(dir, newer+".sha256"), 0o700))
	for _, f := range list(t, dir) {
		if f.Finished {
			t.Errorf("%s counts as finished", f.Name)
		}
	}
}

func TestFolderThatIsNotThereIsEmpty(t *testing.T) {
	if got := list(t, filepath.Join(t.TempDir(), "none")); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestFileInPlaceOfTheFolderIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "backups")
	write(t, path, "", made)
	if got, err := backup.New(path).Observe(t.Context()); err == nil {
		t.Errorf("%+v", got)
	}
}

func TestHugeFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	at := made
	for range 10_050 {
		at = at.Add(time.Second)
		must(t, os.WriteFile(filepath.Join(dir, at.Format("core-20060102T150405Z.tar.gz")), nil, fs.FileMode(0o600)))
	}
	got := list(t, dir)
	if len(got) != 10_000 || got[0].Stamp != at {
		t.Errorf("%d listed, newest %s of %s", len(got), got[0].Stamp, at)
	}
}

func TestWakesWhenABackupIsFinishedNotWhileItGrows(t *testing.T) {
	dir := t.TempDir()
	archive(t, dir, older)
	archive(t, dir, newer)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	woken := make(chan bool, 1000)
	go backup.New(dir).Wake(ctx, func() { woken <- true })
	<-woken                        // it watches
	growing := make([]*os.File, 2) // the kernel makes one event of many for the same file
	for i, name := range []string{older, newer} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		defer f.Close()
		growing[i] = f
	}
	for i := range 100 {
		_, err := growing[i%2].WriteString("more")
		must(t, err)
	}
	write(t, filepath.Join(dir, newer+".sha256"), sum(newer)+"  "+newer+"\n", made)
	select {
	case <-woken:
	case <-ctx.Done():
		t.Fatal("nobody was told of the checksum")
	}
	n := 1
	for quiet := false; !quiet; n++ {
		select {
		case <-woken:
		case <-time.After(200 * time.Millisecond):
			quiet = true
		}
	}
	if n > 20 { // making the checksum file takes a handful
		t.Errorf("woken %d times: by an archive that grows", n)
	}
}
