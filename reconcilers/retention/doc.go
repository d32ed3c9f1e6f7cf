// Package retention prunes whole-server backups by the document's policy.
//
// Law: only verified backups count and only verified backups go. What is
// unfinished, damaged, from the future or not named by the makers of backups
// is left alone, and the newest good one always stays.
package retention
