// Package hub keeps the one picture of the host: it calls the observers, in
// their interval and whenever the host reports a change, and puts every
// reading into a new Snapshot.
//
// Law: a snapshot is never changed, only replaced; one observer's failure, hang
// or panic is that observer's reading and nobody else's.
package hub
