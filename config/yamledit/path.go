package yamledit

import (
	"strconv"
	"strings"
)

// maxPath bounds the segments of a path.
const maxPath = 64

// segment is one step of a path: a key of a mapping, or the item of a list
// whose field has a value.
type segment struct {
	key   string // the key, or the field of a list item
	match bool   // [key=value]
	value string
}

// parsePath reads spec.units[name=core-gateway].state and spec.a["b.c"].
func parsePath(path string) ([]segment, error) {
	var segments []segment
	rest := path
	for first := true; rest != ""; first = false {
		var s segment
		var err error
		if rest[0] == '[' {
			s, rest, err = bracket(rest, path)
		} else {
			s, rest, err = bare(rest, path, first)
		}
		if err != nil {
			return nil, err
		}
		segments = append(segments, s)
	}
	if len(segments) == 0 || len(segments) > maxPath || segments[0].match {
		return nil, badPath(path)
	}
	return segments, nil
}

// bare reads key or .key up to the next dot or bracket.
func bare(rest, path string, first bool) (segment, string, error) {
	if !first {
		if rest[0] != '.' {
			return segment{}, "", badPath(path)
		}
		rest = rest[1:]
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 || strings.ContainsAny(rest[:end], "]=\"") {
		return segment{}, "", badPath(path)
	}
	return segment{key: rest[:end]}, rest[end:], nil
}

// bracket reads ["key"], [field=value] or [field="value"].
func bracket(rest, path string) (segment, string, error) {
	rest = rest[1:]
	if strings.HasPrefix(rest, `"`) {
		key, after, ok := quoted(rest)
		if !ok {
			return segment{}, "", badPath(path)
		}
		return segment{key: key}, after, nil
	}
	field, after, ok := strings.Cut(rest, "=")
	if !ok || field == "" || strings.ContainsAny(field, `.[]"`) {
		return segment{}, "", badPath(path)
	}
	if strings.HasPrefix(after, `"`) {
		value, end, ok := quoted(after)
		if !ok {
			return segment{}, "", badPath(path)
		}
		return segment{key: field, match: true, value: value}, end, nil
	}
	value, after, ok := strings.Cut(after, "]")
	if !ok || value == "" || strings.ContainsAny(value, `["`) {
		return segment{}, "", badPath(path)
	}
	return segment{key: field, match: true, value: value}, after, nil
}

// quoted reads a Go string literal and the bracket that closes it.
func quoted(rest string) (value, after string, ok bool) {
	literal, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", "", false
	}
	value, err = strconv.Unquote(literal)
	after, closed := strings.CutPrefix(rest[len(literal):], "]")
	return value, after, err == nil && closed
}

func badPath(path string) error {
	return fail(ErrUnsupported, 0, 0, "the path %q is malformed", path)
}

// String is the segment as it stands in a path behind others.
func (s segment) String() string {
	switch {
	case s.match:
		return "[" + s.key + "=" + strconv.Quote(s.value) + "]"
	case s.key == "" || strings.ContainsAny(s.key, `.[]="`):
		return "[" + strconv.Quote(s.key) + "]"
	default:
		return "." + s.key
	}
}
