package desired

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an absent value means where it does not mean "not managed".
const (
	defaultMaxAge        = 2160 * time.Hour
	defaultRemindBefore  = 168 * time.Hour
	defaultMinSessions   = 2
	defaultProposeAt     = 3
	defaultSweepInterval = 5 * time.Minute
	defaultBaseBranch    = "main"
	defaultTimeout       = 15 * time.Minute
	defaultPollInterval  = time.Minute
	defaultChannel       = "stable"
	defaultMetaReviewer  = "auto"
)

// Defaults fills in what "absent" does not mean "not managed": how drift is
// met, the figures of the pattern miner and of the reminders, the reviewer,
// and the details of fix attempts and updates where those are configured.
func Defaults(h *Host) {
	s := &h.Spec
	if s.Drift == "" {
		s.Drift = DriftHeal
	}
	if s.Vault == nil {
		s.Vault = &Vault{}
	}
	if s.Vault.Rotation == nil {
		s.Vault.Rotation = &Rotation{}
	}
	preset(&s.Vault.Rotation.MaxAge.Duration, defaultMaxAge)
	preset(&s.Vault.Rotation.RemindBefore.Duration, defaultRemindBefore)
	if s.Signatures == nil {
		s.Signatures = &Signatures{}
	}
	fill(&s.Signatures.MinSessions, defaultMinSessions)
	fill(&s.Signatures.ProposeAt, defaultProposeAt)
	fill(&s.Signatures.SweepInterval, metav1.Duration{Duration: defaultSweepInterval})
	if s.Reviews == nil {
		s.Reviews = &Reviews{}
	}
	preset(&s.Reviews.MetaReviewer, defaultMetaReviewer)
	if r := s.Resident; r != nil {
		preset(&r.BaseBranch, defaultBaseBranch)
		if len(r.TestCommand) == 0 {
			r.TestCommand = []string{"make", "test"}
		}
		fill(&r.Timeout, metav1.Duration{Duration: defaultTimeout})
		fill(&r.PollInterval, metav1.Duration{Duration: defaultPollInterval})
	}
	if s.Update != nil {
		preset(&s.Update.Channel, defaultChannel)
	}
}

// preset sets a value that is zero.
func preset[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

// fill sets a value that is absent.
func fill[T any](p **T, value T) {
	if *p == nil {
		*p = &value
	}
}
