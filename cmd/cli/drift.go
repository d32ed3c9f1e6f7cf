package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/cmd/cli/text"
)

func (a *app) driftCommand() *cobra.Command {
	return parent("drift", "Values that somebody changed by hand",
		`A managed value that somebody changed by hand has drifted. There are three
answers: put it back (the loops do, or cli apply), adopt it, or leave it for a
while.`,
		`  cli drift list
  cli drift adopt model.provider
  cli drift ignore model.provider --until 24h`,
		a.driftListCommand(), a.driftAdoptCommand(), a.driftIgnoreCommand())
}

func (a *app) driftListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what drifted, since when and by whom",
		Example: "  cli drift list",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, (*link).Drift, func(s text.Style, list api.DriftList) string { return text.Drift(s, list.Drift) })
		},
	}
}

func (a *app) driftAdoptCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "adopt FIELD",
		Short:             "Write the host's value into desired.yaml",
		Example:           "  cli drift adopt model.provider",
		Args:              exactly("FIELD"),
		ValidArgsFunction: a.complete(1, drifted),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			line := a.waiting("adopting " + args[0])
			defer line.end()
			result, err := l.AdoptDrift(cmd.Context(), args[0])
			if err != nil {
				return interrupted(cmd.Context(), err, l)
			}
			return a.finish(cmd.Context(), l, line, result)
		},
	}
}

func (a *app) driftIgnoreCommand() *cobra.Command {
	var until string
	cmd := &cobra.Command{
		Use:   "ignore FIELD --until TIME",
		Short: "Leave a drifted value alone until a time",
		Example: `  cli drift ignore model.provider --until 24h
  cli drift ignore model.provider --until 2026-12-24T18:00:00Z`,
		Args:              exactly("FIELD"),
		ValidArgsFunction: a.complete(1, drifted),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.ignore(cmd.Context(), args[0], until) },
	}
	cmd.Flags().StringVar(&until, "until", "", "a time, or a span from now such as 24h or 7d")
	return cmd
}

func (a *app) ignore(ctx context.Context, field, until string) error {
	if until == "" {
		return usage("--until is missing", "cli drift ignore "+field+" --until 24h")
	}
	end, err := parseUntil(until, a.now())
	if err != nil {
		return err
	}
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	list, err := l.IgnoreDrift(ctx, field, end)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	return a.print(list, func(s text.Style) string {
		return fmt.Sprintf("✓ %s is left alone until %s.\n", text.Clean(field), end.Local().Format(time.DateTime))
	})
}
