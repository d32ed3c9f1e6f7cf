package wire

import (
	"os"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/provider"
	"corehost/observers"
	"corehost/observers/backup"
	"corehost/observers/host"
	"corehost/observers/hub"
	"corehost/observers/key"
	"corehost/observers/mesh"
	observed "corehost/observers/platform"
	unitobserver "corehost/observers/unit"
	"corehost/observers/vault"
	"corehost/reconcilers"
	"corehost/reconcilers/model"
	"corehost/reconcilers/reasoning"
	"corehost/reconcilers/retention"
	"corehost/reconcilers/unit"
	"corehost/reconcilers/unit/systemd"
)

// rootDisk is the file system whose use is shown.
const rootDisk = "/"

// observe is the list of everything that is observed.
func (i *Instance) observe(p home.Paths, file *platform.File) {
	h := i.hub
	hub.Register(h, host.New(p.Proc, p.Etc, rootDisk, i.store.Now), func(s *observers.Snapshot) *observers.Reading[observers.Host] { return &s.Host })
	hub.Register(h, unitobserver.New(unitobserver.Config{Names: i.unitNames, Proc: p.Proc}), func(s *observers.Snapshot) *observers.Reading[observers.Units] { return &s.Units })
	hub.Register(h, observed.New(observed.Config{Door: i.door, File: file, Writers: i.writer}), func(s *observers.Snapshot) *observers.Reading[observers.Platform] { return &s.Platform })
	hub.Register(h, key.New(key.Config{Door: i.door, Environ: os.Environ, Listed: i.keyNames}), func(s *observers.Snapshot) *observers.Reading[observers.Keys] { return &s.Keys })
	hub.Register(h, vault.New(p.Home), func(s *observers.Snapshot) *observers.Reading[observers.VaultFiles] { return &s.Vault })
	hub.Register(h, mesh.New(mesh.Config{Path: os.Getenv("PATH")}), func(s *observers.Snapshot) *observers.Reading[observers.Mesh] { return &s.Mesh })
	hub.Register(h, backup.New(p.Backup), func(s *observers.Snapshot) *observers.Reading[observers.Backups] { return &s.Backups })
}

// list is the list of everything that is looked after.
func list(file *platform.File, units *systemd.Manager, p home.Paths, self string) []reconcilers.Reconciler {
	return []reconcilers.Reconciler{
		model.New(file),
		reasoning.New(file),
		unit.New(units, self),
		retention.New(backup.New(p.Backup)),
	}
}

// unitNames are the units that desired.yaml names.
func (i *Instance) unitNames() []string {
	var names []string
	for _, unit := range i.store.Current().Host.Spec.Units {
		names = append(names, unit.Name)
	}
	return names
}

// keyNames are the environment names from which a provider, known or the
// user's own, takes its key.
func (i *Instance) keyNames() []string {
	var names []string
	own := i.hub.Snapshot().Platform.Value.Config.Providers
	for _, p := range provider.Load(own).All() {
		names = append(names, p.KeyEnvs...)
	}
	return names
}
