package api

import (
	"context"
	"net/http"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/desired/store"
)

// Desired is the document in force, byte for byte, and its entity tag. While
// the file on disk is broken this is the last good one.
func (s *Server) Desired(ctx context.Context) (text []byte, etag string, err error) {
	if err := s.Store.Refresh(ctx); err != nil && ctx.Err() != nil {
		return nil, "", s.failure(ctx, err)
	}
	state := s.Store.Current()
	return state.Revision.Text, etagOf(state.Revision.Sum), nil
}

// PutDesired replaces the document and waits for the host to follow. ifMatch
// is the ETag of Desired, or empty. Over a broken file it is the way back: the
// broken bytes are kept beside it.
func (s *Server) PutDesired(ctx context.Context, text []byte, ifMatch string) (ApplyResult, error) {
	w := store.Write{Author: ActorFrom(ctx), IfMatch: home.Sum(condition(ifMatch))}
	return s.commit(ctx, w, func(w store.Write) (store.Revision, error) {
		return s.Store.Replace(ctx, w, text)
	})
}

// PutDesiredJSON takes the document as JSON and writes the values that differ
// into the file, so that comments and order stay. What cannot be written that
// way is refused.
func (s *Server) PutDesiredJSON(ctx context.Context, body []byte, ifMatch string) (ApplyResult, error) {
	want, err := desired.Decode("body", body)
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	if err := s.writable(ctx); err != nil {
		return ApplyResult{}, err
	}
	state := s.Store.Current()
	text, err := splice(state.Revision.Text, body)
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	if got, err := desired.Decode(home.DesiredFile, text); err != nil || len(desired.Diff(got, want)) > 0 {
		return ApplyResult{}, NewProblem(http.StatusConflict, "cannot_splice",
			"This document cannot be written without losing comments or order of desired.yaml. Send it as application/yaml to replace the file as a whole. Nothing was written.")
	}
	if ifMatch == "" {
		ifMatch = etagOf(state.FileSum)
	}
	return s.PutDesired(ctx, text, ifMatch)
}

// splice writes into a YAML text what differs in a JSON document.
func splice(text, body []byte) ([]byte, error) {
	from, err := tree(text)
	if err != nil {
		return nil, err
	}
	to, err := tree(body)
	if err != nil {
		return nil, err
	}
	return yamledit.Apply(text, changes("", from, to)...)
}
