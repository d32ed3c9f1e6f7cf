package api

import (
	"strings"
	"testing"
)

const commented = `# mine
apiVersion: core.dev/v1alpha1
kind: Host
metadata: {name: amber}
spec:
  model:
    provider: anthropic   # the house provider
    default: ""
  units:
    - {name: core-gateway, state: running}
    # the bridge is slow to start
    - {name: core-bridge, state: running}
  resident:
    testCommand: ["make", "test"]
`

// TestSplice writes a JSON document into a YAML file that a person wrote.
func TestSplice(t *testing.T) {
	tests := map[string]struct {
		json       string
		has, hasnt string
	}{
		"one value": {`{"apiVersion":"core.dev/v1alpha1","kind":"Host","metadata":{"name":"amber"},"spec":{"model":{"provider":"openai","default":""},"units":[{"name":"core-gateway","state":"running"},{"name":"core-bridge","state":"running"}],"resident":{"testCommand":["make","test"]}}}`,
			"provider: openai   # the house provider", "anthropic"},
		"an entry of a list": {`{"apiVersion":"core.dev/v1alpha1","kind":"Host","metadata":{"name":"amber"},"spec":{"model":{"provider":"anthropic","default":""},"units":[{"name":"core-gateway","state":"stopped"},{"name":"core-bridge","state":"running"}],"resident":{"testCommand":["make","test"]}}}`,
			"{name: core-gateway, state: stopped}", "{name: core-gateway, state: running}"},
		"a list of words": {`{"apiVersion":"core.dev/v1alpha1","kind":"Host","metadata":{"name":"amber"},"spec":{"model":{"provider":"anthropic","default":""},"units":[{"name":"core-gateway","state":"running"},{"name":"core-bridge","state":"running"}],"resident":{"testCommand":["go","test"]}}}`,
			"go", `"make"`},
		"a key less": {`{"apiVersion":"core.dev/v1alpha1","kind":"Host","metadata":{"name":"amber"},"spec":{"model":{"provider":"anthropic"},"units":[{"name":"core-gateway","state":"running"},{"name":"core-bridge","state":"running"}],"resident":{"testCommand":["make","test"]}}}`,
			"provider: anthropic   # the house provider", "default"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := splice([]byte(commented), []byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			text := string(got)
			if !strings.Contains(text, tt.has) || strings.Contains(text, tt.hasnt) {
				t.Errorf("want %q and not %q in\n%s", tt.has, tt.hasnt, text)
			}
			for _, comment := range []string{"# mine", "# the bridge is slow to start"} {
				if !strings.Contains(text, comment) {
					t.Errorf("the comment %q is lost:\n%s", comment, text)
				}
			}
		})
	}
}
