package api

import "testing"

// TestPublicAddress: a key that stands in an address does not leave the host.
func TestPublicAddress(t *testing.T) {
	tests := map[string]string{
		"https://api.example.com/v1": "https://api.example.com/v1",
		"http://127.0.0.1:11434/v1":  "http://127.0.0.1:11434/v1",
		"":                           "",
		"https://user:sk-secret@api.example.com/v1":              "https://api.example.com/v1",
		"https://sk-secret@api.example.com:8443/v1":              "https://api.example.com:8443/v1",
		"https://api.example.com/v1?key=sk-secret&b=c":           "https://api.example.com/v1",
		"https://api.example.com/v1#sk-secret":                   "https://api.example.com/v1",
		"https://user:sk-secret@api.example.com/%zz?k=sk-secret": "",
	}
	for address, want := range tests {
		if got := publicAddress(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
