package provider

import (
	"slices"
	"strings"
)

// minKey is the length in bytes below which nothing is a key.
const minKey = 4

// placeholders are texts that stand where a key should be, in lower case.
var placeholders = []string{
	"changeme", "change-me", "change_me", "placeholder", "replace-me", "replace_me", "replaceme",
	"todo", "none", "null", "undefined", "example", "secret", "dummy", "your-key", "your_key", "your-api-key", "your_api_key",
	"your-api-key-here", "your_api_key_here", "insert-key-here", "api-key", "api_key", "apikey", "sk-...",
}

// Usable reports whether a value can be a provider's key: at least four
// characters and none of the placeholders people leave in a file. It does not
// ask the provider.
func Usable(value string) bool {
	v := strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`))
	switch {
	case len(v) < minKey, slices.Contains(placeholders, v):
		return false
	case strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">"), strings.HasPrefix(v, "${") && strings.HasSuffix(v, "}"):
		return false
	case strings.ContainsAny(v, " \t\r\n"), strings.HasPrefix(v, "your-"), strings.HasPrefix(v, "your_"):
		return false
	}
	rest := strings.TrimLeft(strings.TrimPrefix(v, "sk-"), "*.x-_")
	return rest != ""
}
