// Package observers holds the words for what is: the Observer contract, the
// reading with its age, and the Snapshot that every plan is made from.
//
// Law: reading never changes the host. An observer has no write door; what it
// cannot read it says so, and an old or failed reading is unknown, never good.
package observers
