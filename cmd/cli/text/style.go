// Package text turns the API's bodies into text for people: pure functions
// from a body to a string, the same on every machine.
//
// Law: what a value says never decides what the terminal does. Every control
// character of a value is shown, not sent, and colour repeats what the words
// say already.
package text

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Widths of a page, in columns.
const (
	DefaultWidth = 80  // when the width is not known
	maxWidth     = 120 // prose is not wrapped wider: lines become hard to follow
	minWidth     = 32  // narrower terminals wrap by themselves
	readable     = 22  // less than this is no column for a sentence
)

// Style is how a page looks: whether it may use colour, how wide it is, and
// from when ages are counted. Times are shown in the zone of Now.
type Style struct {
	Color bool
	Width int // columns; 0: DefaultWidth
	Now   time.Time
}

// tint is one colour or weight of the palette: the parameter of an SGR sequence.
type tint string

const (
	bold   tint = "1"
	dim    tint = "2"
	red    tint = "31"
	green  tint = "32"
	yellow tint = "33"
	cyan   tint = "36"
)

const reset = "\x1b[0m"

// paint colours s, which may hold values: it is cleaned first.
func (s Style) paint(t tint, text string) string {
	text = Clean(text)
	if !s.Color || t == "" || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + reset
}

func (s Style) width() int {
	if s.Width <= 0 {
		return DefaultWidth
	}
	return min(max(s.Width, minWidth), maxWidth)
}

// Clean shows control and direction characters as escapes, so that a value
// can neither move the cursor nor forge a line.
func Clean(text string) string {
	if strings.IndexFunc(text, unsafe) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unsafe(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unsafe reports a character that does something instead of showing itself.
func unsafe(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// visible is the number of columns a painted text takes.
func visible(text string) int {
	n, inside := 0, false
	for _, r := range text {
		switch {
		case r == '\x1b':
			inside = true
		case inside:
			inside = r != 'm'
		case unicode.Is(unicode.Mn, r):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide reports a character that takes two columns.
func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// pad fills a painted text with blanks to n columns.
func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-visible(text)))
}
