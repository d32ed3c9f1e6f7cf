// Package api serves what the engine knows and takes what people want, over
// HTTP on loopback and on the unix socket: one file for each resource.
//
// Law: no handler changes the host. A write is a write to desired.yaml and
// takes the same way from there as an editor's. Every failure is
// application/problem+json (RFC 9457) with a stable code.
package api
