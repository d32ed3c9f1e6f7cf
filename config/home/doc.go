// Package home knows where everything of one installation lies and holds the
// one door through which files of the installation are read and written.
//
// Law: nothing leaves half-written, nothing a person wrote is overwritten
// unseen, and no path leads out of the home.
package home
