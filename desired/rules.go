package desired

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

const (
	maxKeep  = 100_000 // backups of one rule
	maxUnits = 200     // each is watched, and shown on every page
)

var (
	namePattern     = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`) // RFC 1123 subdomain
	unitPattern     = regexp.MustCompile(`^[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]+)?$`)
	unitSuffix      = regexp.MustCompile(`\.(service|socket|timer|target|mount|path|slice|scope|device|swap|automount)$`)
	decisionPattern = regexp.MustCompile(`^sig_[0-9a-f]{12}$`)
	secretPattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*/[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	repoPattern     = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

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
	if len(units) > maxUnits {
		v.problem("spec.units", fmt.Sprintf("has %d units; at most %d are managed", len(units), maxUnits), "")
		return
	}
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
