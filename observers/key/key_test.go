package key_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/config/home"
	"corehost/observers/key"
)

func observe(t *testing.T, env string, environ ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if env != "" {
		if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(env), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := observer(t, dir, environ...).Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got.Sources
}

func observer(t *testing.T, dir string, environ ...string) *key.Key {
	t.Helper()
	door, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { door.Close() })
	return key.New(key.Config{
		Door:    door,
		Environ: func() []string { return environ },
		Listed:  func() []string { return []string{"OLLAMA_HOST"} },
	})
}

func TestFile(t *testing.T) {
	tests := map[string]struct {
		file string
		want string // the names, in order of the alphabet
	}{
		"plain":                    {"A_KEY=sk-abcd1234\n", "A_KEY"},
		"no newline at the end":    {"A_KEY=sk-abcd1234", "A_KEY"},
		"export":                   {"export A_KEY=sk-abcd1234\n  export\tB_KEY=x\n", "A_KEY"},
		"spaces":                   {"  A_KEY = sk-abcd1234  \n", "A_KEY"},
		"double quotes":            {"A_KEY=\"sk-abcd1234\"\n", "A_KEY"},
		"single quotes":            {"A_KEY='sk-abcd1234'\n", "A_KEY"},
		"CRLF":                     {"A_KEY=sk-abcd1234\r\nB_TOKEN='sk-abcd1234'\r\n", "A_KEY B_TOKEN"},
		"byte order mark":          {"\ufeffA_KEY=sk-abcd1234\n", "A_KEY"},
		"comment":                  {"# A_KEY=sk-abcd1234\n#B_KEY=sk-abcd1234\n", ""},
		"only a comment behind it": {"A_KEY= # put it here\nB_KEY=#none\n", ""},
		"comment behind a value":   {"A_KEY=sk-abcd1234 # mine\n", "A_KEY"},
		"number sign in a value":   {"A_KEY=sk-#abcd1234\n", "A_KEY"},
		"comment behind quotes":    {"A_KEY=\"sk-abcd1234\" # mine\nB_KEY=sk-abcd1234\n", "A_KEY B_KEY"},
		"placeholders":             {"A_KEY=changeme\nB_KEY=***\nC_KEY=abc\nD_KEY=\nE_KEY=\"\"\n", ""},
		"last one wins":            {"A_KEY=sk-abcd1234\nA_KEY=changeme\nB_KEY=changeme\nB_KEY=sk-abcd1234\n", "B_KEY"},
		"names that are no keys":   {"PATH=/usr/bin\nKEYBOARD=german\nOLLAMA_HOST=http://127.0.0.1:11434\n", "OLLAMA_HOST"},
		"broken lines":             {"=\n==\nfoo\n1_KEY=sk-abcd1234\nA KEY=sk-abcd1234\nA-B_KEY=sk-abcd1234\nB_KEY=sk-abcd1234\n", "B_KEY"},
		"several lines":            {"CERT='-----BEGIN\nB_KEY=sk-abcd1234\n-----END'\nA_KEY=sk-abcd1234\n", "A_KEY"},
		"quote never closed":       {"A_KEY=\"sk-abcd1234\nB_KEY=sk-abcd1234\n", "A_KEY B_KEY"},
		"escaped quote":            {"A_KEY=\"sk-\\\"abcd1234\"\nB_KEY=sk-abcd1234\n", "A_KEY B_KEY"},
		"NUL and invalid UTF-8":    {"\x00\xff=\nA_KEY=sk-abcd1234\n", "A_KEY"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var names []string
			for name, source := range observe(t, test.file) {
				if source != ".env" {
					t.Errorf("%s comes from %q", name, source)
				}
				names = append(names, name)
			}
			want := map[string]bool{}
			for _, n := range strings.Fields(test.want) {
				want[n] = true
			}
			got := map[string]bool{}
			for _, n := range names {
				got[n] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSources(t *testing.T) {
	got := observe(t, "A_KEY=sk-abcd1234\nB_KEY=changeme\n",
		"A_KEY=sk-other123", "B_KEY=sk-other123", "C_TOKEN=tok-1234", "D_KEY=changeme", "HOME=/root", "BROKEN", "=C:=x")
	want := map[string]string{"A_KEY": ".env", "B_KEY": "environment", "C_TOKEN": "environment"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoFileIsNoError(t *testing.T) {
	if got := observe(t, ""); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestFolderInPlaceOfTheFileIsAnErrorWithoutValues(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".env"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := observer(t, dir, "A_KEY=sk-abcd1234").Observe(t.Context()); err == nil || strings.Contains(err.Error(), "abcd") {
		t.Errorf("%v, %v", got, err)
	}
}

func TestValuesAreNotKept(t *testing.T) {
	const secret = "sk-very-secret-9876"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("A_KEY="+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := observer(t, dir, "B_KEY="+secret+"2")
	got, err := o.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%#v", got); strings.Contains(text, "9876") {
		t.Errorf("a value is in the reading: %s", text)
	}
}

func TestWakesWhenTheFileAppears(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	woken := make(chan bool, 1000)
	go observer(t, dir).Wake(ctx, func() { woken <- true })
	<-woken // it watches
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("A_KEY=sk-abcd1234\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-woken:
	case <-ctx.Done():
		t.Error("nobody was told")
	}
}
