package mesh_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/observers"
	"corehost/observers/mesh"
)

// running is what the client answers on a connected node, cut to what matters
// and a little of what does not.
const running = `{
  "Version": "1.76.6-t1edcf9d46-g3a7f1a8b1", "TUN": true, "BackendState": "Running", "HaveNodeKey": true, "AuthURL": "",
  "TailscaleIPs": ["100.101.102.103", "fd7a:115c:a1e0::1234"],
  "Self": {"ID": "nXYZ", "PublicKey": "nodekey:00", "HostName": "silver", "DNSName": "silver.tail1234.ts.net.", "OS": "linux",
    "UserID": 1, "TailscaleIPs": ["100.101.102.103", "fd7a:115c:a1e0::1234"], "Online": true, "ExitNode": false},
  "Health": [], "MagicDNSSuffix": "tail1234.ts.net", "CurrentTailnet": {"Name": "example.org"}, "Peer": null, "User": null}`

var connected = observers.Mesh{
	State: observers.MeshConnected, Hostname: "silver.tail1234.ts.net",
	IPs: []string{"100.101.102.103", "fd7a:115c:a1e0::1234"},
}

// answers are those of the daemon and of the program alike; want is nil for a
// reading that fails.
var answers = map[string]struct {
	answer string
	want   *observers.Mesh
	detail string // a word of it
}{
	"connected":        {running, &connected, ""},
	"offline":          {strings.Replace(running, `"Online": true`, `"Online": false`, 1), &observers.Mesh{State: observers.MeshNotConnected}, "offline"},
	"needs login":      {`{"BackendState": "NeedsLogin", "AuthURL": "https://login.example/a", "TailscaleIPs": null, "Self": {"DNSName": "", "Online": false}}`, &observers.Mesh{State: observers.MeshNotConnected}, "signed in"},
	"stopped":          {strings.Replace(running, `"Running"`, `"Stopped"`, 1), &observers.Mesh{State: observers.MeshNotConnected}, "switched off"},
	"starting":         {`{"BackendState": "Starting"}`, &observers.Mesh{State: observers.MeshNotConnected}, "starting"},
	"no node":          {`{"BackendState": "Running", "Self": null}`, &observers.Mesh{State: observers.MeshNotConnected}, "offline"},
	"a state to come":  {`{"BackendState": "Levitating\n"}`, &observers.Mesh{State: observers.MeshNotConnected}, `Levitating\n`},
	"without a domain": {strings.Replace(running, `silver.tail1234.ts.net.`, ``, 1), &observers.Mesh{State: observers.MeshConnected, Hostname: "silver", IPs: connected.IPs}, ""},
	"no JSON":          {"<html>hello</html>", nil, "not the status"},
	"other JSON":       {`[1, 2]`, nil, "not the status"},
	"no state":         {`{}`, nil, "names no state"},
	"cut off":          {running[:200], nil, "not the status"},
	"empty":            {"", nil, "not the status"},
	"huge":             {`{"BackendState": "` + strings.Repeat("x", 2<<20) + `"}`, nil, "longer than"},
}

func check(t *testing.T, got observers.Mesh, err error, want *observers.Mesh, detail string) {
	t.Helper()
	if want == nil {
		if err == nil || !strings.Contains(err.Error(), detail) || len(err.Error()) > 200 {
			t.Errorf("%+v with error %v, want one about %q", got, err, detail)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.Detail, detail) || (detail == "") != (got.Detail == "") {
		t.Errorf("detail %q, want one about %q", got.Detail, detail)
	}
	got.Detail = ""
	if diff := cmp.Diff(*want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// serve is the daemon's local API on a socket of its own.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mesh") //nolint:usetesting // t.TempDir is too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go server.Serve(l)
	t.Cleanup(func() { server.Close(); os.RemoveAll(dir) })
	return socket
}

func TestDaemon(t *testing.T) {
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			socket := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Host != "local-tailscaled.sock" || r.Method != http.MethodGet || r.URL.Path != "/localapi/v0/status" {
					http.Error(w, "invalid localapi request", http.StatusForbidden)
					return
				}
				fmt.Fprint(w, test.answer)
			})
			got, err := mesh.New(mesh.Config{Socket: socket}).Observe(t.Context())
			check(t, got, err, test.want, test.detail)
		})
	}
}

func TestDaemonThatRefuses(t *testing.T) {
	socket := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	got, err := mesh.New(mesh.Config{Socket: socket}).Observe(t.Context())
	check(t, got, err, nil, "403")
}

func TestDaemonThatHangs(t *testing.T) {
	tests := map[string]http.HandlerFunc{
		"before the answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the answer": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, running[:20])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			began := time.Now()
			if got, err := mesh.New(mesh.Config{Socket: serve(t, handler)}).Observe(ctx); err == nil {
				t.Errorf("%+v", got)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestDaemonThatEnded(t *testing.T) {
	socket := serve(t, nil)
	if err := os.Remove(socket); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil { // the file stays, nobody listens
		t.Fatal(err)
	}
	syscall.Close(fd)
	got, err := mesh.New(mesh.Config{Socket: socket}).Observe(t.Context())
	check(t, got, err, &observers.Mesh{State: observers.MeshNotConnected}, "not running")
}

// program installs a shell script as the client's program and returns PATH.
func program(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tailscale"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return "/nowhere:.:" + dir
}

func none(t *testing.T) string { return filepath.Join(t.TempDir(), "none.sock") }

func TestProgram(t *testing.T) {
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "answer")
			if err := os.WriteFile(file, []byte(test.answer), 0o600); err != nil {
				t.Fatal(err)
			}
			path := program(t, `[ "$1 $2" = "status --json" ] || exit 9; cat `+file)
			got, err := mesh.New(mesh.Config{Socket: none(t), Path: path}).Observe(t.Context())
			check(t, got, err, test.want, test.detail)
		})
	}
}

func TestProgramThatFindsNoDaemon(t *testing.T) {
	path := program(t, `echo "failed to connect to local tailscaled" >&2; exit 1`)
	got, err := mesh.New(mesh.Config{Socket: none(t), Path: path}).Observe(t.Context())
	check(t, got, err, &observers.Mesh{State: observers.MeshNotConnected}, "does not answer")
}

func TestProgramThatHangsIsKilledWithItsChildren(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	path := program(t, `sleep 300 & echo $! > `+pid+`; wait`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if got, err := mesh.New(mesh.Config{Socket: none(t), Path: path}).Observe(ctx); err == nil {
		t.Errorf("%+v", got)
	}
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child := filepath.Join("/proc", strings.TrimSpace(string(number)), "stat")
	for deadline := time.Now().Add(5 * time.Second); ; {
		stat, err := os.ReadFile(child)
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child lives on: %s", stat)
		}
	}
}

func TestProgramSeesNoneOfOurEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-secret")
	out := filepath.Join(t.TempDir(), "env")
	path := program(t, `env > `+out)
	mesh.New(mesh.Config{Socket: none(t), Path: path}).Observe(t.Context())
	if env, err := os.ReadFile(out); err != nil || strings.Contains(string(env), "sk-secret") {
		t.Errorf("%s, %v", env, err)
	}
}

func TestNotInstalled(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tailscale"), 0o755); err != nil { // no program
		t.Fatal(err)
	}
	for _, path := range []string{"", "/nowhere", dir} {
		got, err := mesh.New(mesh.Config{Socket: none(t), Path: path}).Observe(t.Context())
		check(t, got, err, &observers.Mesh{State: observers.MeshNotInstalled}, "")
	}
}
