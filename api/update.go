package api

import "context"

// UpdateStatus says what is known of newer releases: without a release feed
// that is the current version only.
func (s *Server) UpdateStatus(context.Context) UpdateStatus {
	return UpdateStatus{
		CurrentVersion:   s.Version,
		Case:             "no_releases",
		ApplyInstruction: "This build does not look for newer releases, so whether there is one is not known.",
	}
}
