// Package engine runs the loops: it compares what should be with what is,
// through the reconcilers, and makes the difference go away.
//
// Law: one door. Every change to the host passes one mutex, one at a time,
// from a plan that is still true, and is told in the journal. Nothing is
// changed while the host is suspended, and nothing that fails hides the rest.
//
// The parts, each with one law:
//
//	pass      plan, hold back, apply, look again: one reconciler, once
//	loop      when a pass runs: one controller-runtime controller each
//	door      one change at a time; cancellation between changes
//	tracker   what was right once and moved by hand: drift
//	ledger    which running unit still holds an old value
//	trial     a change that takes itself back unless confirmed
//	gate      a restarted unit must stay up, else the change is taken back
//	board     the status, in memory, with its transitions
//	scribe    the journal and the records, after the fact
package engine
