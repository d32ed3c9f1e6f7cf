// Package reconcilers holds the words for what to do: the Reconciler
// contract, changes and plans, and the facts the engine keeps about them:
// events, conditions, drift, tries, the restart ledger, explanations.
//
// Law: a plan is pure. It is made from a document and a snapshot alone, so
// that dry run, difference, audit and restart notices are the same for every
// reconciler. One owner for each value.
package reconcilers
