package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
	"corehost/reconcilers"
)

func (a *app) confirmCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "confirm",
		Short:   "Keep the change that is being tried",
		Long:    "Keeps the change that is being tried, so that it is not taken back.",
		Example: "  cli apply -f desired.yaml --try 60s && check-it && cli confirm",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.endTry(cmd.Context(), (*link).Confirm, func(t reconcilers.Try) string {
				return fmt.Sprintf("✓ Revision %d stays.\n", t.Revision)
			})
		},
	}
}

func (a *app) revertCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "revert",
		Short:   "Take back the change that is being tried, now",
		Long:    "Takes back the change that is being tried without waiting for its deadline.",
		Example: "  cli apply -f desired.yaml --try 5m\n  cli revert",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.endTry(cmd.Context(), (*link).Revert, func(t reconcilers.Try) string {
				return fmt.Sprintf("✓ Revision %d was taken back; what revision %d says is in force again.\n", t.Revision, t.Base)
			})
		},
	}
}

func (a *app) endTry(ctx context.Context, end func(*link, context.Context) (reconcilers.Try, error), say func(reconcilers.Try) string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	t, err := end(l, ctx)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	return a.print(t, func(text.Style) string { return say(t) })
}
