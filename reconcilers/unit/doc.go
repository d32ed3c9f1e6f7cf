// Package unit brings service units to the state the document wants: running
// or stopped.
//
// Law: a unit that settles by itself is left alone, one that keeps failing is
// started again at a pace, and the operator never stops itself.
package unit
