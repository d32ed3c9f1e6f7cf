//go:build pictures

package testhost

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/api"
)

var out = flag.String("out", "", "folder the pictures are written to")

// TestPictures makes the README's pictures from the product at work on a
// whole host: a day with a switch of the model that is not running yet.
func TestPictures(t *testing.T) {
	in := install(t)
	in.must("systemctl", "restart", "core-gateway", "core-dashboard")
	in.await("a calm host", func(s api.Status) bool { return s.Converged && len(s.Restart) == 0 })
	in.must("cli", "model", "reasoning", "high")
	in.must("cli", "model", "set", "anthropic", "claude-opus-4-7")
	in.must("systemctl", "restart", "core-dashboard")
	in.await("a curve to draw", func(api.Status) bool { return !strings.Contains(in.page("/"), "The curve begins") })
	for _, p := range []struct {
		name, path string
		flags      []string
	}{
		{"host", "/", nil},
		{"host-dark", "/", []string{"--blink-settings=preferredColorScheme=0"}},
		{"model", "/model", nil},
		{"activity", "/activity", nil},
	} {
		in.picture(p.name, p.path, p.flags...)
	}
}

// picture takes a page as headless Chromium on the host shows it.
func (in *installation) picture(name, path string, flags ...string) {
	in.Helper()
	ctx, cancel := context.WithTimeout(in.Context(), time.Minute)
	defer cancel()
	file := "/tmp/" + name + ".png"
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
		"--no-first-run", "--hide-scrollbars", "--user-data-dir=/tmp/profile-" + name, "--window-size=1280,1180", "--timeout=5000",
		"--screenshot=" + file}, append(flags, "http://127.0.0.1:7710"+path)...)
	if said, err := in.Host.Run(ctx, "chromium", args...); err != nil {
		in.Fatalf("%v\n%s", err, said)
	}
	data, err := in.Read(file)
	if err != nil {
		in.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*out, name+".png"), data, 0o644); err != nil {
		in.Fatal(err)
	}
}
