//go:build e2e || pictures

package testhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"corehost/api"
	"corehost/api/client"
)

// The installation on the test host, at its default places.
const (
	homeDir     = "/var/lib/core"
	desiredPath = homeDir + "/desired.yaml"
	configPath  = homeDir + "/config.yaml"
	socketPath  = homeDir + "/run/core.sock"
)

const firstConfig = `# the platform's own file
model:
  provider: anthropic   # chosen in spring
  default: claude-sonnet-4-6

agent:
  max_turns: 60
`

const firstDesired = `apiVersion: core.dev/v1alpha1
kind: Host
metadata:
  name: amber
spec:
  model:
    provider: anthropic
    default: claude-sonnet-4-6   # the house model
  units:
    - {name: core-gateway, state: running}
    - {name: core-bridge, state: running}
`

// dashboardUnit runs the real daemon; the other units are stand-ins for
// programs of the platform: they only run, which is all that is looked at.
const dashboardUnit = `[Unit]
Description=Corehost dashboard
StartLimitIntervalSec=0
[Service]
Type=notify
ExecStart=/usr/local/bin/core-dashboard
Restart=always
RestartSec=0
WatchdogSec=30
`

const standInUnit = `[Unit]
Description=Stand-in for %s
StartLimitIntervalSec=0
[Service]
ExecStart=/bin/sleep infinity
`

var standIns = []string{"core-gateway", "core-dashboard-auth", "core-bridge", "core-bridge-auth"}

// installation is a test host with Corehost running on it.
type installation struct {
	*Host
	*testing.T
	api *client.Client
}

func install(t *testing.T) *installation {
	t.Helper()
	in := &installation{Host: boot(t), T: t}
	in.programs()
	in.put(configPath, firstConfig)
	in.put(desiredPath, firstDesired)
	in.put(homeDir+"/.env", "ANTHROPIC_API_KEY=sk-ant-only-for-this-test\n")
	in.must("chmod", "700", homeDir)
	for _, name := range standIns {
		in.put("/etc/systemd/system/"+name+".service", fmt.Sprintf(standInUnit, name))
	}
	in.put("/etc/systemd/system/core-dashboard.service", dashboardUnit)
	in.must("systemctl", "daemon-reload")
	in.must("systemctl", append([]string{"start", "core-dashboard"}, standIns...)...)
	in.api = client.Unix(in.Path(socketPath))
	in.await("the first convergence", func(s api.Status) bool { return s.Converged })
	return in
}

// programs builds the programs once for each test and copies them in.
func (in *installation) programs() {
	in.Helper()
	dir := in.TempDir()
	build := exec.CommandContext(in.Context(), "go", "build", "-o", dir+"/", "corehost/cmd/cli", "corehost/cmd/core-dashboard")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		in.Fatalf("build: %v\n%s", err, out)
	}
	for _, name := range []string{"cli", "core-dashboard"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			in.Fatal(err)
		}
		if err := in.Write("/usr/local/bin/"+name, data, 0o755); err != nil {
			in.Fatal(err)
		}
	}
}

func (in *installation) put(name, text string) {
	in.Helper()
	if err := in.Write(name, []byte(text), 0o600); err != nil {
		in.Fatal(err)
	}
}

func (in *installation) must(name string, args ...string) string {
	in.Helper()
	out, err := in.Host.Run(in.Context(), name, args...)
	if err != nil {
		in.Fatal(err)
	}
	return out
}

func (in *installation) config() string {
	in.Helper()
	data, err := in.Read(configPath)
	if err != nil {
		in.Fatal(err)
	}
	return string(data)
}

// edit changes desired.yaml as a person does: with a program on the host that
// writes a new file and renames it.
func (in *installation) edit(sed string) {
	in.Helper()
	in.must("sed", "-i", sed, desiredPath)
}

// patience bounds every wait; nothing asserted here is about speed.
const patience = 30 * time.Second

// await waits for the status to satisfy ok. It looks again at each event the
// daemon sends, and opens the stream again when the daemon was restarted.
func (in *installation) await(what string, ok func(api.Status) bool) api.Status {
	in.Helper()
	ctx, cancel := context.WithTimeout(in.Context(), patience)
	defer cancel()
	var last api.Status
	for ctx.Err() == nil {
		look, stop := context.WithCancel(ctx)
		err := in.api.Events(look, 0, func(client.Message) error {
			status, err := in.api.Status(look)
			if err == nil {
				last = status
			}
			if err == nil && ok(status) {
				return errSeen
			}
			return nil
		})
		stop()
		if errors.Is(err, errSeen) {
			return last
		}
		in.pause(ctx) // the daemon is away: it tells nobody when it is back
	}
	in.Fatalf("waited %v for %s; the status is %+v\n%s", patience, what, last, in.must("journalctl", "-u", "core-dashboard", "-n", "40", "--no-pager"))
	return last
}

var errSeen = fmt.Errorf("seen")

func (in *installation) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// page fetches a page of the dashboard.
func (in *installation) page(path string) string {
	in.Helper()
	req, err := http.NewRequestWithContext(in.Context(), http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		in.Fatal(err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", in.Path(socketPath))
	}
	res, err := (&http.Transport{DialContext: dial, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		in.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		in.Fatal(err)
	}
	return string(body)
}

func restartUnits(s api.Status) string {
	var names []string
	for _, notice := range s.Restart {
		if !strings.Contains(strings.Join(names, " "), notice.Unit) {
			names = append(names, notice.Unit)
		}
	}
	return strings.Join(names, " ")
}
