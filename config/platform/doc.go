// Package platform reads and edits config.yaml, the file that the agent
// platform reads at its start.
//
// Law: the bytes a person wrote are theirs. An edit changes the value
// concerned and nothing else; where that cannot be done safely it is refused
// with the reason.
package platform
