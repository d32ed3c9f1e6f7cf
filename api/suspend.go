package api

import (
	"context"
	"time"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired/store"
)

// SetSuspend is the body of PUT /api/suspend.
type SetSuspend struct {
	Active bool       `json:"active" doc:"true: observe and plan, change nothing"`
	Reason string     `json:"reason,omitempty" maxLength:"500" doc:"Why, for whoever looks at it next"`
	Until  *time.Time `json:"until,omitempty" doc:"When the host is resumed by itself"`
}

// SetSuspend stops every change to the host, or lets them go on.
func (s *Server) SetSuspend(ctx context.Context, active bool, reason string, until *time.Time) (ApplyResult, error) {
	if err := s.writable(ctx); err != nil {
		return ApplyResult{}, err
	}
	state := s.Store.Current()
	text, err := suspendText(state.Revision.Text, active, reason, until)
	if err != nil {
		return ApplyResult{}, s.failure(ctx, err)
	}
	note := "resumed"
	if active {
		note = "suspended"
	}
	return s.write(ctx, func(w store.Write) (store.Revision, error) {
		w.Note, w.IfMatch = note, state.FileSum
		return s.Store.Replace(ctx, w, text)
	})
}

// suspendText is the document with the suspension in it: a plain true or
// false where that says all, a mapping where there is a reason or an end.
func suspendText(text []byte, active bool, reason string, until *time.Time) ([]byte, error) {
	root, err := yamledit.Parse(text)
	if err != nil {
		return nil, err
	}
	_, mapping := yamledit.Lookup(root, "spec.suspend.active")
	if reason == "" && until == nil && !mapping {
		return yamledit.Apply(text, yamledit.Set("spec.suspend", active))
	}
	if text, err = yamledit.Apply(text, yamledit.Nest("spec.suspend", "active")); err != nil {
		return nil, err
	}
	edits := []yamledit.Edit{yamledit.Set("spec.suspend.active", active)}
	edits = append(edits, optional(text, "spec.suspend.reason", reason)...)
	end := ""
	if until != nil {
		end = until.UTC().Format(time.RFC3339)
	}
	edits = append(edits, optional(text, "spec.suspend.until", end)...)
	return yamledit.Apply(text, edits...)
}

// optional sets a value, or removes it when it is empty and there.
func optional(text []byte, path, value string) []yamledit.Edit {
	if value != "" {
		return []yamledit.Edit{yamledit.Set(path, value)}
	}
	root, err := yamledit.Parse(text)
	if err != nil {
		return nil
	}
	if _, ok := yamledit.Lookup(root, path); !ok {
		return nil
	}
	return []yamledit.Edit{yamledit.Remove(path)}
}

// etagOf is the entity tag of desired.yaml as it lies on disk.
func etagOf(sum home.Sum) string { return quoted(string(sum)) }
