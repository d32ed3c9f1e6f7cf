package yamledit

import (
	"errors"
	"fmt"
)

// Kinds of refusal, for errors.Is.
var (
	// ErrSyntax: the bytes are not YAML.
	ErrSyntax = errors.New("invalid YAML")
	// ErrDuplicate: a mapping has a key twice.
	ErrDuplicate = errors.New("duplicate key")
	// ErrShared: other places share the value by an anchor, or it comes from one.
	ErrShared = errors.New("shared by an anchor")
	// ErrUnsupported: valid YAML, but no safe way to do what was asked.
	ErrUnsupported = errors.New("no safe edit")
	// ErrLimit: too large, too deep, or too many aliases.
	ErrLimit = errors.New("too large")
)

// Error says where and why. Messages name keys and anchors, never values.
type Error struct {
	Line    int   // 1-based; 0: the whole file
	Column  int   // 1-based, in characters; 0: the whole line
	Kind    error // one of the sentinels
	Message string
}

// Error is line:column: message.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Message
	case e.Column == 0:
		return fmt.Sprintf("%d: %s", e.Line, e.Message)
	default:
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	}
}

// Unwrap is the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fail(kind error, line, column int, format string, args ...any) *Error {
	return &Error{Line: line, Column: column, Kind: kind, Message: fmt.Sprintf(format, args...)}
}
