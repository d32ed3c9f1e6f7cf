package platform_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
)

const sample = "# mine\nmodel:\n  provider: a # p\n  default: b\n"

type installation struct {
	*platform.File
	config, bak string // paths
}

func install(t *testing.T, dir, config string) installation {
	t.Helper()
	door, err := home.Open(dir)
	must(t, err)
	t.Cleanup(func() { _ = door.Close() })
	i := installation{platform.NewFile(door), filepath.Join(dir, "config.yaml"), filepath.Join(dir, "config.yaml.bak")}
	if config != "" {
		must(t, os.WriteFile(i.config, []byte(config), 0o640))
	}
	return i
}

func TestFileEditKeepsTheBytesBefore(t *testing.T) {
	f := install(t, t.TempDir(), sample)
	must(t, os.WriteFile(f.bak, []byte("older"), 0o644))
	before, c, err := f.Read()
	must(t, err)
	if c.Provider != "a" || c.Model != "b" {
		t.Fatalf("read %+v", c)
	}
	after, err := f.Edit(before.Sum, yamledit.Set(platform.KeyProvider, "openai"), yamledit.Set(platform.KeyModel, "gpt"))
	must(t, err)
	want := "# mine\nmodel:\n  provider: openai # p\n  default: gpt\n"
	if got := content(t, f.config); got != want || string(after.Data) != want || after.Sum != home.SumOf([]byte(want)) {
		t.Errorf("config.yaml is %q", got)
	}
	if got := content(t, f.bak); got != sample {
		t.Errorf("config.yaml.bak is %q, not the bytes before the whole change", got)
	}
	for _, name := range []string{f.config, f.bak} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode of %s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestFileEditThatChangesNothingWritesNothing(t *testing.T) {
	f := install(t, t.TempDir(), sample)
	before, _, err := f.Read()
	must(t, err)
	info, err := os.Stat(f.config)
	must(t, err)
	after, err := f.Edit(before.Sum, yamledit.Set(platform.KeyProvider, "a"), yamledit.Remove(platform.KeyEffort))
	must(t, err)
	now, err := os.Stat(f.config)
	if err != nil || after.Sum != before.Sum || !os.SameFile(info, now) {
		t.Errorf("written: %v", err)
	}
	if _, err := os.Stat(f.bak); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy was made: %v", err)
	}
}

func TestFileThatIsNotThere(t *testing.T) {
	f := install(t, t.TempDir(), "")
	file, c, err := f.Read()
	must(t, err)
	if file.Sum != home.NoFile || c.Provider != "" {
		t.Errorf("read %+v, %+v", file, c)
	}
	_, err = f.Edit(home.NoFile, yamledit.Set(platform.KeyProvider, "openai"))
	must(t, err)
	if got := content(t, f.config); got != "model:\n  provider: openai\n" {
		t.Errorf("config.yaml is %q", got)
	}
	if info, err := os.Stat(f.config); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(f.bak); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy of nothing: %v", err)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	set := yamledit.Set(platform.KeyProvider, "x")
	tests := []struct {
		name   string
		config string
		make   func(t *testing.T, f installation)
		check  func(err error) bool
	}{
		{"does not parse", "model: [\n", nil, func(err error) bool { var p *platform.Problem; return errors.As(err, &p) && p.Line > 0 }},
		{"duplicate key", "a: 1\na: 2\n", nil, func(err error) bool { var p *platform.Problem; return errors.As(err, &p) && p.Line == 2 }},
		{"shared", "d: &d {provider: a}\nmodel: *d\n", nil, func(err error) bool { return errors.Is(err, yamledit.ErrShared) }},
		{"the copy is a folder", sample, func(t *testing.T, f installation) { must(t, os.Mkdir(f.bak, 0o700)) }, func(err error) bool { return errors.Is(err, home.ErrNotRegular) }},
		{"the copy leads out", sample, func(t *testing.T, f installation) { must(t, os.Symlink("/tmp/x", f.bak)) }, func(err error) bool { return errors.Is(err, home.ErrEscape) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := install(t, t.TempDir(), tt.config)
			if tt.make != nil {
				tt.make(t, f)
			}
			if _, err := f.Edit(home.SumOf([]byte(tt.config)), set); !tt.check(err) {
				t.Errorf("got %v", err)
			}
			if got := content(t, f.config); got != tt.config {
				t.Errorf("config.yaml is %q", got)
			}
		})
	}
}

func TestFileThatMoved(t *testing.T) {
	f := install(t, t.TempDir(), sample)
	old, _, err := f.Read()
	must(t, err)
	must(t, os.WriteFile(f.config, []byte("model: theirs\n"), 0o640))
	for name, err := range map[string]error{
		"edit":    second(f.Edit(old.Sum, yamledit.Set(platform.KeyProvider, "x"))),
		"restore": second(f.Restore(old.Sum, []byte("x: 1\n"))),
		"remove":  second(f.Restore(old.Sum, nil)),
		"create":  second(f.Edit(home.NoFile, yamledit.Set(platform.KeyProvider, "x"))),
	} {
		if !errors.Is(err, home.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := content(t, f.config); got != "model: theirs\n" {
		t.Errorf("config.yaml is %q", got)
	}
}

func TestRestoreBringsExactBytesBack(t *testing.T) {
	f := install(t, t.TempDir(), sample)
	exact := "\ufeffnot: [yaml\r\n"
	file, err := f.Restore(home.SumOf([]byte(sample)), []byte(exact))
	must(t, err)
	if content(t, f.config) != exact || content(t, f.bak) != sample {
		t.Error("not the exact bytes")
	}
	_, err = f.Restore(file.Sum, nil)
	must(t, err)
	if _, err := os.Stat(f.config); !errors.Is(err, fs.ErrNotExist) || content(t, f.bak) != exact {
		t.Errorf("there was no file before: %v", err)
	}
}

// A kill between any two steps leaves config.yaml as it was or as it shall
// be, and the copy holds the whole content of some time before.
func TestKilledEditLeavesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	f := install(t, dir, sample)
	for range 25 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		must(t, err)
		time.Sleep(time.Duration(rand.IntN(12_000)) * time.Microsecond) // the moment of the kill is the test's input
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		for _, name := range []string{f.config, f.bak} {
			data, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) && name == f.bak {
				continue
			}
			must(t, err)
			if c, p := platform.Parse(data); p != nil || c.Provider != "a" && c.Provider+"-model" != c.Model {
				t.Fatalf("%s is torn: %v\n%s", name, p, data)
			}
		}
	}
}

const childEnv = "COREHOST_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		fmt.Println(editForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func editForever(dir string) error {
	door, err := home.Open(dir)
	if err != nil {
		return err
	}
	f := platform.NewFile(door)
	fmt.Println("ready")
	for n := 0; ; n++ {
		file, _, err := f.Read()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("p%d", n)
		if _, err := f.Edit(file.Sum, yamledit.Set(platform.KeyProvider, name), yamledit.Set(platform.KeyModel, name+"-model")); err != nil {
			return err
		}
	}
}

func second(_ home.File, err error) error { return err }

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return string(data)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
