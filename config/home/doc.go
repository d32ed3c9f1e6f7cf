// Package home knows where everything of one installation lies and holds the
// one door through which files of the installation are read and written.
//
// Law: nothing leaves half-written, nothing a person wrote is overwritten
// unseen, and no path leads out of the home.
//
// A write goes to a staged file beside the real one (named .corehost-<name>-… for its content),
// is made durable, and is exchanged with the real one in one step
// (renameat2 RENAME_EXCHANGE). Only then is what was displaced compared with
// what the writer expected. If somebody else wrote in between, by rename or
// into the file itself, the exchange is undone and the writer gets ErrChanged.
// A program that still has the displaced file open for writing is waited for
// briefly; a read lease (fcntl F_SETLEASE) tells that none has. A kill between
// any two steps leaves the whole old or the whole new content, and at most a
// staged file that Leftovers finds.
//
// What an exchange cannot keep: hard links of the file, extended attributes
// and access lists.
package home
