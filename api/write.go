package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
	"corehost/reconcilers/engine"
)

// edit splices values into desired.yaml, the one way in which the API changes
// anything, and waits for the host to follow.
func (s *Server) edit(ctx context.Context, note string, edits ...yamledit.Edit) (ApplyResult, error) {
	return s.write(ctx, func(w store.Write) (store.Revision, error) {
		w.Note = note
		return s.Store.Edit(ctx, w, edits...)
	})
}

// write makes a new revision by one call to the store. It refuses while a try
// runs or while the file on disk cannot be read.
func (s *Server) write(ctx context.Context, change func(store.Write) (store.Revision, error)) (ApplyResult, error) {
	if err := s.writable(ctx); err != nil {
		return ApplyResult{}, err
	}
	return s.commit(ctx, store.Write{Author: ActorFrom(ctx)}, change)
}

// commit is write for a change that may stand over a broken file.
func (s *Server) commit(ctx context.Context, w store.Write, change func(store.Write) (store.Revision, error)) (ApplyResult, error) {
	if s.Engine.Status().Try != nil {
		return ApplyResult{}, tryRunning()
	}
	before := s.Store.Current()
	revision, err := change(w)
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	result := ApplyResult{Revision: revision.Number, Diff: difference(before.Revision.Text, revision.Text)}
	result.Converged = s.settled(ctx, revision.Number)
	status := s.Engine.Status()
	result.Restart, result.Try = status.Restart, status.Try
	return full(result), nil
}

// writable reports in a problem why a splice into desired.yaml is not
// possible now.
func (s *Server) writable(ctx context.Context) error {
	if err := s.Store.Refresh(ctx); err != nil && errors.Is(err, ctx.Err()) {
		return s.failure(ctx, err)
	}
	state := s.Store.Current()
	if state.Invalid != nil {
		p := invalidProblem(http.StatusConflict, state.Invalid)
		p.Detail = "desired.yaml cannot be read, so nothing was written. Mend it first: " + state.Invalid.Error()
		return p
	}
	if state.Problem != nil {
		return NewProblem(http.StatusConflict, "desired_unreadable", "desired.yaml cannot be read, so nothing was written: "+state.Problem.Error())
	}
	return nil
}

// settled waits until the host is what a revision says, at most for as long
// as the contract allows.
func (s *Server) settled(ctx context.Context, revision int64) bool {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	return s.Engine.Wait(ctx, revision)
}

// tryRunning is the engine's refusal, made before a splice.
func tryRunning() *Problem { return known(engine.ErrTryRunning) }

// difference lists the fields in which two documents differ; one that does
// not parse counts as empty.
func difference(before, after []byte) []desired.FieldChange {
	return listed(desired.Diff(decoded(before), decoded(after)))
}

func decoded(text []byte) *desired.Host {
	host, err := desired.Decode(home.DesiredFile, text)
	if err != nil {
		return &desired.Host{}
	}
	return host
}

// full makes every list of a result a list.
func full(r ApplyResult) ApplyResult {
	r.Applied, r.Problems = listed(r.Applied), listed(r.Problems)
	r.Diff, r.Restart = listed(r.Diff), listed(r.Restart)
	return r
}

// condition reads an If-Match header: the opaque tag, or empty for none and
// for "*", which any present state fulfils. A header without a tag in it is a
// condition too, one that nothing fulfils.
func condition(ifMatch string) string {
	header := strings.TrimSpace(ifMatch)
	if header == "*" {
		return ""
	}
	if tag := strings.Trim(strings.TrimPrefix(header, "W/"), `"`); tag != "" {
		return tag
	}
	return header
}

// quoted is a tag as it stands in an ETag header.
func quoted(tag string) string {
	if tag == "" {
		return ""
	}
	return `"` + strings.Trim(tag, `"`) + `"`
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }
