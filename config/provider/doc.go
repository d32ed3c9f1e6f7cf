// Package provider knows the model providers: which there are, how they are
// reached, which models they offer, and which of them a configuration means.
//
// Law: nothing here asks the network. Every figure comes from the embedded
// catalogue, from the table of gaps (each with its source and date) or from
// the user's own config.yaml; what none of them says is unknown, not guessed.
package provider
