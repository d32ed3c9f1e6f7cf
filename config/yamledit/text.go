package yamledit

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

const bom = "\ufeff"

// text is a file's bytes with an index of its lines, as the parser counts
// them: it breaks lines at CR, LF, CRLF, NEL, LS and PS.
type text struct {
	src   []byte
	lines []int // offset of each line's first character
}

func newText(src []byte) *text {
	t := &text{src: src, lines: []int{0}}
	if bytes.HasPrefix(src, []byte(bom)) {
		t.lines[0] = len(bom)
	}
	for i := t.lines[0]; i < len(src); {
		if n := t.breakAt(i); n > 0 {
			i += n
			t.lines = append(t.lines, i)
			continue
		}
		i++
	}
	return t
}

// breakAt is the length of the line break at an offset, 0 when there is none.
func (t *text) breakAt(i int) int {
	if i >= len(t.src) {
		return 0
	}
	switch c := t.src[i]; {
	case c == '\r' && i+1 < len(t.src) && t.src[i+1] == '\n':
		return 2
	case c == '\r' || c == '\n':
		return 1
	case c == 0xC2 && i+1 < len(t.src) && t.src[i+1] == 0x85:
		return 2
	case c == 0xE2 && i+2 < len(t.src) && t.src[i+1] == 0x80 && (t.src[i+2] == 0xA8 || t.src[i+2] == 0xA9):
		return 3
	}
	return 0
}

// offset is the byte offset of a position; -1 when there is no such place.
func (t *text) offset(line, column int) int {
	if line < 1 || line > len(t.lines) || column < 1 {
		return -1
	}
	i := t.lines[line-1]
	for range column - 1 {
		if i >= len(t.src) {
			return -1
		}
		_, size := utf8.DecodeRune(t.src[i:])
		i += size
	}
	return i
}

// position is the 1-based line and column of an offset.
func (t *text) position(at int) (line, column int) {
	line = max(sort.SearchInts(t.lines, at+1), 1)
	start := min(t.lines[line-1], at)
	return line, utf8.RuneCount(t.src[start:min(at, len(t.src))]) + 1
}

// lineStart and lineEnd bound the line an offset is in, without its break.
func (t *text) lineStart(at int) int {
	line, _ := t.position(at)
	return t.lines[line-1]
}

func (t *text) lineEnd(at int) int {
	for at < len(t.src) && t.breakAt(at) == 0 {
		at++
	}
	return at
}

// firstColumn is the column of a line's first character that is not blank.
func (t *text) firstColumn(line int) int {
	i := t.lines[line-1]
	column := 1
	for i < len(t.src) && isBlank(t.src[i]) {
		i++
		column++
	}
	return column
}

// lastCode steps back from an offset over blanks, breaks and comment lines to
// the last character that means something.
func (t *text) lastCode(at int) int {
	at = min(at, len(t.src))
	for at > t.lines[0] {
		start := t.lineStart(at - 1)
		line := bytes.TrimLeft(t.src[start:at], " \t")
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 && line[0] != '#' {
			return start + len(bytes.TrimRight(t.src[start:at], " \t\r\n")) - 1
		}
		at = start
	}
	return t.lines[0]
}

// newline is the line break of the file: that of its first line.
func (t *text) newline() string {
	end := t.lineEnd(t.lines[0])
	if n := t.breakAt(end); n > 0 {
		return string(t.src[end : end+n])
	}
	return "\n"
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
