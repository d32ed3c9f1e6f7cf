package desired

import (
	"bytes"
	_ "embed"
	"regexp"
	"strings"
)

//go:embed template.yaml
var template []byte

// placeholder is the name in the embedded text.
const placeholder = "this-host"

var (
	notInName   = regexp.MustCompile(`[^a-z0-9.-]+`)
	digitsFirst = regexp.MustCompile(`^[0-9]`) // YAML could see a number
)

// Template is the document of a first start. It manages nothing but
// backup.retention.keepLast; every other key is a comment that says what the
// key does. A line whose "#" is followed by a key is a value; take the "#"
// away and it is in force.
func Template(hostname string) []byte {
	name := notInName.ReplaceAllString(strings.ToLower(hostname), "-")
	name = strings.Trim(name[:min(len(name), 200)], "-.")
	switch {
	case name == "" || isWord(name):
		name = placeholder
	case digitsFirst.MatchString(name):
		name = "host-" + name
	}
	return bytes.Replace(template, []byte(placeholder), []byte(name), 1)
}

// isWord reports whether YAML would take a name for something else than text.
func isWord(name string) bool { return booleans[name] != "" || name == "null" }
