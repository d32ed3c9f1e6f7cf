package api

import (
	"context"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"corehost/config/home"
	"corehost/desired/store"
)

// Bounds of a page of revisions or events.
const (
	defaultPage = 50
	maxPage     = 200
)

// Revisions lists the accepted contents of desired.yaml, newest first.
// before 0 begins with the newest.
func (s *Server) Revisions(ctx context.Context, before int64, limit int) (RevisionList, error) {
	limit = page(limit)
	rows, err := s.Store.List(ctx, before, limit+1)
	if err != nil {
		return RevisionList{}, s.failure(ctx, err)
	}
	inForce := s.Store.Current().Revision.Number
	out := RevisionList{Revisions: []Revision{}, More: len(rows) > limit}
	for i, row := range rows[:min(limit, len(rows))] {
		var older []byte
		if i+1 < len(rows) {
			older = rows[i+1].Text
		}
		out.Revisions = append(out.Revisions, revision(row, older, inForce))
	}
	return out, nil
}

// Revision is one of them with its text and the line difference.
func (s *Server) Revision(ctx context.Context, number int64) (Revision, error) {
	row, err := s.Store.Get(ctx, number)
	if err != nil {
		return Revision{}, s.failure(ctx, err)
	}
	older, name := []byte{}, "nothing"
	if before, err := s.Store.List(ctx, number, 1); err == nil && len(before) == 1 {
		older, name = before[0].Text, fmt.Sprintf("revision %d", before[0].Number)
	}
	out := revision(row, older, s.Store.Current().Revision.Number)
	out.Text = string(row.Text)
	out.Unified = string(diff.Diff(name, older, fmt.Sprintf("revision %d", number), row.Text))
	return out, nil
}

// Rollback writes an earlier revision back as a new one. ifMatch is the ETag
// of desired.yaml, or empty.
func (s *Server) Rollback(ctx context.Context, number int64, ifMatch string) (ApplyResult, error) {
	w := store.Write{Author: ActorFrom(ctx), Note: fmt.Sprintf("back to revision %d", number), IfMatch: home.Sum(condition(ifMatch))}
	return s.commit(ctx, w, func(w store.Write) (store.Revision, error) {
		return s.Store.Rollback(ctx, w, number)
	})
}

func revision(row store.Revision, older []byte, inForce int64) Revision {
	return Revision{
		Number: row.Number, Time: row.Time.UTC(), Author: row.Author, Note: row.Note,
		Diff: difference(older, row.Text), InForce: row.Number == inForce,
	}
}

// page bounds the length of a page.
func page(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return min(limit, maxPage)
}
