package desired_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/desired"
)

const head = "apiVersion: core.dev/v1alpha1\nkind: Host\n"

// full is the document of the contract, every key in it.
const full = head + `metadata:
  name: this-host
spec:
  suspend: false
  drift: heal
  model:
    provider: anthropic
    default: ""
  agent:
    reasoningEffort: high
  backup:
    schedule: "0 3 * * *"
    retention: {keepLast: 14, keepDaily: 0, keepWeekly: 0, keepMonthly: 0}
  vault:
    rotation: {maxAge: 2160h, remindBefore: 168h}
  units:
    - {name: core-gateway, state: running, restartOnConfigChange: false}
  signatures:
    minSessions: 2
    proposeAt: 3
    sweepInterval: 5m
    decisions: []
  reviews: {metaReviewer: auto}
  resident:
    repository: ""
    baseBranch: main
    testCommand: ["make", "test"]
    timeout: 15m
    pollInterval: 1m
    agentCommand: []
  notifications: []
  update: {repository: "", channel: stable, autoApply: false}
`

func decode(t *testing.T, src string) *desired.Host {
	t.Helper()
	host, err := desired.Decode("desired.yaml", []byte(src))
	if err != nil {
		t.Fatal(problems(err))
	}
	return host
}

// problems prints every problem of an error on a line.
func problems(err error) string {
	var invalid *desired.Invalid
	if !errors.As(err, &invalid) {
		return fmt.Sprint(err)
	}
	var b strings.Builder
	for _, p := range invalid.Problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

func TestDecodeTheContract(t *testing.T) {
	host := decode(t, full)
	provider, blank, schedule, effort := "anthropic", "", "0 3 * * *", desired.EffortHigh
	two, three := 2, 3
	want := &desired.Host{
		TypeMeta:   metav1.TypeMeta{APIVersion: desired.APIVersion, Kind: desired.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "this-host"},
		Spec: desired.Spec{
			Suspend: &desired.Suspend{},
			Drift:   desired.DriftHeal,
			Model:   &desired.Model{Provider: &provider, Default: &blank},
			Agent:   &desired.Agent{ReasoningEffort: &effort},
			Backup:  &desired.Backup{Schedule: &schedule, Retention: &desired.Retention{KeepLast: 14}},
			Vault:   &desired.Vault{Rotation: &desired.Rotation{MaxAge: *length(2160 * time.Hour), RemindBefore: *length(168 * time.Hour)}},
			Units:   []desired.Unit{{Name: "core-gateway", State: desired.UnitRunning}},
			Signatures: &desired.Signatures{
				MinSessions: &two, ProposeAt: &three, SweepInterval: length(5 * time.Minute),
			},
			Reviews: &desired.Reviews{MetaReviewer: "auto"},
			Resident: &desired.Resident{
				BaseBranch: "main", TestCommand: []string{"make", "test"},
				Timeout: length(15 * time.Minute), PollInterval: length(time.Minute),
			},
			Update: &desired.Update{Channel: "stable"},
		},
	}
	if diff := cmp.Diff(want, host); diff != "" {
		t.Error(diff)
	}
}

func length(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

// TestDecodeValues reads one value in the ways people write it.
func TestDecodeValues(t *testing.T) {
	until := metav1.NewTime(time.Date(2026, 1, 31, 18, 0, 0, 0, time.UTC))
	effort := func(h *desired.Host) any { return *h.Spec.Agent.ReasoningEffort }
	suspend := func(h *desired.Host) any { return *h.Spec.Suspend }
	cases := []struct {
		spec string
		get  func(h *desired.Host) any
		want any
	}{
		{"agent: {reasoningEffort: off}", effort, desired.EffortOff},
		{"agent: {reasoningEffort: \"off\"}", effort, desired.EffortOff},
		{"agent: {reasoningEffort: false}", effort, desired.EffortOff},
		{"agent: {reasoningEffort: low}", effort, desired.EffortLow},
		{"reviews: {metaReviewer: off}", func(h *desired.Host) any { return h.Spec.Reviews.MetaReviewer }, "off"},
		{"suspend: true", suspend, desired.Suspend{Active: true}},
		{"suspend: on", suspend, desired.Suspend{Active: true}},
		{"suspend: {}", suspend, desired.Suspend{Active: true}},
		{"suspend: {reason: moving disks}", suspend, desired.Suspend{Active: true, Reason: "moving disks"}},
		{"suspend: {until: 2026-01-31T18:00:00Z}", suspend, desired.Suspend{Active: true, Until: &until}},
		{"suspend: {until: \"2026-01-31T19:00:00+01:00\"}", suspend, desired.Suspend{Active: true, Until: &until}},
		{"suspend: {active: false, reason: done}", suspend, desired.Suspend{Reason: "done"}},
		{"suspend:", func(h *desired.Host) any { return h.Spec.Suspend == nil }, true},
		{"model:", func(h *desired.Host) any { return h.Spec.Model == nil }, true},
		{"model: {provider: null, default: ~}", func(h *desired.Host) any { return h.Spec.Model.Provider == nil && h.Spec.Model.Default == nil }, true},
		{"units:", func(h *desired.Host) any { return len(h.Spec.Units) }, 0},
		{"drift:", func(h *desired.Host) any { return h.Spec.Drift }, desired.DriftPolicy("")},
		{"backup: {retention: {keepLast: 1_000}}", func(h *desired.Host) any { return h.Spec.Backup.Retention.KeepLast }, 1000},
		{"backup: {retention: {keepLast: 0x10}}", func(h *desired.Host) any { return h.Spec.Backup.Retention.KeepLast }, 16},
		{"notifications: [{secret: profile/work/chat}]", func(h *desired.Host) any { return h.Spec.Notifications[0].Secret }, "profile/work/chat"},
		{"units: [{name: getty@tty1}]", func(h *desired.Host) any { return h.Spec.Units[0].Name }, "getty@tty1"},
		{"{\"model\": {\"provider\": \"x\"}}", func(h *desired.Host) any { return *h.Spec.Model.Provider }, "x"},
		{"\n    {drift: &d report, suspend: {reason: *d}}", func(h *desired.Host) any { return h.Spec.Suspend.Reason }, "report"},
		{"\n    units:\n    - &u {name: a, state: stopped}\n    - {<<: *u, name: b}", func(h *desired.Host) any { return h.Spec.Units[1] },
			desired.Unit{Name: "b", State: desired.UnitStopped}},
		{"\n    units:\n    - &u {name: a, state: stopped}\n    - &v {name: x, restartOnConfigChange: true}\n    - {name: c, <<: [*u, *v]}",
			func(h *desired.Host) any { return h.Spec.Units[2] }, desired.Unit{Name: "c", State: desired.UnitStopped, RestartOnConfigChange: true}},
	}
	for _, c := range cases {
		t.Run(c.spec, func(t *testing.T) {
			src := head + "spec:\n  " + c.spec + "\n"
			if strings.HasPrefix(c.spec, "{") || strings.HasPrefix(c.spec, "\n") {
				src = head + "spec: " + c.spec + "\n"
			}
			if diff := cmp.Diff(c.want, c.get(decode(t, src))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecodeProblems: place, words and hint of what is wrong. The spec begins
// in line 4.
func TestDecodeProblems(t *testing.T) {
	cases := []struct{ spec, want string }{
		{"drft: heal", `4:3: spec.drft: unknown key "drft"; did you mean "drift"?`},
		{"agent: {reasoning_effort: high}", `4:11: spec.agent.reasoning_effort: unknown key "reasoning_effort"; did you mean "reasoningEffort"?`},
		{"keepLast: 3", `4:3: spec.keepLast: unknown key "keepLast"; it belongs to spec.backup.retention.keepLast`},
		{"model: {xyzzy: 1}", `4:11: spec.model.xyzzy: unknown key "xyzzy"; known here: default, provider`},
		{"1: x", `4:3: spec.1: unknown key "1"`},
		{"? [a]\n  : b", `a key must be a plain name, this is a list`},
		{"model: anthropic", `4:10: spec.model: expected a mapping, got text`},
		{"model: [a]", `4:10: spec.model: expected a mapping, got a list`},
		{"model: {provider: [a]}", `4:21: spec.model.provider: expected text, got a list`},
		{"model: {default: 4}", `4:20: spec.model.default: expected text, got a number; put it in quotes`},
		{"model: {default: 2026-01-31}", `4:20: spec.model.default: expected text, got a date; put it in quotes`},
		{"model: {provider: \"\"}", `4:21: spec.model.provider: is blank; leave the key out to manage nothing`},
		{"model: {provider: \"a b\"}", `4:21: spec.model.provider: has spaces`},
		{"units: {name: a}", `4:10: spec.units: expected a list, got a mapping`},
		{"units: [a]", `4:11: spec.units[0]: expected a mapping, got text`},
		{"units: [{state: running}]", `4:11: spec.units[0].name: the unit has no name`},
		{"units: [{name: core-gateway.service}]", `4:18: spec.units[core-gateway.service].name: a unit is named without its suffix; write "core-gateway"`},
		{"units: [{name: core.socket}]", `only service units are managed, not socket units`},
		{"units: [{name: \"a b\"}]", `this is not a unit name`},
		{"units: [{name: \"foo@\"}]", `this is not a unit name`},
		{"units: [{name: ../a}]", `this is not a unit name`},
		{"units: [{name: a}, {name: a}]", `4:29: spec.units[1].name: "a" is listed twice`},
		{"units: [" + strings.Repeat("{name: a}, ", 201) + "]", `4:10: spec.units: has 201 units; at most 200 are managed`},
		{"units: [{name: a, state: started}]", `4:28: spec.units[a].state: "started" is not known; it is one of running, stopped`},
		{"units: [{name: a, state: Running}]", `did you mean "running"?`},
		{"units: [{name: a, restartOnConfigChange: \"yes\"}]", `expected true or false, got text; remove the quotes`},
		{"drift: hael", `4:10: spec.drift: "hael" is not known; did you mean "heal"?`},
		{"drift: \"\"", `4:10: spec.drift: the value is missing; it is one of heal, report`},
		{"suspend: 1", `4:12: spec.suspend: expected true, false or a mapping with reason and until, got a number`},
		{"suspend: \"true\"", `remove the quotes`},
		{"suspend: {until: tomorrow}", `4:20: spec.suspend.until: this is not a time with date and zone; write it as 2026-01-31T18:00:00Z`},
		{"suspend: {until: 2026-01-31}", `4:20: spec.suspend.until: this is not a time with date and zone`},
		{"agent: {reasoningEffort: medum}", `did you mean "medium"?`},
		{"agent: {reasoningEffort: true}", `expected text, got true or false`},
		{"backup: {schedule: \"\"}", `is blank`},
		{"backup: {schedule: daily}", `expected five fields (minute hour day month weekday), got 1`},
		{"backup: {retention: {keepLast: 1.5}}", `expected a number, got a number with a fraction`},
		{"backup: {retention: {keepLast: \"14\"}}", `expected a number, got text; remove the quotes`},
		{"backup: {retention: {keepLast: many}}", `4:34: spec.backup.retention.keepLast: expected a number, got text`},
		{"backup: {retention: {keepLast: 014}}", `leading zero`},
		{"backup: {retention: {keepLast: 99999999999999999999}}", `4:34: spec.backup.retention.keepLast: the number is out of range`},
		{"backup: {retention: {keepDaily: -1}}", `4:35: spec.backup.retention.keepDaily: must be between 0 and 100000`},
		{"backup: {retention: {keepLast: 0}}", `4:23: spec.backup.retention: keeps nothing`},
		{"backup: {retention: {}}", `spec.backup.retention: keeps nothing`},
		{"vault: {rotation: {maxAge: 90d}}", `4:30: spec.vault.rotation.maxAge: this is not a duration; days are written in hours: 2160h`},
		{"vault: {rotation: {maxAge: 99999999999h}}", `4:30: spec.vault.rotation.maxAge: the duration is out of range`},
		{"vault: {rotation: {maxAge: \"\"}}", `this is not a duration`},
		{"vault: {rotation: {maxAge: 90}}", `expected a duration, got a number; write it with its unit`},
		{"vault: {rotation: {maxAge: -1h}}", `must be at least 1s`},
		{"vault: {rotation: {maxAge: 24h}}", `4:21: spec.vault.rotation: remindBefore (168h0m0s) must be shorter than maxAge (24h0m0s)`},
		{"signatures: {minSessions: 0}", `must be at least 1`},
		{"signatures: {sweepInterval: 0s}", `must be at least 1s`},
		{"signatures: {decisions: [{id: sig_12, status: approved}]}", `this is not the id of a pattern`},
		{"signatures: {decisions: [{id: sig_0123456789ab, status: aproved}]}", `did you mean "approved"?`},
		{"signatures: {decisions: [{id: sig_0123456789ab}]}", `spec.signatures.decisions[sig_0123456789ab].status: the value is missing; it is one of approved, dismissed`},
		{"signatures: {decisions: [{id: sig_0123456789ab, status: approved}, {id: sig_0123456789ab, status: dismissed}]}", `is decided twice`},
		{"reviews: {metaReviewer: never}", `it is one of auto, off`},
		{"resident: {timeout: 0s}", `must be at least 1s`},
		{"resident: {testCommand: make test}", `expected a list, got text`},
		{"resident: {testCommand: [\"\"]}", `the program, is blank`},
		{"resident: {testCommand: [make, 1]}", `spec.resident.testCommand[1]: expected text, got a number; put it in quotes`},
		{"notifications: [notify/telegram]", `spec.notifications[0]: expected a mapping, got text`},
		{"notifications: [{secret: telegram}]", `expected the name of a secret as scope/name`},
		{"notifications: [{secret: a/b}, {secret: a/b}]", `listed twice`},
		{"update: {channel: nightly}", `it is one of stable, prerelease`},
		{"update: {repository: https://example.com/a/b}", `expected a repository as owner/name`},
		{"<<: [1]", `expected a mapping to merge, got a number`},
		{"drift: heal\n  drift: report", `5:3`},
		{"model: *nowhere", `nowhere`},
		{"model: {", `4:`},
	}
	for _, c := range cases {
		t.Run(c.spec, func(t *testing.T) {
			_, err := desired.Decode("desired.yaml", []byte(head+"spec:\n  "+c.spec+"\n"))
			if got := problems(err); !strings.Contains(got, c.want) || strings.Count(got, "\n") != 1 {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestDecodeHead(t *testing.T) {
	cases := []struct{ src, want string }{
		{"", "1:1: the document is empty; it begins with apiVersion: core.dev/v1alpha1 and kind: Host\n"},
		{"# only a comment\n", "1:1: the document is empty; it begins with apiVersion: core.dev/v1alpha1 and kind: Host\n"},
		{"kind: Host\n", "1:1: apiVersion: the key is missing; write apiVersion: core.dev/v1alpha1\n"},
		{"apiVersion: core.dev/v2\nkind: Host\n", "1:13: apiVersion: \"core.dev/v2\" is not known; this program knows core.dev/v1alpha1\n"},
		{"apiVersion: core.dev/v1alpha1\nkind: Hosts\n", "2:7: kind: \"Hosts\" is not known; this program knows Host\n"},
		{head + "metadata: {name: My Host}\n", "3:18: metadata.name: a name has lower-case letters, digits, - and . only, and begins and ends with a letter or digit\n"},
		{head + "status: {}\n", "3:1: status: the status is served, never written to the file; remove it\n"},
		{head + "specs: {}\n", "3:1: specs: unknown key \"specs\"; did you mean \"spec\"?\n"},
	}
	for _, c := range cases {
		_, err := desired.Decode("desired.yaml", []byte(c.src))
		if diff := cmp.Diff(c.want, problems(err)); diff != "" {
			t.Errorf("%q: %s", c.src, diff)
		}
	}
}

// TestSeveralProblems come in one go, in the order of the file, and bounded.
func TestSeveralProblems(t *testing.T) {
	_, err := desired.Decode("desired.yaml", []byte("kind: Hots\nspec:\n  drift: hael\n  modle: {}\n  units: [{name: a.service}]\n"))
	var invalid *desired.Invalid
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	var places []string
	for _, p := range invalid.Problems {
		places = append(places, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Field))
	}
	want := []string{"1:1 apiVersion", "1:7 kind", "3:10 spec.drift", "4:3 spec.modle", "5:18 spec.units[a.service].name"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
	if got := err.Error(); !strings.HasPrefix(got, "desired.yaml:1:1: apiVersion: ") || !strings.HasSuffix(got, "(and 4 more)") {
		t.Errorf("error %q", got)
	}
	many := head + "spec:\n" + strings.Repeat("  ", 1) + "units:\n" + strings.Repeat("  - {nam: x}\n", 5000)
	if _, err := desired.Decode("f", []byte(many)); !errors.As(err, &invalid) || len(invalid.Problems) != 20 {
		t.Errorf("%d problems, want 20", len(invalid.Problems))
	}
}

// TestSecretsAreNotRepeated: what people paste in the wrong place stays there.
func TestSecretsAreNotRepeated(t *testing.T) {
	specs := []string{
		`notifications: [{secret: "telegram://s3cr3t@chat"}]`,
		`notifications: [{secret: "s3cr3t s3cr3t"}]`,
		`resident: {repository: "https://me:s3cr3t@example.com/r"}`,
		`update: {repository: "https://me:s3cr3t@example.com/r"}`,
	}
	for _, spec := range specs {
		_, err := desired.Decode("desired.yaml", []byte(head+"spec: {"+spec+"}\n"))
		if got := problems(err); err == nil || strings.Contains(got, "s3cr3t") {
			t.Errorf("%s: %s", spec, got)
		}
	}
}

func TestAliasesShowAMistakeOnce(t *testing.T) {
	src := head + "spec:\n  units:\n  - &u {name: a, state: up}\n  - {<<: *u, name: b}\n  - {<<: *u, name: c}\n"
	_, err := desired.Decode("desired.yaml", []byte(src))
	if got := problems(err); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "5:25: ") {
		t.Errorf("problems:\n%s", got)
	}
}

// FuzzDecode: never a panic, and every problem has its place inside the file.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(full))
	f.Add(desired.Template("h"))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(full, "\n", "\r\n")))
	f.Add([]byte(head + "spec: {<<: *a}"))
	f.Add([]byte(head + "spec: &a {<<: *a}"))
	f.Add([]byte("a: [\n\n"))
	f.Add([]byte("\x00"))
	f.Add([]byte("a\r\xff"))
	f.Fuzz(func(t *testing.T, src []byte) {
		host, err := desired.Decode("f", src)
		if (host == nil) == (err == nil) {
			t.Fatalf("host %v, error %v", host, err)
		}
		if err == nil {
			desired.Fields(host)
			return
		}
		var invalid *desired.Invalid
		if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || len(invalid.Problems) > 20 {
			t.Fatalf("error %#v", err)
		}
		lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(string(src)), "\n")
		for _, p := range invalid.Problems {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len([]rune(lines[p.Line-1]))+1 {
				t.Fatalf("%s is outside the file", p)
			}
		}
		inOrder := slices.IsSortedFunc(invalid.Problems, func(a, b desired.Problem) int {
			return (a.Line-b.Line)*1_000_000 + a.Column - b.Column
		})
		if !inOrder {
			t.Fatalf("out of order:\n%s", problems(err))
		}
	})
}
