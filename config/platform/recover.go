package platform

import (
	"errors"
	"fmt"
	"io/fs"

	"corehost/config/home"
)

// displacedPrefix begins the name under which Recover keeps what somebody
// wrote at the very moment a write of the service was killed.
const displacedPrefix = home.PlatformFile + ".displaced-"

// Recover clears the temporary files that a kill left beside config.yaml and
// its backup, and returns the names of those it kept because they hold
// something that is nowhere else. Call it only under the home's lock.
func (f *File) Recover() (kept []string, err error) {
	known, err := f.known()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range []string{home.PlatformFile, BackupFile} {
		left, err := f.door.Leftovers(name)
		errs = append(errs, err)
		for _, leftover := range left {
			as, err := f.settle(leftover, known)
			errs = append(errs, err)
			if as != "" {
				kept = append(kept, as)
			}
		}
	}
	return kept, errors.Join(errs...)
}

// known are the contents that have a name of their own.
func (f *File) known() (map[home.Sum]bool, error) {
	known := map[home.Sum]bool{home.SumOf(nil): true}
	for _, name := range []string{home.PlatformFile, BackupFile} {
		file, err := f.door.Read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("recover %s: %w", home.PlatformFile, err)
		}
		known[file.Sum] = true
	}
	return known, nil
}

// settle ends a leftover. A write that was never acknowledged and content
// that has a name go; what a finished swap displaced becomes the backup it was
// to be; anything else gets a name that a person can find.
func (f *File) settle(leftover string, known map[home.Sum]bool) (as string, err error) {
	file, err := f.door.Read(leftover)
	if err != nil {
		return "", err
	}
	switch {
	case known[file.Sum] || home.Staged(leftover, file.Sum):
	case home.Displaced(leftover, file.Sum):
		err = f.door.Put(BackupFile, file)
	default:
		as = displacedPrefix + file.ModTime.UTC().Format("20060102T150405.000000000Z")
		err = f.door.Put(as, file)
	}
	if err != nil {
		return "", err
	}
	return as, f.door.Remove(leftover)
}
