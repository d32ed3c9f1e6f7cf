package desired

import (
	"errors"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

var yamlLine = regexp.MustCompile(`line (\d+)`)

// parse reads the tree; nil for a document without content.
func parse(src []byte) (*yaml.Node, *Problem) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		p := &Problem{Line: 1, Column: 1, Message: err.Error()}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			p.Line, _ = strconv.Atoi(m[1])
		}
		return nil, p
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, &Problem{Line: 1, Column: 1, Message: errors.New("the document must be a mapping").Error()}
	}
	return doc.Content[0], nil
}
