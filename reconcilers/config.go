package reconcilers

import (
	"errors"
	"fmt"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
	"corehost/desired"
	"corehost/observers"
)

// Condition reasons of every reconciler that owns values of config.yaml.
const (
	ReasonConfigInvalid = "ConfigInvalid" // the file does not parse
	ReasonSpliceRefused = "SpliceRefused" // the value cannot be changed without touching others
)

// ConfigObject is the object of every change to config.yaml.
const ConfigObject = home.PlatformFile

// ConfigChange is a change of values in config.yaml as a reconciler found it.
func ConfigChange(reconciler string, found observers.Platform, reason string, fields ...desired.FieldChange) Change {
	return Change{
		Reconciler: reconciler,
		Action:     ActionSet,
		Object:     ConfigObject,
		Fields:     fields,
		Reason:     reason,
		Needs:      Needs{Restart: ConfigReaders()},
		From:       string(found.Sum),
	}
}

// ConfigReaders are the units that read config.yaml once, when they start.
func ConfigReaders() []string { return []string{"core-gateway", "core-dashboard"} }

// ConfigOf is the reading of config.yaml a plan may be made from. A reading
// that is not known is a plain error, a file that does not parse is Blocked.
func ConfigOf(have *observers.Snapshot) (observers.Platform, error) {
	if !have.Platform.Known(have.At) {
		return observers.Platform{}, fmt.Errorf("read config.yaml: %s", have.Platform.Why(have.At))
	}
	config := have.Platform.Value
	if config.Problem != nil {
		return config, invalidConfig(config.Problem)
	}
	return config, nil
}

// ConfigError tells apart why an edit of config.yaml was refused: ErrStale
// when the file moved, Blocked when only a person can make room for the
// value, else the error itself.
func ConfigError(err error) error {
	var problem *platform.Problem
	var refused *yamledit.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, home.ErrChanged):
		return fmt.Errorf("%w: %w", ErrStale, err)
	case errors.As(err, &problem):
		return invalidConfig(problem)
	case errors.As(err, &refused):
		where := &platform.Problem{Line: refused.Line, Column: refused.Column, Message: refused.Message}
		return &Blocked{Reason: ReasonSpliceRefused, Message: where.Error() + ". Nothing was written; change this place by hand"}
	default:
		return err
	}
}

func invalidConfig(p *platform.Problem) error {
	return &Blocked{Reason: ReasonConfigInvalid, Message: p.Error() + ". Mend the file; it is never overwritten while it does not parse"}
}
