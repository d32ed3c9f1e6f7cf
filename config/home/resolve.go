package home

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symlinks of one name, as the kernel does
// (path_resolution(7)).
const maxLinks = 40

// resolve follows every symlink of a name, inside the folder only, to the name
// of the real file, which may not exist yet. The root refuses an escape on its
// own, too; this says which and lets an absolute link that stays inside pass.
func (d *Door) resolve(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%w: the name is not inside the home", fs.ErrInvalid)
	}
	var done []string
	pending := strings.Split(name, "/")
	for links := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && len(done) == 0:
			return "", ErrEscape
		case part == "..":
			done = done[:len(done)-1]
			continue
		}
		target, err := d.readlink(path.Join(append(done[:len(done):len(done)], part)...))
		if err != nil {
			return "", err
		}
		if target == "" {
			done = append(done, part)
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("more than %d symlinks", maxLinks)
		}
		if path.IsAbs(target) {
			inside, ok := d.inside(target)
			if !ok {
				return "", ErrEscape
			}
			done, target = nil, inside
		}
		pending = append(strings.Split(target, "/"), pending...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return path.Join(done...), nil
}

// readlink is the target of a symlink, empty when the name is none.
func (d *Door) readlink(name string) (string, error) {
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", err
	}
	return d.root.Readlink(name)
}

// inside is the part of an absolute path below the folder.
func (d *Door) inside(target string) (string, bool) {
	for _, base := range []string{d.path, d.real} {
		if rest, ok := strings.CutPrefix(target, strings.TrimSuffix(base, "/")+"/"); ok {
			return rest, true
		}
	}
	return "", false
}
