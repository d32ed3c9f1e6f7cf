package key

import "strings"

// parse reads a dotenv file and returns for each name whether its last value
// is usable. It takes what people write: export, spaces around the equals
// sign, single and double quotes (also over several lines), comments, CRLF and
// a byte order mark. A line that is no assignment is passed over.
func parse(data []byte, usable func(string) bool) map[string]bool {
	rest := strings.TrimPrefix(string(data), "\ufeff")
	rest = strings.ReplaceAll(rest, "\r\n", "\n")
	names := map[string]bool{}
	for rest != "" {
		name, after, ok := assignment(rest)
		if !ok {
			_, rest, _ = strings.Cut(rest, "\n")
			continue
		}
		var value string
		value, rest = readValue(after)
		names[name] = usable(value)
	}
	return names
}

// assignment splits "export NAME = …" at the beginning of s; after is what
// follows the equals sign and the blanks behind it.
func assignment(s string) (name, after string, ok bool) {
	line, _, _ := strings.Cut(s, "\n")
	left, _, ok := strings.Cut(line, "=")
	if !ok {
		return "", "", false
	}
	name = strings.TrimSpace(left)
	if word, tail, two := strings.Cut(name, " "); two && word == "export" {
		name = strings.TrimSpace(tail)
	}
	if !validName(name) {
		return "", "", false
	}
	return name, strings.TrimLeft(s[len(left)+1:], " \t"), true
}

// readValue reads a value and returns what follows its line.
func readValue(s string) (value, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if inner, tail, ok := quoted(s[1:], s[0]); ok {
			_, rest, _ = strings.Cut(tail, "\n")
			return inner, rest
		}
	}
	line, rest, _ := strings.Cut(s, "\n")
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.TrimSpace(line), rest
}

// quoted reads up to the closing quote; a backslash keeps the character behind
// it in double quotes. False when the quote is never closed.
func quoted(s string, quote byte) (inner, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:], true
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// validName: letters, digits and underscores, not a digit first.
func validName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
