package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever the catalogue says of it, the Anthropic family's smallest tier gets
// no effort; the same model behind a chat address does.
func TestSmallestTierGetsNoEffort(t *testing.T) {
	levels := []string{"max", "high", "none", "low", "minimal"}
	for family, want := range map[string][]string{FamilyAnthropic: nil, FamilyChat: {"low", "high"}} {
		if diff := cmp.Diff(want, efforts(family, "us.anthropic.Claude-Haiku-9", levels)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", family, diff)
		}
	}
	if diff := cmp.Diff([]string{"low", "high"}, efforts(FamilyAnthropic, "claude-opus-9", levels)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
