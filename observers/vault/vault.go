// Package vault observes the vault's two files from outside.
//
// Law: it asks the folder about them (lstat) and never opens one.
package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"corehost/config/home"
	"corehost/observers"
	"corehost/observers/folder"
)

const interval = time.Minute

// Vault observes secrets.db and .kek of one home.
type Vault struct{ home string }

// New observes the vault in the folder home.
func New(home string) *Vault { return &Vault{home: home} }

// Name is "vault".
func (v *Vault) Name() string { return "vault" }

// Interval is a minute; changes of the files wake it.
func (v *Vault) Interval() time.Duration { return interval }

// Wake tells of changes of either file.
func (v *Vault) Wake(ctx context.Context, wake func()) error {
	return folder.Watch(ctx, v.home, folder.Named(home.SecretsFile, home.KeyFile), wake)
}

// Observe looks at both files. A file that is not there is no error.
func (v *Vault) Observe(context.Context) (observers.VaultFiles, error) {
	out := observers.VaultFiles{
		StorePath: filepath.Join(v.home, home.SecretsFile),
		KeyPath:   filepath.Join(v.home, home.KeyFile),
		KeyOwner:  -1,
	}
	store, err := look(out.StorePath)
	if err != nil {
		return observers.VaultFiles{}, err
	}
	key, err := look(out.KeyPath)
	if err != nil {
		return observers.VaultFiles{}, err
	}
	if store != nil {
		out.StoreExists, out.StoreSize = true, store.Size()
	}
	if key != nil {
		out.KeyExists, out.KeySize = true, key.Size()
		out.KeyMode, out.KeyRegular = permissions(key), key.Mode().IsRegular()
		if st, ok := key.Sys().(*syscall.Stat_t); ok {
			out.KeyOwner = int(st.Uid)
		}
	}
	return out, nil
}

// permissions are the twelve bits that chmod sets.
func permissions(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Mode & 0o7777
	}
	return uint32(info.Mode().Perm())
}

// look is nil without an error for a file that is not there.
func look(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at the vault: %w", err)
	}
	return info, nil
}
