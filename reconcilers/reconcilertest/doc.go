// Package reconcilertest is the suite every reconciler passes.
//
// Law: what the contract of reconcilers.Reconciler promises is tested here
// once, against the real thing: real files, and for units a stand-in that
// keeps the service manager's state machine.
package reconcilertest
