package yamledit

// Edit is one change to the value at a path.
type Edit struct {
	Path   string
	Value  any  // string, bool, int, []string or Map
	Remove bool // take the value away; Value is ignored

	nest string
}

// Map is a mapping to set as a whole, in this order.
type Map []Pair

// Pair is one key of a Map with its value: string, bool, int, []string or Map.
type Pair struct {
	Key   string
	Value any
}

// Set is the edit that makes the value at path this one. Missing mappings,
// lists and items on the way are created. A Map replaces a scalar, or the keys
// of a mapping.
func Set(path string, value any) Edit { return Edit{Path: path, Value: value} }

// Remove is the edit that takes the key or item at path away. Where there is
// none, nothing changes.
func Remove(path string) Edit { return Edit{Path: path, Remove: true} }

// Nest is the edit that turns the scalar at path into a mapping that holds the
// same scalar, byte for byte, under key. Where no scalar stands, nothing
// changes.
func Nest(path, key string) Edit { return Edit{Path: path, nest: key} }
