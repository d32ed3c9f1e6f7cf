package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"corehost/config/home"
	"corehost/desired"
)

const (
	staged    = ".corehost-" + home.DesiredFile // what the door names its temporary files
	invalid   = home.DesiredFile + ".invalid-"
	displaced = home.DesiredFile + ".displaced-"
	maxKept   = 5 // files of each of the two kinds
)

// recover finishes what a crash left: it reads the file with the announced
// write at hand, clears temporary files, and writes the first document of a
// home that never had one.
func (s *Store) recover(ctx context.Context) error {
	file, err := s.refresh(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.clear(ctx, file)
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
// under a name a person can find. It is best effort: what it cannot do now it
// does at the next start.
func (s *Store) clear(ctx context.Context, file home.File) {
	root, err := os.OpenRoot(s.Door.Path())
	if err != nil {
		return
	}
	defer root.Close()
	for _, dir := range s.folders() {
		for _, name := range list(root, dir, staged) {
			if s.isKnown(ctx, root, name, file) {
				_ = root.Remove(name)
				continue
			}
			keepAs := path.Join(path.Dir(name), displaced+s.stamp())
			if _, err := root.Lstat(keepAs); errors.Is(err, fs.ErrNotExist) && root.Rename(name, keepAs) == nil {
				trim(root, path.Dir(name), displaced, keepAs)
			}
		}
	}
}

// isKnown reports whether a temporary file holds nothing of its own: a content
// of the history, or the (perhaps unfinished) copy of one that was under way.
func (s *Store) isKnown(ctx context.Context, root *os.Root, name string, file home.File) bool {
	f, err := s.Door.Read(name)
	if err != nil {
		return false
	}
	if s.pending != nil && bytes.HasPrefix(s.pending.Text, f.Data) || bytes.HasPrefix(file.Data, f.Data) {
		return true
	}
	for _, kept := range list(root, path.Dir(name), invalid) {
		if k, err := s.Door.Read(kept); err == nil && k.Sum == f.Sum {
			return true
		}
	}
	known, err := s.knownSum(ctx, f.Sum)
	return err == nil && known
}

// keepInvalid saves the bytes of a file that is about to be overwritten.
func (s *Store) keepInvalid(file home.File) error {
	name := invalid + s.stamp()
	if _, err := s.Door.Write(name, file.Data, home.NoFile, file.Mode); err != nil {
		return fmt.Errorf("keep the invalid %s: %w", home.DesiredFile, err)
	}
	root, err := os.OpenRoot(s.Door.Path())
	if err != nil {
		return nil
	}
	defer root.Close()
	trim(root, ".", invalid, name)
	return nil
}

// stamp is the time in a file name; names sort by it.
func (s *Store) stamp() string { return s.Now().UTC().Format("20060102T150405.000000000Z") }

// trim keeps the newest files of a kind, and the one just made whatever the
// clock says.
func trim(root *os.Root, dir, prefix, fresh string) {
	names := slices.DeleteFunc(list(root, dir, prefix), func(name string) bool { return name == fresh })
	for len(names) > maxKept-1 {
		_ = root.Remove(names[0])
		names = names[1:]
	}
}

// list names the regular files of a folder that begin with prefix, in order.
func list(root *os.Root, dir, prefix string) []string {
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), prefix) {
			names = append(names, path.Join(dir, entry.Name()))
		}
	}
	slices.Sort(names)
	return names
}
