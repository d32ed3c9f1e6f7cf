// Package operatordb opens operator.db, the operator's memory: revisions,
// events, conditions, drift, tries and the restart ledger.
//
// Law: the operator works without its memory. A file that cannot be written,
// is damaged or comes from a newer version is never touched; what can be read
// of it is loaded, history is kept in memory from there on, and the reason is
// at hand for everybody to show.
package operatordb
