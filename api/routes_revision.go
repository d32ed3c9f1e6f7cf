package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type revisionsInput struct {
	Before int64 `query:"before" minimum:"0" doc:"Only revisions older than this number; 0: from the newest"`
	Limit  int   `query:"limit" minimum:"0" maximum:"200" doc:"At most this many; 0: 50"`
}

type revisionInput struct {
	Number int64 `path:"number" minimum:"1" doc:"Number of the revision"`
}

type rollbackInput struct {
	Number  int64  `path:"number" minimum:"1" doc:"Number of the revision to go back to"`
	IfMatch string `header:"If-Match" doc:"ETag of desired.yaml; * or absent: whatever is there"`
}

func (s *Server) routesRevision(api huma.API) {
	read(api, "/api/revisions", "list-revisions", "desired", "The accepted contents of desired.yaml", "Newest first, each with its author and what it changed.",
		func(ctx context.Context, in *revisionsInput) (*body[RevisionList], error) {
			return reply(s.Revisions(ctx, in.Before, in.Limit))
		}, 422)
	read(api, "/api/revisions/{number}", "get-revision", "desired", "One revision", "With its text and the line difference to the one before.",
		func(ctx context.Context, in *revisionInput) (*body[Revision], error) {
			return reply(s.Revision(ctx, in.Number))
		}, 404, 422)
	act(api, http.MethodPost, "/api/revisions/{number}/rollback", "rollback", "desired", "Go back to a revision",
		"Its exact bytes become a new revision, which the loops then defend like any other.",
		func(ctx context.Context, in *rollbackInput) (*body[ApplyResult], error) {
			return reply(s.Rollback(ctx, in.Number, in.IfMatch))
		}, 404, 409, 412, 422, 507)
}
