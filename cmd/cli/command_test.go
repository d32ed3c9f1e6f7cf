package main

import (
	"bytes"
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var updateScripts = flag.Bool("update", false, "write the golden parts of the scripts anew")

// invoke runs the command line in this process, in a home that does not exist.
func invoke(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := map[string]string{"CORE_HOME": t.TempDir() + "/none"}
	code = run(context.Background(), args, strings.NewReader(""), &out, &errs, func(k string) string { return env[k] })
	return code, out.String(), errs.String()
}

func TestUsageErrors(t *testing.T) {
	for line, want := range map[string]string{
		"statsu":                        "error: there is no command \"statsu\"\nhint: did you mean: cli status\n",
		"frobnicate":                    "error: there is no command \"frobnicate\"\nhint: cli --help lists the commands\n",
		"drift":                         "error: cli drift needs a command: list, adopt, ignore\nhint: cli drift --help says what each does\n",
		"drift lst":                     "error: there is no command \"drift lst\"\nhint: did you mean: cli drift list\n",
		"explain":                       "error: FIELD is missing\nhint: usage: cli explain FIELD [flags]\n",
		"status now":                    "error: \"now\" is one argument too many\nhint: usage: cli status [flags]\n",
		"rollback":                      "error: N is missing\nhint: usage: cli rollback N [flags]\n",
		"rollback x":                    "error: \"x\" is no revision number\nhint: cli history shows the revisions\n",
		"history 0":                     "error: \"0\" is no revision number\nhint: cli history shows the revisions\n",
		"history --limit 0":             "error: --limit 0 is not possible\nhint: name a number from 1 to 200\n",
		"status --output xml":           "error: --output xml is not possible\nhint: use text, json or yaml\n",
		"status --frob":                 "error: unknown flag: --frob\nhint: cli --help shows what is possible\n",
		"apply --try soon":              "error: --try \"soon\" is no duration\nhint: write a span like 60s or 5m\n",
		"drift ignore a.b":              "error: --until is missing\nhint: cli drift ignore a.b --until 24h\n",
		"drift ignore a.b --until soon": "error: --until \"soon\" is no time\nhint: write a span like 90m, 24h or 7d, or a time like 2026-12-24T18:00:00Z\n",
		"suspend --until 1999-01-01":    "error: --until 1999-01-01 is in the past\nhint: name a time that is still to come\n",
		"completion tcsh":               "error: there is no completion for \"tcsh\"\nhint: there is one for bash, zsh and fish\n",
		"events --kind Loud":            "error: there is no kind of event \"Loud\"\nhint: kinds are Started, Revised, Refused, Planned, Applied, Failed, Drifted, Healed, Adopted, Ignored, Observed, Restored, Tried, Confirmed, Reverted, Restarted\n",
		"model set":                     "error: PROVIDER is missing\nhint: usage: cli model set PROVIDER [MODEL] [flags]\n",
	} {
		t.Run(line, func(t *testing.T) {
			code, stdout, stderr := invoke(t, strings.Fields(line)...)
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if stdout != "" {
				t.Errorf("a usage error printed data: %q", stdout)
			}
			if diff := cmp.Diff(want, stderr); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryCommandHelps holds what a person may expect of each --help.
func TestEveryCommandHelps(t *testing.T) {
	a := &app{now: time.Now}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		if c.Name() == "help" {
			return
		}
		path := strings.Fields(c.CommandPath())[1:]
		code, help, stderr := invoke(t, append(path, "--help")...)
		if code != exitDone || stderr != "" {
			t.Errorf("%s --help: exit code %d, %s", c.CommandPath(), code, stderr)
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no short text or no example", c.CommandPath())
		}
		for line := range strings.Lines(help) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
				t.Errorf("%s --help has a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
	}
	walk(a.root())
}

func TestParseUntil(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, zone)
	for in, want := range map[string]time.Time{
		"90m":                  now.Add(90 * time.Minute),
		"7d":                   now.AddDate(0, 0, 7),
		"2026-12-24T18:00:00Z": time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC),
		"2026-12-24 18:00":     time.Date(2026, 12, 24, 18, 0, 0, 0, zone),
		"2026-12-24":           time.Date(2026, 12, 24, 0, 0, 0, 0, zone),
		"18:30":                time.Date(2026, 11, 21, 18, 30, 0, 0, zone),
		"06:30":                time.Date(2026, 11, 22, 6, 30, 0, 0, zone),
	} {
		if got, err := parseUntil(in, now); err != nil || !got.Equal(want) {
			t.Errorf("parseUntil(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "soon", "-1h", "0s", "99999999999d", "-3d", "2026-13-01", "2026-11-21"} {
		if got, err := parseUntil(in, now); err == nil {
			t.Errorf("parseUntil(%q) = %v, want an error", in, got)
		}
	}
}
