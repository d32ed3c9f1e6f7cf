package desired

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	maxKeep = 100_000 // backups of one rule
	maxText = 1024    // bytes of one value
)

var (
	namePattern     = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`) // RFC 1123 subdomain
	unitPattern     = regexp.MustCompile(`^[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]+)?$`)
	unitSuffix      = regexp.MustCompile(`\.(service|socket|timer|target|mount|path|slice|scope|device|swap|automount)$`)
	decisionPattern = regexp.MustCompile(`^sig_[0-9a-f]{12}$`)
	secretPattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*/[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	repoPattern     = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

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

func (v validator) identity(doc *document) {
	switch {
	case doc.APIVersion == "":
		v.problem("apiVersion", "the key is missing", "write apiVersion: "+APIVersion)
	case doc.APIVersion != APIVersion:
		v.problem("apiVersion", fmt.Sprintf("%q is not known", shorten(doc.APIVersion)), "this program knows "+APIVersion)
	}
	switch {
	case doc.Kind == "":
		v.problem("kind", "the key is missing", "write kind: "+Kind)
	case doc.Kind != Kind:
		v.problem("kind", fmt.Sprintf("%q is not known", shorten(doc.Kind)), "this program knows "+Kind)
	}
	if doc.Metadata.Name != "" || v.given("metadata.name") {
		if !namePattern.MatchString(doc.Metadata.Name) {
			v.problem("metadata.name", "a name has lower-case letters, digits, - and . only, and begins and ends with a letter or digit", "")
		}
	}
}

func (v validator) model(m *Model) {
	if m == nil {
		return
	}
	if m.Provider != nil {
		v.word("spec.model.provider", *m.Provider)
	}
	if m.Default != nil && *m.Default != "" {
		v.word("spec.model.default", *m.Default)
	}
}

func (v validator) backup(b *Backup) {
	if b == nil {
		return
	}
	if b.Schedule != nil {
		if err := checkSchedule(*b.Schedule); err != nil {
			v.problem("spec.backup.schedule", err.Error(), "for example 0 3 * * * is every night at three")
		}
	}
	if r := b.Retention; r != nil {
		const field = "spec.backup.retention"
		counts := []struct {
			key string
			n   int
		}{{"keepLast", r.KeepLast}, {"keepDaily", r.KeepDaily}, {"keepWeekly", r.KeepWeekly}, {"keepMonthly", r.KeepMonthly}}
		for _, c := range counts {
			if c.n < 0 || c.n > maxKeep {
				v.problem(join(field, c.key), fmt.Sprintf("must be between 0 and %d", maxKeep), "")
			}
		}
		if *r == (Retention{}) && !v.anyFailed(field) {
			v.problem(field, "keeps nothing", "set keepLast to at least 1, or leave retention out to manage nothing")
		}
	}
}

func (v validator) rotation(vault *Vault) {
	if vault == nil || vault.Rotation == nil {
		return
	}
	const field = "spec.vault.rotation"
	r := *vault.Rotation
	if v.given(field + ".maxAge") {
		v.positive(field+".maxAge", &r.MaxAge)
	} else {
		r.MaxAge.Duration = defaultMaxAge
	}
	if v.given(field + ".remindBefore") {
		v.positive(field+".remindBefore", &r.RemindBefore)
	} else {
		r.RemindBefore.Duration = defaultRemindBefore
	}
	if r.RemindBefore.Duration >= r.MaxAge.Duration && !v.anyFailed(field) {
		v.problem(field, fmt.Sprintf("remindBefore (%s) must be shorter than maxAge (%s)", r.RemindBefore.Duration, r.MaxAge.Duration), "")
	}
}

func (v validator) units(units []Unit) {
	seen := map[string]bool{}
	for i, unit := range units {
		item := v.items["spec.units"][i]
		field := item + ".name"
		switch suffix := unitSuffix.FindString(unit.Name); {
		case unit.Name == "":
			v.problem(field, "the unit has no name", "for example name: core-gateway")
		case suffix == ".service":
			v.problem(field, "a unit is named without its suffix", fmt.Sprintf("write %q", shorten(strings.TrimSuffix(unit.Name, suffix))))
		case suffix != "":
			v.problem(field, "only service units are managed, not "+suffix[1:]+" units", "")
		case len(unit.Name) > 200 || !unitPattern.MatchString(unit.Name):
			v.problem(field, "this is not a unit name", `letters, digits and : _ . \ - @ only`)
		case seen[unit.Name]:
			v.problem(field, fmt.Sprintf("%q is listed twice", unit.Name), "keep one of them")
		}
		seen[unit.Name] = true
		if v.given(item + ".state") {
			v.choice(item+".state", string(unit.State), string(UnitRunning), string(UnitStopped))
		}
	}
}

func (v validator) signatures(s *Signatures) {
	if s == nil {
		return
	}
	const field = "spec.signatures"
	v.atLeastOne(field+".minSessions", s.MinSessions)
	v.atLeastOne(field+".proposeAt", s.ProposeAt)
	v.positive(field+".sweepInterval", s.SweepInterval)
	seen := map[string]bool{}
	for i, decision := range s.Decisions {
		item := v.items[field+".decisions"][i]
		switch {
		case !decisionPattern.MatchString(decision.ID):
			v.problem(item+".id", "this is not the id of a pattern", "it is sig_ and 12 hexadecimal digits, as in sig_0123456789ab")
		case seen[decision.ID]:
			v.problem(item+".id", decision.ID+" is decided twice", "keep one of them")
		}
		seen[decision.ID] = true
		v.choice(item+".status", string(decision.Status), string(DecisionApproved), string(DecisionDismissed))
	}
}

func (v validator) resident(r *Resident) {
	if r == nil {
		return
	}
	const field = "spec.resident"
	v.line(field+".repository", r.Repository)
	if u, err := url.Parse(r.Repository); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			v.problem(field+".repository", "the address holds a password", "leave it out: git asks its credential helper")
		}
	}
	if v.given(field+".baseBranch") && r.BaseBranch != "" {
		v.word(field+".baseBranch", r.BaseBranch)
	}
	v.command(field+".testCommand", r.TestCommand)
	v.command(field+".agentCommand", r.AgentCommand)
	v.positive(field+".timeout", r.Timeout)
	v.positive(field+".pollInterval", r.PollInterval)
}

// notifications never repeats the value: people paste the address, which is a
// secret, where its name should be.
func (v validator) notifications(list []Notification) {
	seen := map[string]bool{}
	for i, n := range list {
		field := v.items["spec.notifications"][i] + ".secret"
		switch {
		case strings.Contains(n.Secret, "://"):
			v.problem(field, "the address itself must not stand here", "store it with cli secrets set notify NAME and write notify/NAME")
		case len(n.Secret) > maxText || !secretPattern.MatchString(n.Secret):
			v.problem(field, "expected the name of a secret as scope/name", "for example notify/telegram")
		case seen[n.Secret]:
			v.problem(field, "the secret is listed twice", "keep one of them")
		}
		seen[n.Secret] = true
	}
}

func (v validator) update(u *Update) {
	if u == nil {
		return
	}
	if u.Repository != "" && (len(u.Repository) > maxText || !repoPattern.MatchString(u.Repository)) {
		v.problem("spec.update.repository", "expected a repository as owner/name", "")
	}
	if v.given("spec.update.channel") {
		v.choice("spec.update.channel", u.Channel, "stable", "prerelease")
	}
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
