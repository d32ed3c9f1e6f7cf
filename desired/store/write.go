package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired"
)

const (
	fileMode = 0o644 // of a file that is not there yet; nothing in it is secret
	attempts = 8     // against somebody who writes the file at the same moment
)

// Write says who writes and what is to be overwritten.
type Write struct {
	Author, Note string
	IfMatch      home.Sum // of the file that was read; empty: whatever is there now
}

// Edit changes single values and leaves every other byte as it is. Paths begin
// with "spec.". Errors: home.ErrChanged when IfMatch is not the file any more,
// a *desired.Invalid when the file would be invalid, a *yamledit.Error when
// there is no safe way. An edit that changes nothing returns the revision in
// force.
func (s *Store) Edit(ctx context.Context, w Write, edits ...yamledit.Edit) (Revision, error) {
	return s.write(ctx, w, false, func(file home.File, missing bool) ([]byte, error) {
		if missing {
			return nil, fmt.Errorf("edit %s: %w; bring it back with a rollback", home.DesiredFile, fs.ErrNotExist)
		}
		text, err := yamledit.Apply(file.Data, edits...)
		if invalid := s.Current().Invalid; err != nil && invalid != nil {
			return nil, invalid
		}
		return text, err
	})
}

// Replace writes a whole text. An invalid file that is overwritten so is kept
// beside as desired.yaml.invalid-<time>. Errors as with Edit.
func (s *Store) Replace(ctx context.Context, w Write, text []byte) (Revision, error) {
	return s.write(ctx, w, true, func(home.File, bool) ([]byte, error) { return text, nil })
}

// Rollback writes the exact bytes of an earlier revision as a new one, or
// returns ErrNoRevision. Otherwise it is a Replace.
func (s *Store) Rollback(ctx context.Context, w Write, number int64) (Revision, error) {
	r, err := s.Get(ctx, number)
	if err != nil {
		return Revision{}, err
	}
	if w.Author == "" {
		w.Author = authorRollback
	}
	if w.Note == "" {
		w.Note = fmt.Sprintf("rollback to revision %d", number)
	}
	return s.Replace(ctx, w, r.Text)
}

// write takes the file as it is now, makes a new text of it and puts that in
// its place; when somebody was faster, from the start.
func (s *Store) write(ctx context.Context, w Write, keepInvalid bool, edit func(file home.File, missing bool) ([]byte, error)) (Revision, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	for range attempts {
		file, err := s.refresh(ctx)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return Revision{}, err
		}
		if w.IfMatch != "" && w.IfMatch != file.Sum {
			return Revision{}, fmt.Errorf("write %s: %w", home.DesiredFile, home.ErrChanged)
		}
		text, err := edit(file, missing)
		if err != nil {
			return Revision{}, err
		}
		host, err := Check(text)
		if err != nil {
			return Revision{}, err
		}
		if home.SumOf(text) == file.Sum {
			return s.Current().Revision, nil
		}
		if s.Current().Invalid != nil && keepInvalid {
			if err := s.keep(invalidPrefix, file); err != nil {
				return Revision{}, err
			}
		}
		r, err := s.put(ctx, w, host, text, file.Sum)
		if errors.Is(err, home.ErrChanged) && w.IfMatch == "" {
			continue
		}
		return r, err
	}
	return Revision{}, fmt.Errorf("write %s: %w, again and again", home.DesiredFile, home.ErrChanged)
}

// put announces, writes and records. From the announcement on it does not stop
// when ctx ends: it is one step.
func (s *Store) put(ctx context.Context, w Write, host *desired.Host, text []byte, expect home.Sum) (Revision, error) {
	ctx = context.WithoutCancel(ctx)
	r := Revision{Time: s.Now(), Author: w.Author, Note: w.Note, Text: text, Sum: home.SumOf(text)}
	if r.Author == "" {
		r.Author = authorOperator
	}
	if r.Sum == s.Current().Revision.Sum { // back to what is in force, over an invalid or missing file
		return s.mend(ctx, text, expect)
	}
	if err := s.announce(ctx, r); err != nil {
		return Revision{}, err
	}
	if _, err := s.Door.Write(home.DesiredFile, text, expect, fileMode); err != nil {
		_, _ = s.refresh(ctx) // it may be there although the door failed after it
		return Revision{}, errors.Join(err, s.withdraw(ctx))
	}
	return s.accept(ctx, host, r)
}

// mend writes the content in force back: no new revision.
func (s *Store) mend(ctx context.Context, text []byte, expect home.Sum) (Revision, error) {
	if _, err := s.Door.Write(home.DesiredFile, text, expect, fileMode); err != nil {
		return Revision{}, err
	}
	_, err := s.refresh(ctx)
	return s.Current().Revision, err
}
