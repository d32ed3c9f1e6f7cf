//go:build e2e || pictures

package testhost

import (
	"strings"
	"testing"
)

func boot(t *testing.T) *Host {
	t.Helper()
	h, err := Boot(t.Context(), "amber")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func TestHostIsItsOwn(t *testing.T) {
	h := boot(t)
	out, err := h.Run(t.Context(), "sh", "-c", "cat /proc/1/comm; hostname; ls /sys/class/net; systemctl is-active core-gateway || true")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(out), "systemd amber lo inactive"; strings.Join(got, " ") != want {
		t.Errorf("host shows %q, want %q", got, want)
	}
	if err := h.Write("/var/lib/mark", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := h.Read("/var/lib/mark"); err != nil || string(data) != "x" {
		t.Errorf("read back %q, %v", data, err)
	}
}
