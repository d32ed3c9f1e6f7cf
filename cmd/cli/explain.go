package main

import (
	"context"

	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
	"corehost/reconcilers"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain FIELD",
		Short: "Show why a value is what it is",
		Long: `Shows for one value what it should be and which revision by whom says so, what
config.yaml has, what each service runs, and what holds it back.`,
		Example: `  cli explain model.provider
  cli explain agent.reasoning_effort
  cli explain 'units[core-gateway].state'`,
		Args:              exactly("FIELD"),
		ValidArgsFunction: a.complete(1, fields),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd.Context(), a, func(l *link, ctx context.Context) (reconcilers.Explanation, error) {
				return l.Explain(ctx, args[0])
			}, text.Explain)
		},
	}
}
