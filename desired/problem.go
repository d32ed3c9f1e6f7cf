package desired

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with a document, at the place it stands.
type Problem struct {
	Line    int    `json:"line"`            // 1-based; 0 when the whole file is meant
	Column  int    `json:"column"`          // 1-based, in characters
	Field   string `json:"field,omitempty"` // spec.model.provider
	Message string `json:"message"`         // what is wrong
	Hint    string `json:"hint,omitempty"`  // what to do: did you mean "provider"?
}

// Invalid is the error of a document that cannot be in force. It has at
// least one problem; they are in the order of the file.
type Invalid struct {
	File     string
	Problems []Problem
}

// Error names the first problem as file:line:column and counts the rest.
func (e *Invalid) Error() string {
	if len(e.Problems) == 0 {
		return e.File + ": invalid"
	}
	s := e.File + ":" + e.Problems[0].String()
	if n := len(e.Problems) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// String is line:column: field: message (hint).
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", p.Line, p.Column)
	} else {
		b.WriteString(" ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// FieldChange is one value that differs between two documents or between a
// document and the host. An absent value is the empty string.
type FieldChange struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}
