package desired

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const maxText = 1024 // bytes of one value

// validator judges what the values mean. A field that could not be decoded is
// not judged.
type validator struct{ *decoder }

func validate(d *decoder, doc *document) {
	v := validator{d}
	v.identity(doc)
	s := &doc.Spec
	if s.Drift != "" || v.given("spec.drift") {
		v.choice("spec.drift", string(s.Drift), string(DriftHeal), string(DriftReport))
	}
	if s.Suspend != nil {
		v.line("spec.suspend.reason", s.Suspend.Reason)
	}
	v.model(s.Model)
	if s.Agent != nil && s.Agent.ReasoningEffort != nil {
		v.choice("spec.agent.reasoningEffort", string(*s.Agent.ReasoningEffort),
			string(EffortOff), string(EffortLow), string(EffortMedium), string(EffortHigh))
	}
	v.backup(s.Backup)
	v.rotation(s.Vault)
	v.units(s.Units)
	v.signatures(s.Signatures)
	if s.Reviews != nil && v.given("spec.reviews.metaReviewer") {
		v.choice("spec.reviews.metaReviewer", s.Reviews.MetaReviewer, "auto", "off")
	}
	v.resident(s.Resident)
	v.notifications(s.Notifications)
	v.update(s.Update)
}

// problem records a problem of a field at its value, or at the nearest thing
// around it when it is not there. A field has at most one.
func (v validator) problem(field, message, hint string) {
	for f := field; f != ""; f = parent(f) {
		if v.failed[f] {
			return
		}
	}
	at, ok := v.places[field]
	for f := field; !ok && f != ""; at, ok = v.places[f] {
		f = parent(f)
	}
	v.add(at, field, message, hint)
}

// given reports whether a field has a value in the file.
func (v validator) given(field string) bool {
	_, ok := v.places[field]
	return ok && !v.empty[field]
}

func (v validator) choice(field, value string, known ...string) {
	switch {
	case slices.Contains(known, value):
	case value == "":
		v.problem(field, "the value is missing", oneOf(value, known...))
	default:
		v.problem(field, fmt.Sprintf("%q is not known", shorten(value)), oneOf(value, known...))
	}
}

// word is a value that is not blank and has no spaces.
func (v validator) word(field, value string) {
	if value == "" {
		v.problem(field, "is blank", "leave the key out to manage nothing")
		return
	}
	if len(value) > maxText || strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		v.problem(field, "has spaces or characters that cannot be printed, or is too long", "")
	}
}

// line is a value of one line.
func (v validator) line(field, value string) {
	if len(value) > maxText || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		v.problem(field, "must be one line of text", "")
	}
}

func (v validator) command(field string, argv []string) {
	if len(argv) > 0 && strings.TrimSpace(argv[0]) == "" {
		v.problem(field, "the first word, the program, is blank", `for example ["make", "test"]`)
	}
	for _, arg := range argv {
		if len(arg) > maxText || strings.ContainsRune(arg, 0) {
			v.problem(field, "a word of the command is too long or has a NUL", "")
		}
	}
}

func (v validator) atLeastOne(field string, n *int) {
	if n != nil && *n < 1 {
		v.problem(field, "must be at least 1", "")
	}
}

const (
	shortest = time.Second
	longest  = 100 * 365 * 24 * time.Hour
)

func (v validator) positive(field string, d *metav1.Duration) {
	if d != nil && (d.Duration < shortest || d.Duration > longest) {
		v.problem(field, "must be at least 1s and at most 876000h", "")
	}
}

// anyFailed reports whether the field or one below it has a problem.
func (v validator) anyFailed(field string) bool {
	for f := range v.failed {
		if f == field || strings.HasPrefix(f, field+".") {
			return true
		}
	}
	return false
}

// parent takes the last step off a path: a.b[c].d, a.b[c], a.b, a.
func parent(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}
