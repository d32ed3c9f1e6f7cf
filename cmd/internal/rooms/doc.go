// Package rooms holds the rules of the house that a machine can hold: which
// room may import which, and what no file may contain. It has only tests.
//
// Law: each rule fails with its reason, so that whoever breaks it learns why it
// is there.
package rooms
