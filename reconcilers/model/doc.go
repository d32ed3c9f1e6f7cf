// Package model brings model.provider and model.default of config.yaml to
// what the document says.
//
// Law: provider and model change together or not at all, and a switch to a
// provider that is unknown or has no key is never written.
package model
