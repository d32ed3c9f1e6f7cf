package reconcilers_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"corehost/config/home"
	"corehost/config/platform"
	"corehost/config/yamledit"
	"corehost/observers"
	"corehost/reconcilers"
)

func TestConfigError(t *testing.T) {
	tests := []struct {
		name    string
		err     error
		kind    error // of stale and blocked
		reason  string
		message string
	}{
		{"moved", fmt.Errorf("edit config.yaml: %w", home.ErrChanged), reconcilers.ErrStale, "", "changed since"},
		{"does not parse", &platform.Problem{Line: 3, Column: 7, Message: "a tab"}, reconcilers.ErrBlocked, reconcilers.ReasonConfigInvalid, "config.yaml:3:7: a tab"},
		{"shared", fmt.Errorf("edit config.yaml: %w", &yamledit.Error{Line: 2, Column: 1, Kind: yamledit.ErrShared, Message: "shared by &m"}),
			reconcilers.ErrBlocked, reconcilers.ReasonSpliceRefused, "config.yaml:2:1: shared by &m"},
		{"whole file", &yamledit.Error{Kind: yamledit.ErrLimit, Message: "too many"}, reconcilers.ErrBlocked, reconcilers.ReasonSpliceRefused, "config.yaml: too many"},
		{"anything else is retried", fs.ErrPermission, nil, "", "permission denied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := reconcilers.ConfigError(tt.err)
			for _, kind := range []error{reconcilers.ErrStale, reconcilers.ErrBlocked, reconcilers.ErrAbsent} {
				if errors.Is(got, kind) != errors.Is(tt.kind, kind) {
					t.Errorf("errors.Is(%v, %v) is %v", got, kind, errors.Is(got, kind))
				}
			}
			var blocked *reconcilers.Blocked
			if errors.As(got, &blocked) && blocked.Reason != tt.reason || !strings.Contains(got.Error(), tt.message) {
				t.Errorf("got %#v", got)
			}
		})
	}
	if err := reconcilers.ConfigError(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

func TestConfigOf(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	old := &observers.Snapshot{At: now, Platform: observers.Reading[observers.Platform]{At: now.Add(-time.Hour), Interval: time.Second}}
	if _, err := reconcilers.ConfigOf(old); err == nil || errors.Is(err, reconcilers.ErrBlocked) {
		t.Errorf("an old reading gives %v, want an error that is retried", err)
	}
	broken := &observers.Snapshot{At: now, Platform: observers.Reading[observers.Platform]{At: now, Interval: time.Second,
		Value: observers.Platform{Exists: true, Problem: &platform.Problem{Line: 1, Column: 2, Message: "no"}}}}
	if _, err := reconcilers.ConfigOf(broken); !errors.Is(err, reconcilers.ErrBlocked) || !strings.Contains(err.Error(), "config.yaml:1:2: no") {
		t.Errorf("a broken file gives %v, want Blocked with the place", err)
	}
}
