package store

import (
	"context"
	"errors"

	"corehost/config/home"
	"corehost/desired"
)

// fileError is trouble with the file itself; State.Problem shows it.
type fileError struct{ error }

func (e *fileError) Unwrap() error { return e.error }

// refresh reads the file and takes it for what it is: in force, invalid, or a
// new revision. It returns the file, also when it is invalid. The turn is held.
func (s *Store) refresh(ctx context.Context) (home.File, error) {
	file, err := s.read(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return home.File{}, ctx.Err()
		}
		next := s.Current()
		next.FileSum, next.Invalid, next.Problem = home.NoFile, nil, err
		s.become(next)
		return home.File{}, &fileError{err}
	}
	return file, s.take(ctx, file)
}

// take makes readable content the state of things.
func (s *Store) take(ctx context.Context, file home.File) error {
	next := s.Current()
	known := next.FileSum == file.Sum && next.Problem == nil
	if known && (next.Invalid != nil || next.Revision.Sum == file.Sum) {
		return nil
	}
	next.FileSum, next.Invalid, next.Problem = file.Sum, nil, nil
	if file.Sum == next.Revision.Sum && next.Revision.Number > 0 {
		s.become(next)
		return nil
	}
	host, err := Check(file.Data)
	if errors.As(err, &next.Invalid) {
		s.become(next)
		return nil
	}
	_, err = s.accept(ctx, host, s.attribute(file))
	return err
}

// attribute says who wrote a content: the write that was announced, if this
// is it, else somebody who edits the file.
func (s *Store) attribute(file home.File) Revision {
	if s.pending != nil && s.pending.Sum == file.Sum {
		return *s.pending
	}
	return Revision{Time: s.Now(), Author: authorFile, Text: file.Data, Sum: file.Sum}
}

// accept records a valid content that lies in the file and puts it in force.
// What cannot be recorded is not in force, and the problem is shown.
func (s *Store) accept(ctx context.Context, host *desired.Host, r Revision) (Revision, error) {
	next := s.Current()
	r, err := s.record(ctx, r)
	if err != nil {
		next.FileSum, next.Invalid, next.Problem = r.Sum, nil, err
		s.become(next)
		return Revision{}, err
	}
	s.pending = nil
	host = document(host, r.Number)
	for _, change := range desired.Diff(next.Host, host) {
		if s.origins != nil {
			s.origins[change.Field] = r.Number
		}
	}
	s.become(State{Host: host, Revision: r, FileSum: r.Sum})
	return r, nil
}
