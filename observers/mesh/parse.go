package mesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"corehost/observers"
)

// status is the part of the client's status (ipnstate.Status) that is looked
// at.
type status struct {
	BackendState string
	TailscaleIPs []string
	Self         *struct {
		DNSName      string
		HostName     string
		Online       bool
		TailscaleIPs []string
	}
}

// parse turns the client's answer into a state.
func parse(data []byte) (observers.Mesh, error) {
	var s status
	if err := json.Unmarshal(data, &s); err != nil {
		return observers.Mesh{}, errors.New("ask the mesh VPN client: the answer is not the status it should be")
	}
	if s.BackendState == "" {
		return observers.Mesh{}, errors.New("ask the mesh VPN client: the answer names no state")
	}
	if s.BackendState != "Running" || s.Self == nil || !s.Self.Online {
		return observers.Mesh{State: observers.MeshNotConnected, Detail: detail(s.BackendState)}, nil
	}
	m := observers.Mesh{State: observers.MeshConnected, Hostname: strings.TrimSuffix(s.Self.DNSName, "."), IPs: s.Self.TailscaleIPs}
	if m.Hostname == "" {
		m.Hostname = s.Self.HostName
	}
	if len(m.IPs) == 0 {
		m.IPs = s.TailscaleIPs
	}
	return m, nil
}

// detail says why a client in this state (ipn.State) does not connect.
func detail(state string) string {
	switch state {
	case "Running":
		return "The mesh VPN client is running but this node is offline."
	case "NeedsLogin":
		return "The mesh VPN client is not signed in: run `tailscale up`."
	case "NeedsMachineAuth":
		return "This node waits for an administrator of the mesh to approve it."
	case "Stopped":
		return "The mesh VPN client is switched off: run `tailscale up`."
	case "Starting", "NoState":
		return "The mesh VPN client is starting."
	case "InUseOtherUser":
		return "The mesh VPN client is in use by another user of this machine."
	default:
		return fmt.Sprintf("The mesh VPN client says %.40q.", state)
	}
}
