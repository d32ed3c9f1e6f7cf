package retention

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// Name of the reconciler.
const Name = "retention"

// Looker reads the backup folder now; the backup observer is one.
type Looker interface {
	Observe(ctx context.Context) (observers.Backups, error)
}

// Reconciler owns the whole-server backups.
type Reconciler struct{ look Looker }

// New returns the reconciler of the folder that look reads.
func New(look Looker) *Reconciler { return &Reconciler{look: look} }

// Name is "retention".
func (r *Reconciler) Name() string { return Name }

// Watches names the backup folder.
func (r *Reconciler) Watches() []string { return []string{"backup"} }

// Owns lists every backup.
func (r *Reconciler) Owns() []string { return []string{"backup.file.*"} }

// Plan returns one change for each backup no rule keeps, oldest first.
func (r *Reconciler) Plan(want *desired.Host, have *observers.Snapshot) ([]reconcilers.Change, error) {
	if want.Spec.Backup == nil || want.Spec.Backup.Retention == nil {
		return nil, nil
	}
	if !have.Backups.Known(have.At) {
		return nil, fmt.Errorf("list backups: %s", have.Backups.Why(have.At))
	}
	files := make(map[string]observers.BackupFile, len(have.Backups.Value.Files))
	for _, f := range have.Backups.Value.Files {
		files[f.Name] = f
	}
	var changes []reconcilers.Change
	for _, v := range slices.Backward(Select(have.Backups.Value.Files, *want.Spec.Backup.Retention, have.At)) {
		if !v.Keep {
			changes = append(changes, change(files[v.Name], v.Reason))
		}
	}
	return changes, nil
}

func change(f observers.BackupFile, reason string) reconcilers.Change {
	return reconcilers.Change{
		Reconciler: Name,
		Action:     reconcilers.ActionDelete,
		Object:     f.Name,
		Fields:     []desired.FieldChange{{Field: "backups[" + f.Name + "]", From: humanize.IBytes(uint64(max(f.Size, 0)))}},
		Reason:     reason,
		From:       f.Identity,
	}
}

// Apply removes one backup and its checksum. It looks again first: another
// file of that name, or a folder in which this is the last good one, is stale.
func (r *Reconciler) Apply(ctx context.Context, change reconcilers.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now, err := r.look.Observe(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now.Files, func(f observers.BackupFile) bool { return f.Name == change.Object })
	if i < 0 {
		return nil
	}
	if now.Files[i].Identity != change.From || !now.Files[i].Verified {
		return fmt.Errorf("remove %s: %w", change.Object, reconcilers.ErrStale)
	}
	if !othersGood(now.Files, i) {
		return fmt.Errorf("remove %s: it is the last good backup: %w", change.Object, reconcilers.ErrStale)
	}
	if err := remove(now.Dir, change.Object); err != nil {
		return fmt.Errorf("remove %s: %w", change.Object, err)
	}
	return nil
}

// othersGood reports whether a newer good backup remains without the one.
func othersGood(files []observers.BackupFile, without int) bool {
	return slices.ContainsFunc(files, func(f observers.BackupFile) bool {
		return f.Verified && f.Stamp.After(files[without].Stamp)
	})
}
