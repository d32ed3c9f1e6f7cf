package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"corehost/config/home"
	"corehost/config/yamledit"
)

// BackupFile holds the bytes of config.yaml before its last change.
const BackupFile = home.PlatformFile + ".bak"

// newMode is the mode of a config.yaml that the service creates; people put
// keys into it.
const newMode fs.FileMode = 0o600

// File is config.yaml behind the door of its home. It keeps no state and is
// safe for concurrent use; of two writers one gets home.ErrChanged.
type File struct {
	door *home.Door
}

// NewFile is the config.yaml of a home.
func NewFile(door *home.Door) *File { return &File{door: door} }

// Read returns the bytes and what they say. An absent file is the zero
// home.File, whose sum is home.NoFile, and no error. A file that does not
// parse is returned with a *Problem.
func (f *File) Read() (home.File, Config, error) {
	file, err := f.door.Read(home.PlatformFile)
	if errors.Is(err, fs.ErrNotExist) {
		return home.File{Sum: home.NoFile}, Config{}, nil
	}
	if err != nil {
		return home.File{}, Config{}, err
	}
	c, p := Parse(file.Data)
	if p != nil {
		return file, Config{}, p
	}
	return file, c, nil
}

// Edit makes the edits in the file that has the expected content, else
// home.ErrChanged. The bytes before all of them are in BackupFile when it
// returns; after a kill in between Recover puts them there. Edits that change
// nothing write nothing. A file that does not parse is never written.
func (f *File) Edit(expect home.Sum, edits ...yamledit.Edit) (home.File, error) {
	before, err := f.current(expect)
	if err != nil {
		return home.File{}, err
	}
	after, err := Edit(before.Data, edits...)
	if err != nil {
		return home.File{}, fmt.Errorf("edit %s: %w", home.PlatformFile, err)
	}
	if bytes.Equal(before.Data, after) {
		return before, nil
	}
	return f.replace(before, after)
}

// Restore brings exact bytes back, as the revert of a try does, whatever they
// or the present ones say. Nil data means that there was no file: it is
// removed. The bytes before are kept in BackupFile as for any change.
func (f *File) Restore(expect home.Sum, data []byte) (home.File, error) {
	before, err := f.current(expect)
	if err != nil {
		return home.File{}, err
	}
	if data == nil {
		return home.File{Sum: home.NoFile}, f.remove(before)
	}
	if before.Sum == home.SumOf(data) {
		return before, nil
	}
	return f.replace(before, data)
}

// current reads the file and makes sure it is the one expected.
func (f *File) current(expect home.Sum) (home.File, error) {
	file, err := f.door.Read(home.PlatformFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		file = home.File{Sum: home.NoFile, Mode: newMode}
	case err != nil:
		return home.File{}, err
	}
	if file.Sum != expect {
		return home.File{}, fmt.Errorf("edit %s: %w", home.PlatformFile, home.ErrChanged)
	}
	return file, nil
}

func (f *File) replace(before home.File, data []byte) (home.File, error) {
	return f.door.Replace(home.PlatformFile, BackupFile, data, before.Sum, before.Mode)
}

func (f *File) remove(before home.File) error {
	if before.Sum == home.NoFile {
		return nil
	}
	if err := f.door.Put(BackupFile, before); err != nil {
		return err
	}
	return f.door.RemoveIf(home.PlatformFile, before.Sum)
}
