package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/cmd/cli/text"
)

func (a *app) historyCommand() *cobra.Command {
	var limit int
	var before int64
	cmd := &cobra.Command{
		Use:   "history [N]",
		Short: "Show what desired.yaml said before, and who changed it",
		Long: `Lists the revisions of desired.yaml, newest first, each with its author and
what it changed. With a number it shows that one and its difference to the one
before, line by line.`,
		Example: `  cli history
  cli history 12
  cli history 12 -o json | jq -r .text     the document itself`,
		Args:              atMost("N"),
		ValidArgsFunction: a.complete(1, revisions),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.revision(cmd.Context(), args[0])
			}
			return a.history(cmd.Context(), before, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many")
	cmd.Flags().Int64Var(&before, "before", 0, "only revisions before this one")
	return cmd
}

func (a *app) history(ctx context.Context, before int64, limit int) error {
	if err := checkLimit(limit); err != nil {
		return err
	}
	return ask(ctx, a, func(l *link, ctx context.Context) (api.RevisionList, error) {
		return l.Revisions(ctx, before, limit)
	}, text.History)
}

func (a *app) revision(ctx context.Context, arg string) error {
	n, err := parseNumber(arg)
	if err != nil {
		return err
	}
	return ask(ctx, a, func(l *link, ctx context.Context) (api.Revision, error) {
		return l.Revision(ctx, n)
	}, text.Revision)
}

func (a *app) rollbackCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rollback N",
		Short: "Go back to an earlier revision",
		Long: `Writes the document of an earlier revision back, byte for byte, as a new
revision, and waits until the host is what it says.`,
		Example:           "  cli history\n  cli rollback 11",
		Args:              exactly("N"),
		ValidArgsFunction: a.complete(1, revisions),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := parseNumber(args[0])
			if err != nil {
				return err
			}
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			line := a.waiting(fmt.Sprintf("going back to revision %d", n))
			defer line.end()
			result, err := l.Rollback(cmd.Context(), n, "")
			if err != nil {
				return interrupted(cmd.Context(), err, l)
			}
			return a.finish(cmd.Context(), l, line, result)
		},
	}
}

// maxPage is the most the API answers at once.
const maxPage = 200

func checkLimit(n int) error {
	if n < 1 || n > maxPage {
		return usage(fmt.Sprintf("--limit %d is not possible", n), fmt.Sprintf("name a number from 1 to %d", maxPage))
	}
	return nil
}
