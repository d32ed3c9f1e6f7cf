package desired

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// special is how types with a form of their own are read; nil for all others.
func special(t reflect.Type) func(d *decoder, n *yaml.Node, v reflect.Value, field string) {
	switch t {
	case reflect.TypeFor[Suspend]():
		return (*decoder).suspend
	case reflect.TypeFor[metav1.Duration]():
		return (*decoder).duration
	case reflect.TypeFor[metav1.Time]():
		return (*decoder).time
	}
	return nil
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	switch {
	case v.Kind() == reflect.String:
		d.text(n, v, field)
	case v.Kind() == reflect.Int:
		d.number(n, v, field)
	case s.Kind == yaml.ScalarNode && isBool(s):
		v.SetBool(truth(s))
	default:
		d.mismatch(n, field, "true or false", unquote(s))
	}
}

// text takes text only. A bare `off` is text to YAML 1.2 and a boolean to 1.1;
// where off is a value, both are taken.
func (d *decoder) text(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	switch {
	case s.Kind == yaml.ScalarNode && s.ShortTag() == "!!str":
		v.SetString(s.Value)
	case s.Kind == yaml.ScalarNode && isBool(s) && !truth(s) && hasOff(v, field):
		v.SetString("off")
	case s.Kind == yaml.ScalarNode:
		d.mismatch(n, field, "text", "put it in quotes")
	default:
		d.mismatch(n, field, "text", "")
	}
}

func hasOff(v reflect.Value, field string) bool {
	return v.Type() == reflect.TypeFor[Effort]() || field == "spec.reviews.metaReviewer"
}

var (
	leadingZero  = regexp.MustCompile(`^[-+]?0[0-9]`)
	wholeNumber  = regexp.MustCompile(`^[-+]?[0-9][0-9_]*$`) // of any length; YAML takes a long one for a fraction
	longDuration = regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?([0-9]+s)?$`)
)

func (d *decoder) number(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	whole := s.ShortTag() == "!!int" || s.ShortTag() == "!!float" && wholeNumber.MatchString(s.Value)
	if s.Kind != yaml.ScalarNode || !whole {
		d.mismatch(n, field, "a number", unquote(s))
		return
	}
	if leadingZero.MatchString(s.Value) {
		d.add(placeOf(n), field, "a number with a leading zero means different things to different programs", "write it without the zero")
		return
	}
	i, err := strconv.ParseInt(strings.ReplaceAll(s.Value, "_", ""), 0, 32)
	if err != nil {
		d.add(placeOf(n), field, "the number is out of range", "")
		return
	}
	v.SetInt(i)
}

// suspend takes true, false, or a mapping, which means true.
func (d *decoder) suspend(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	switch {
	case s.Kind == yaml.ScalarNode && isBool(s):
		v.Set(reflect.ValueOf(Suspend{Active: truth(s)}))
	case s.Kind == yaml.MappingNode:
		v.Set(reflect.ValueOf(Suspend{Active: true}))
		d.structure(n, v, field)
	default:
		d.mismatch(n, field, "true, false or a mapping with reason and until", unquote(s))
	}
}

var dayPattern = regexp.MustCompile(`^(\d{1,4})\s*(d|w|days?|weeks?)$`)

// duration takes Go's form of a length of time (time.ParseDuration).
func (d *decoder) duration(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	if s.Kind != yaml.ScalarNode || s.ShortTag() != "!!str" {
		d.mismatch(n, field, "a duration", "write it with its unit: 90s, 15m, 2160h")
		return
	}
	length, err := time.ParseDuration(s.Value)
	if err != nil {
		hint := "write it as 90s, 15m or 2160h"
		if m := dayPattern.FindStringSubmatch(s.Value); m != nil {
			hours, _ := strconv.Atoi(m[1])
			hours *= 24
			if m[2][0] == 'w' {
				hours *= 7
			}
			hint = "days are written in hours: " + strconv.Itoa(hours) + "h"
		}
		if s.Value != "" && longDuration.MatchString(s.Value) {
			d.add(placeOf(n), field, "the duration is out of range", "")
			return
		}
		d.add(placeOf(n), field, "this is not a duration", hint)
		return
	}
	v.Set(reflect.ValueOf(metav1.Duration{Duration: length}))
}

// time takes RFC 3339, bare or quoted.
func (d *decoder) time(n *yaml.Node, v reflect.Value, field string) {
	s := resolve(n)
	const hint = "write it as 2026-01-31T18:00:00Z"
	if s.Kind != yaml.ScalarNode || s.ShortTag() != "!!str" && s.ShortTag() != "!!timestamp" {
		d.mismatch(n, field, "a time", hint)
		return
	}
	at, err := time.Parse(time.RFC3339, s.Value)
	if err != nil {
		d.add(placeOf(n), field, "this is not a time with date and zone", hint)
		return
	}
	v.Set(reflect.ValueOf(metav1.NewTime(at.UTC())))
}

// isBool knows the bare words of YAML 1.1 and 1.2. Quoted they are text.
func isBool(n *yaml.Node) bool {
	if n.ShortTag() == "!!bool" {
		return true
	}
	return n.Style == 0 && n.ShortTag() == "!!str" && booleans[strings.ToLower(n.Value)] != ""
}

var booleans = map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}

func truth(n *yaml.Node) bool { return booleans[strings.ToLower(n.Value)] == "true" }

// unquote is the hint for a number or boolean that is in quotes.
func unquote(n *yaml.Node) string {
	quoted := n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if !quoted {
		return ""
	}
	if _, err := strconv.Atoi(n.Value); err == nil || booleans[strings.ToLower(n.Value)] != "" {
		return "remove the quotes"
	}
	return ""
}
