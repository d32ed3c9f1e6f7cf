package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"corehost/config/home"
	"corehost/desired"
)

// Names of files that hold what a person wrote and no revision has.
const (
	invalidPrefix   = home.DesiredFile + ".invalid-"   // overwritten while it was invalid
	displacedPrefix = home.DesiredFile + ".displaced-" // saved at the moment the process was killed
	maxKept         = 5                                // of each
)

// recover finishes what a crash left: it reads the file with the announced
// write at hand, clears temporary files, and writes the first document of a
// home that never had one.
func (s *Store) recover(ctx context.Context) error {
	pending := s.pending
	file, err := s.refresh(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.clear(ctx, file, pending)
	if s.pending != nil && s.Current().Problem == nil {
		if err := s.withdraw(ctx); err != nil {
			return err
		}
	}
	if !s.Create || s.DB.Memory || !errors.Is(err, fs.ErrNotExist) || s.Current().Revision.Number > 0 {
		return nil
	}
	return s.first(ctx)
}

// first writes the first document. Where that cannot be, State says why.
func (s *Store) first(ctx context.Context) error {
	text := desired.Template(s.Hostname)
	host, err := Check(text)
	if err != nil {
		return fmt.Errorf("write the first document: %w", err)
	}
	w := Write{Author: authorOperator, Note: "first start"}
	if _, err := s.put(ctx, w, host, text, home.NoFile); err != nil {
		next := s.Current()
		next.Problem = err
		s.become(next)
	}
	return nil
}

// clear removes temporary files whose content is known and keeps the others
// under a name a person can find. What it cannot do now it does at the next
// start.
func (s *Store) clear(ctx context.Context, file home.File, pending *Revision) {
	left, err := s.Door.Leftovers(home.DesiredFile)
	if err != nil {
		return
	}
	for _, name := range left {
		f, err := s.Door.Read(name)
		if err != nil {
			continue
		}
		copied := bytes.HasPrefix(file.Data, f.Data) || pending != nil && bytes.HasPrefix(pending.Text, f.Data)
		if copied || s.isKnown(ctx, f.Sum) || s.keep(displacedPrefix, f) == nil {
			_ = s.Door.Remove(name)
		}
	}
}

// isKnown reports whether a revision or a kept file has this content.
func (s *Store) isKnown(ctx context.Context, sum home.Sum) bool {
	for _, name := range s.kept(invalidPrefix) {
		if f, err := s.Door.Read(name); err == nil && f.Sum == sum {
			return true
		}
	}
	known, err := s.knownSum(ctx, sum)
	return err == nil && known
}

// keep saves a content beside the file, the newest few of a kind and the one
// just made whatever the clock says.
func (s *Store) keep(prefix string, f home.File) error {
	stamp := prefix + s.Now().UTC().Format("20060102T150405.000000000Z") // sorts by time
	name := stamp
	_, err := s.Door.Write(name, f.Data, home.NoFile, f.Mode)
	for i := 2; errors.Is(err, home.ErrChanged) && i <= 2*maxKept; i++ { // the clock stands still
		name = fmt.Sprintf("%s-%d", stamp, i)
		_, err = s.Door.Write(name, f.Data, home.NoFile, f.Mode)
	}
	if err != nil {
		return fmt.Errorf("keep a copy of %s: %w", home.DesiredFile, err)
	}
	names := slices.DeleteFunc(s.kept(prefix), func(other string) bool { return other == name })
	for len(names) >= maxKept {
		_ = s.Door.Remove(names[0])
		names = names[1:]
	}
	return nil
}

// kept names the kept files of a kind, oldest first.
func (s *Store) kept(prefix string) []string {
	entries, _ := os.ReadDir(s.Door.Path())
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), prefix) {
			names = append(names, entry.Name())
		}
	}
	return names
}
