// Package journal keeps the history of the host: events, numbered, on disk,
// with a live feed of the new ones.
//
// Law: ids grow by one write after another and never come again; a slow
// reader is dropped, never waited for; the history is bounded.
package journal
