package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"syscall"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers/engine"
)

// sentinel is an error of a lower layer and what it is to a client.
type sentinel struct {
	err    error
	status int
	code   string
	detail string // empty: the error's own words
}

var sentinels = []sentinel{
	{home.ErrChanged, http.StatusPreconditionFailed, "stale", "desired.yaml changed since you read it. Nothing was written; read it again and repeat the change."},
	{engine.ErrPlanStale, http.StatusPreconditionFailed, "plan_stale", "The host or desired.yaml moved since this plan was made. Nothing was changed; look at the new plan."},
	{engine.ErrSuspended, http.StatusConflict, "suspended", "The host is suspended: nothing is changed until it is resumed."},
	{engine.ErrTryRunning, http.StatusConflict, "try_running", "A change is being tried. Confirm it or take it back first."},
	{engine.ErrNoTry, http.StatusConflict, "no_try", "No change is being tried."},
	{engine.ErrUnknownField, http.StatusNotFound, "unknown_field", ""},
	{engine.ErrNoDrift, http.StatusNotFound, "no_drift", "This field has not drifted."},
	{engine.ErrSelf, http.StatusConflict, "self", "core-dashboard cannot restart itself and say how it went. Restart it on the host: systemctl restart core-dashboard."},
	{engine.ErrNoUnit, http.StatusNotFound, "unknown_unit", ""},
	{store.ErrNoRevision, http.StatusNotFound, "unknown_revision", ""},
	{home.ErrTooLarge, http.StatusRequestEntityTooLarge, "too_large", ""},
	{syscall.ENOSPC, http.StatusInsufficientStorage, "no_space", "There is no space left on the disk. Nothing was written; the last state stays in force."},
	{syscall.EDQUOT, http.StatusInsufficientStorage, "no_space", "The disk quota is used up. Nothing was written; the last state stays in force."},
	{syscall.EROFS, http.StatusConflict, "read_only", "The home is on a read-only file system. Nothing was written."},
	{fs.ErrPermission, http.StatusConflict, "read_only", "The service may not write there. Nothing was written."},
	{home.ErrNotRegular, http.StatusConflict, "not_a_file", ""},
	{home.ErrEscape, http.StatusConflict, "symlink_escapes", ""},
}

// failure makes the problem of an error. An error that is already a problem
// stays what it is; one that nobody foresaw is logged and is status 500.
func (s *Server) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if p := known(err); p != nil {
		return p
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return NewProblem(http.StatusServiceUnavailable, "busy", "The answer did not come in time. Try again.")
	}
	s.Log.ErrorContext(ctx, "request failed", "error", err, "actor", ActorFrom(ctx))
	return NewProblem(http.StatusInternalServerError, "internal", err.Error())
}

// known makes the problem of an error that has a name; nil: it has none.
func known(err error) *Problem {
	var problem *Problem
	var invalid *desired.Invalid
	var splice *yamledit.Error
	var config *platform.Problem
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &invalid):
		return invalidProblem(http.StatusUnprocessableEntity, invalid)
	case errors.As(err, &splice):
		return spliceProblem(splice)
	case errors.As(err, &config):
		return NewProblem(http.StatusConflict, "config_invalid", "config.yaml cannot be read, so it is left alone: "+config.Error())
	}
	for _, known := range sentinels {
		if errors.Is(err, known.err) {
			return known.problem(err)
		}
	}
	if databaseFull(err) {
		return NewProblem(http.StatusInsufficientStorage, "no_space", "There is no space left for the record of changes. Nothing was written.")
	}
	return nil
}

func (s sentinel) problem(err error) *Problem {
	if s.detail == "" {
		return NewProblem(s.status, s.code, err.Error())
	}
	return NewProblem(s.status, s.code, s.detail)
}

// invalidProblem names each place of a document that cannot be in force.
func invalidProblem(status int, invalid *desired.Invalid) *Problem {
	p := NewProblem(status, "desired_invalid", invalid.Error())
	for _, at := range invalid.Problems {
		location := invalid.File
		if at.Line > 0 {
			location = fmt.Sprintf("%s:%d:%d", invalid.File, at.Line, at.Column)
		}
		message := at.Message
		if at.Field != "" {
			message = at.Field + ": " + message
		}
		if at.Hint != "" {
			message += "; " + at.Hint
		}
		p.Errors = append(p.Errors, ProblemError{Location: location, Message: message})
	}
	return p
}

// spliceProblem is an edit that cannot be made without touching other bytes.
func spliceProblem(e *yamledit.Error) *Problem {
	p := NewProblem(http.StatusConflict, "cannot_splice", "The value cannot be changed without touching other bytes of the file: "+e.Message+". Nothing was written; edit the file by hand.")
	if e.Line > 0 {
		p.Errors = []ProblemError{{Location: fmt.Sprintf("%s:%d:%d", home.DesiredFile, e.Line, e.Column), Message: e.Message}}
	}
	return p
}

// databaseFull recognises SQLITE_FULL (13) of modernc.org/sqlite by its code.
func databaseFull(err error) bool {
	var coded interface{ Code() int }
	const full = 13
	return errors.As(err, &coded) && coded.Code()&0xff == full
}
