package retention

import (
	"errors"
	"io/fs"
	"os"

	"corehost/reconcilers"
)

// Names beside an archive: its checksum, and what it is called while it is
// being removed.
const (
	sidecar = ".sha256"
	doomed  = ".pruned" // .core-….tar.gz.pruned
)

// remove takes an archive away in one step: it is renamed out of the
// listing, and only then are its checksum and its bytes removed. A kill in
// between leaves a hidden file that the next removal clears, never an archive
// that looks unfinished and never a checksum that vouches for nothing.
func remove(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	before, err := root.Lstat(name)
	if err != nil {
		return ignoreMissing(err)
	}
	hidden := "." + name + doomed
	if err := root.Rename(name, hidden); err != nil {
		return ignoreMissing(err)
	}
	after, err := root.Lstat(hidden)
	if err != nil || !os.SameFile(before, after) {
		return errors.Join(reconcilers.ErrStale, err, root.Rename(hidden, name))
	}
	if err := syncDir(root); err != nil {
		return err
	}
	if err := clearDoomed(root); err != nil {
		return err
	}
	return syncDir(root)
}

// clearDoomed removes every archive that was renamed for removal: the checksum
// first, so that the hidden file still tells what is left to do.
func clearDoomed(root *os.Root) error {
	leftovers, err := fs.Glob(root.FS(), ".core-*.tar.gz"+doomed)
	if err != nil {
		return err
	}
	for _, hidden := range leftovers {
		name := hidden[1 : len(hidden)-len(doomed)]
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			if err := root.Remove(name + sidecar); ignoreMissing(err) != nil {
				return err
			}
		}
		if err := root.Remove(hidden); ignoreMissing(err) != nil {
			return err
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	return dir.Sync()
}
