package mesh

import (
	"testing"

	"corehost/observers"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"BackendState": "Running", "Self": {"Online": true, "DNSName": "a.b."}}`))
	f.Add([]byte(`{"BackendState": "Running", "Self": {}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		switch {
		case err != nil && m.State != "":
			t.Errorf("%+v with %v", m, err)
		case err == nil && (m.State == observers.MeshConnected) != (m.Detail == ""):
			t.Errorf("%+v", m)
		}
	})
}
