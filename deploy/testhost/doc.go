// Package testhost boots throw-away hosts with a real systemd as PID 1, and
// proves on them what only a whole host can prove.
//
// A host is a copy-on-write view of the machine: its own mounts, processes,
// network (loopback only), host name and cgroups, over a tmpfs that is gone
// with it. It boots in about half a second and needs root. A host dies with
// the process that booted it.
//
// Law: nothing done on a host can be seen outside of it.
package testhost
