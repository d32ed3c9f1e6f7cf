package platform_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"corehost/config/home"
)

// leftover is the name under which a write of content over another is staged.
func leftover(of, content, over string) string {
	part := func(text string) string { return string(home.SumOf([]byte(text)))[:12] }
	return ".corehost-" + of + "-" + part(content) + "-" + part(over) + "-0a1b2c3d"
}

func TestRecoverClearsWhatIsKnownAndKeepsTheRest(t *testing.T) {
	dir := t.TempDir()
	f := install(t, dir, sample)
	must(t, os.WriteFile(f.bak, []byte("older"), 0o600))
	for name, text := range map[string]string{
		leftover("config.yaml", "staged", sample):   "staged",         // killed before the swap
		leftover("config.yaml", sample, "before"):   "before",         // killed after the swap, before the backup got its name
		leftover("config.yaml", "x", sample):        "",               // killed before the first byte
		leftover("config.yaml.bak", "x", ""):        sample,           // killed while a copy was made
		leftover("config.yaml", sample, "not this"): "model: by hand", // somebody wrote at that very moment
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	kept, err := f.Recover()
	must(t, err)
	if len(kept) != 1 || !strings.HasPrefix(kept[0], "config.yaml.displaced-") {
		t.Fatalf("kept %v, want the edit by hand alone", kept)
	}
	if got := content(t, filepath.Join(dir, kept[0])); got != "model: by hand" {
		t.Errorf("kept %q", got)
	}
	if content(t, f.config) != sample || content(t, f.bak) != "before" {
		t.Errorf("config.yaml is %q, its backup %q", content(t, f.config), content(t, f.bak))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".corehost-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if kept, err = f.Recover(); err != nil || len(kept) != 0 {
		t.Errorf("a second time: %v, %v", kept, err)
	}
}
