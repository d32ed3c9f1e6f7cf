package desired

import (
	"errors"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"corehost/config/yamledit"
)

const (
	maxProblems  = 20   // of one document that are told
	maxCollected = 1000 // before they are put in order
)

// parse reads the tree of a document.
func parse(src []byte) (*yaml.Node, *Problem) {
	root, err := yamledit.Parse(src)
	if root != nil {
		return root, nil
	}
	if err == nil {
		return nil, &Problem{Message: "the document is empty", Hint: "it begins with apiVersion: " + APIVersion + " and kind: " + Kind}
	}
	p := &Problem{Message: err.Error()}
	var place *yamledit.Error
	if errors.As(err, &place) {
		*p = Problem{Line: place.Line, Column: place.Column, Message: place.Message}
	}
	return nil, p
}

// lineBreaks are what YAML 1.1 ends a line at.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// arrange puts problems in the order of the file, without repetitions (an
// alias shows one mistake many times), each at a place inside the file.
func arrange(problems []Problem, src []byte) []Problem {
	lines := strings.Split(lineBreaks.Replace(string(src)), "\n")
	for i := range problems {
		p := &problems[i]
		p.Line = min(max(p.Line, 1), len(lines))
		p.Column = min(max(p.Column, 1), len([]rune(lines[p.Line-1]))+1)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	problems = slices.CompactFunc(problems, func(a, b Problem) bool {
		return a.Line == b.Line && a.Column == b.Column && a.Message == b.Message
	})
	return problems[:min(len(problems), maxProblems)]
}
