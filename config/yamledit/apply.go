package yamledit

import (
	"errors"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxEdits bounds one call; each edit parses the file twice.
const maxEdits = 100

// Apply makes the edits in their order and returns the new bytes: all of
// them or, with an *Error, none. Values that are already as wanted change
// nothing. After each edit the bytes are parsed again and compared: only the
// named value differs, every byte outside the spliced places is the same.
func Apply(src []byte, edits ...Edit) ([]byte, error) {
	if len(edits) > maxEdits {
		return nil, fail(ErrLimit, 0, 0, "more than %d edits at once", maxEdits)
	}
	f, err := load(src)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		if f, err = f.apply(e); err != nil {
			return nil, err
		}
	}
	return f.src, nil
}

// splice replaces the bytes from..to.
type splice struct {
	from, to int
	text     string
}

// attempt is one way to make an edit: the splices, and what the tree is then.
type attempt struct {
	splices []splice
	node    *yaml.Node   // whose content changes; nil: the root is replaced
	content []*yaml.Node // its content afterwards
	root    *yaml.Node   // the root afterwards, where node is nil
}

// apply makes one edit, in the first way that proves right.
func (f *file) apply(e Edit) (*file, error) {
	segments, err := parsePath(e.Path)
	if err != nil {
		return nil, err
	}
	attempts, err := f.attempts(segments, e)
	if err != nil {
		return nil, located(err, f.root)
	}
	if attempts == nil {
		return f, nil
	}
	for _, a := range attempts {
		src, ok := f.spliced(a.splices)
		if !ok {
			continue
		}
		after, err := load(src)
		if err != nil {
			if errors.Is(err, ErrLimit) {
				return nil, err
			}
			continue
		}
		if f.proved(after, a) && done(after.root, segments, e) {
			return after, nil
		}
	}
	return nil, f.fail(ErrUnsupported, f.nearest(segments), "there is no safe way to change %s here", e.Path)
}

// attempts says how an edit can be made; none when nothing is to do.
func (f *file) attempts(segments []segment, e Edit) ([]attempt, error) {
	if e.nest != "" {
		return f.nest(segments, e.nest)
	}
	if e.Remove {
		return f.remove(segments)
	}
	want, err := wanted(segments, e.Value)
	if err != nil {
		return nil, err
	}
	if f.root != nil {
		if have, ok := lookup(f.root, segments); ok && holds(have, want) {
			return nil, nil
		}
	}
	return f.set(segments, want)
}

// spliced copies the file with the splices made; not ok when they overlap.
func (f *file) spliced(splices []splice) (_ []byte, ok bool) {
	sort.SliceStable(splices, func(i, j int) bool { return splices[i].from < splices[j].from })
	var b strings.Builder
	at := 0
	for _, s := range splices {
		if s.from < at || s.to < s.from || s.to > len(f.src) {
			return nil, false
		}
		b.Write(f.src[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.Write(f.src[at:])
	return []byte(b.String()), true
}

// proved compares the tree that was read back with the one that was meant.
func (f *file) proved(after *file, a attempt) bool {
	want := f.root
	if a.node == nil {
		want = a.root
	} else {
		before := a.node.Content
		a.node.Content = a.content
		defer func() { a.node.Content = before }()
	}
	if want == nil || after.root == nil {
		return want == nil && after.root == nil
	}
	return comparer{}.same(want, after.root)
}

// done asks the new tree what a reader would.
func done(root *yaml.Node, segments []segment, e Edit) bool {
	if root == nil {
		return e.Remove
	}
	have, found := lookup(root, segments)
	switch {
	case e.Remove:
		return !found
	case e.nest != "":
		return found && have.Kind == yaml.MappingNode
	}
	want, err := wanted(segments, e.Value)
	return err == nil && found && holds(have, want)
}

// fail is a refusal at a node.
func (f *file) fail(kind error, n *yaml.Node, format string, args ...any) *Error {
	if n == nil {
		return fail(kind, 0, 0, format, args...)
	}
	return fail(kind, n.Line, n.Column, format, args...)
}

// nearest is the deepest node of a path that is there.
func (f *file) nearest(segments []segment) *yaml.Node {
	if f.root == nil {
		return nil
	}
	for i := len(segments); i > 0; i-- {
		if n, ok := lookup(f.root, segments[:i]); ok {
			return n
		}
	}
	return f.root
}

// located makes an *Error of what the search for a value's bytes met.
func located(err error, root *yaml.Node) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	line, column := 0, 0
	if root != nil {
		line, column = root.Line, root.Column
	}
	return fail(ErrUnsupported, line, column, "%v", err)
}
