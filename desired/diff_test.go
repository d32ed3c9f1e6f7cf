package desired_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"corehost/desired"
)

func TestDiff(t *testing.T) {
	cases := []struct {
		name, a, b string
		want       []desired.FieldChange
	}{
		{"same", "{drift: heal}", "{drift: heal} # a comment", nil},
		{"changed, added, removed, in the order of the document",
			"{drift: heal, model: {provider: a, default: m}, reviews: {metaReviewer: auto}}",
			"{reviews: {metaReviewer: off}, agent: {reasoningEffort: high}, model: {provider: b}}",
			[]desired.FieldChange{
				{Field: "drift", From: "heal"}, {Field: "model.provider", From: "a", To: "b"}, {Field: "model.default", From: "m"},
				{Field: "agent.reasoningEffort", To: "high"}, {Field: "reviews.metaReviewer", From: "auto", To: "off"},
			}},
		{"blank is not absent", "{model: {provider: a}}", "{model: {provider: a, default: \"\"}}",
			[]desired.FieldChange{{Field: "model.default", To: `""`}}},
		{"items go by name, not by position",
			"{units: [{name: a, state: running}, {name: b, state: running}]}",
			"{units: [{name: b, state: stopped}, {name: c}]}",
			[]desired.FieldChange{
				{Field: "units[a].state", From: "running"}, {Field: "units[b].state", From: "running", To: "stopped"},
				{Field: "units[c]", To: "listed"},
			}},
		{"every kind of value",
			"{}",
			"{suspend: {reason: r, until: 2026-01-31T18:00:00Z}, backup: {retention: {keepLast: 3}}, resident: {testCommand: [a, b c], timeout: 90s}," +
				" signatures: {decisions: [{id: sig_0123456789ab, status: approved}]}, notifications: [{secret: n/t}], update: {autoApply: true}}",
			[]desired.FieldChange{
				{Field: "suspend", To: "true"}, {Field: "suspend.reason", To: "r"}, {Field: "suspend.until", To: "2026-01-31T18:00:00Z"},
				{Field: "backup.retention.keepLast", To: "3"}, {Field: "signatures.decisions[sig_0123456789ab]", To: "approved"},
				{Field: "resident.testCommand", To: `["a","b c"]`}, {Field: "resident.timeout", To: "1m30s"},
				{Field: "notifications[n/t]", To: "n/t"}, {Field: "update.autoApply", To: "true"},
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, b := decode(t, head+"spec: "+c.a+"\n"), decode(t, head+"spec: "+c.b+"\n")
			if diff := cmp.Diff(c.want, desired.Diff(a, b)); diff != "" {
				t.Error(diff)
			}
			var back []desired.FieldChange
			for _, change := range c.want {
				back = append(back, desired.FieldChange{Field: change.Field, From: change.To, To: change.From})
			}
			byField := cmpopts.SortSlices(func(x, y desired.FieldChange) bool { return x.Field < y.Field })
			if diff := cmp.Diff(back, desired.Diff(b, a), byField); diff != "" {
				t.Errorf("backwards: %s", diff)
			}
		})
	}
}

func TestDiffOfNothing(t *testing.T) {
	host := decode(t, head+"metadata: {name: h}\nspec: {drift: heal}\n")
	want := []desired.FieldChange{{Field: "metadata.name", To: "h"}, {Field: "drift", To: "heal"}}
	if diff := cmp.Diff(want, desired.Diff(nil, host)); diff != "" {
		t.Error(diff)
	}
	if got := desired.Diff(nil, nil); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestDefaultsLeaveTheUnmanagedAlone(t *testing.T) {
	host := decode(t, head)
	desired.Defaults(host)
	want := map[string]string{
		"drift": "heal", "vault.rotation.maxAge": "2160h0m0s", "vault.rotation.remindBefore": "168h0m0s",
		"signatures.minSessions": "2", "signatures.proposeAt": "3", "signatures.sweepInterval": "5m0s", "reviews.metaReviewer": "auto",
	}
	if diff := cmp.Diff(want, desired.Fields(host)); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultsKeepWhatIsThere(t *testing.T) {
	host := decode(t, full)
	before := desired.Fields(host)
	desired.Defaults(host)
	if diff := cmp.Diff(before, desired.Fields(host)); diff != "" {
		t.Error(diff)
	}
}
