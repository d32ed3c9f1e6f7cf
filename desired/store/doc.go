// Package store keeps desired.yaml: it reads the file whenever it changes,
// remembers every content that was ever in force as a revision, and writes
// for programs without disturbing the person who writes by hand.
//
// Law: what is in force is the newest valid content, whatever happens to the
// file afterwards; what somebody wrote is never lost, neither by a race of two
// writers nor by a crash between two steps; and nothing is in force that is
// not in the history.
package store
