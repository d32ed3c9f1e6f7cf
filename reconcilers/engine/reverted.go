package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"corehost/desired/store"
	"corehost/reconcilers"
)

const (
	// revertShown is how long the status says that a revision was taken back.
	revertShown = 24 * time.Hour
	// revertNote begins the note of a revision that takes another one back.
	revertNote = "back to revision "
)

// noteOf is the note of a revision that takes the present one back.
func noteOf(to int64, why string) string {
	return fmt.Sprintf("%s%d: %s", revertNote, to, why)
}

// revertOf says what the revision in force took back, when the operator wrote
// it by itself and not long ago. All of it is in the revision, so a restart
// forgets nothing.
func revertOf(r store.Revision, now time.Time) *reconcilers.Revert {
	out := &reconcilers.Revert{Revision: r.Number - 1, Time: r.Time.UTC()}
	switch r.Author {
	case reconcilers.ActorHealth:
		out.Reason = "a unit did not stay up on it"
	case reconcilers.ActorTry:
		out.Reason = "it was not confirmed in time"
	default:
		return nil
	}
	if !now.Before(r.Time.Add(revertShown)) {
		return nil
	}
	if note, ok := strings.CutPrefix(r.Note, revertNote); ok {
		number, why, _ := strings.Cut(note, ": ")
		out.To, _ = strconv.ParseInt(number, 10, 64)
		if why != "" {
			out.Reason = why
		}
	}
	return out
}
