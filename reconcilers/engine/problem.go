package engine

import (
	"context"
	"errors"

	"corehost/reconcilers"
)

// severity orders problems: the worst one decides the conditions.
type severity int

const (
	absent  severity = iota // not on this host: no failure
	retry                   // tried again with backoff
	blocked                 // waits for a person
	broken                  // a panic
)

// problem is one thing that kept a reconciler from converging.
type problem struct {
	severity severity
	object   string // empty: the plan itself
	reason   string // CamelCase
	message  string // a sentence, without secrets
}

// problemsOf takes an error apart: joined errors are judged one by one, so
// that one absent unit does not hide another's failure.
func problemsOf(object string, err error) []problem {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && !isWrapped(err) {
		var out []problem
		for _, e := range joined.Unwrap() {
			out = append(out, problemsOf(object, e)...)
		}
		return out
	}
	return []problem{classify(object, err)}
}

// isWrapped tells fmt.Errorf("…%w…%w") from errors.Join: the former has one
// meaning and its own sentence.
func isWrapped(err error) bool {
	joined := errors.Join(err.(interface{ Unwrap() []error }).Unwrap()...)
	return joined == nil || joined.Error() != err.Error()
}

func classify(object string, err error) problem {
	var p *panicked
	var b *reconcilers.Blocked
	switch {
	case errors.As(err, &p):
		return problem{broken, object, "Panic", err.Error()}
	case errors.As(err, &b):
		return problem{blocked, object, b.Reason, b.Message}
	case errors.Is(err, reconcilers.ErrBlocked):
		return problem{blocked, object, "Blocked", err.Error()}
	case errors.Is(err, reconcilers.ErrAbsent):
		return problem{absent, object, "Absent", err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return problem{retry, object, "Timeout", err.Error()}
	default:
		return problem{retry, object, "Retrying", err.Error()}
	}
}

// worst is the problem that decides; false: there is none.
func worst(problems []problem) (problem, bool) {
	if len(problems) == 0 {
		return problem{}, false
	}
	w := problems[0]
	for _, p := range problems[1:] {
		if p.severity > w.severity {
			w = p
		}
	}
	return w, true
}
