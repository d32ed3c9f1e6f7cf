package yamledit

import (
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxError places an error of the parser. The parser names lines only, and
// often the line where the surrounding mapping begins; how far it had read
// when it gave up is closer to the mistake.
func syntaxError(src []byte, cause error) *Error {
	line, message := 0, cause.Error()
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = m[2]
	}
	if strings.Contains(message, "max depth") {
		return fail(ErrLimit, 0, 0, "nested more than %d levels deep", MaxDepth)
	}
	t := newText(src)
	if strings.Contains(message, "end of stream") || strings.Contains(message, "document indicator") {
		if line > 0 && line <= len(t.lines) {
			return fail(ErrSyntax, line, t.firstColumn(line), "%s", message)
		}
		return fail(ErrSyntax, max(line, 1), 0, "%s", message)
	}
	read := furthest(src)
	at := t.lastCode(read)
	if read < len(src) {
		at = max(at-lookahead, t.lineStart(at))
	}
	line, column := t.position(at)
	return fail(ErrSyntax, line, column, "%s", message)
}

// lookahead is how many characters the parser reads past the one it is at.
const lookahead = 3

// furthest is how many bytes the parser reads until it fails.
func furthest(src []byte) int {
	r := &slowReader{src: src}
	dec := yaml.NewDecoder(r)
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return r.at
		}
	}
}

// slowReader hands out one byte at a time.
type slowReader struct {
	src []byte
	at  int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if r.at == len(r.src) || len(p) == 0 {
		return 0, io.EOF
	}
	p[0] = r.src[r.at]
	r.at++
	return 1, nil
}
