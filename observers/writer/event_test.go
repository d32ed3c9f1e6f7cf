package writer

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGarbageYieldsNoEvents(t *testing.T) {
	for name, text := range map[string]string{
		"empty":            "",
		"short":            strings.Repeat("00", 23),
		"length of zero":   strings.Repeat("00", 64),
		"wrong version":    "18000000" + "02001800" + strings.Repeat("00", 16),
		"longer than read": "ff000000" + "03001800" + strings.Repeat("00", 16),
		"header too long":  "18000000" + "0300ff00" + strings.Repeat("00", 16),
	} {
		t.Run(name, func(t *testing.T) {
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := parse(data); len(got) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	data, err := hex.DecodeString("18000000" + "03001800" + "0040000000000000" + "ffffffff" + "00000000")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]event{{overflow: true}}, parse(data), cmp.AllowUnexported(event{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range parse(data) {
			if len(e.name) > len(data) || strings.ContainsRune(e.name, 0) {
				t.Errorf("%+v", e)
			}
		}
	})
}
