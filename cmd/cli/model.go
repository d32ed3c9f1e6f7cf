package main

import (
	"context"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/cmd/cli/text"
)

func (a *app) modelCommand() *cobra.Command {
	return parent("model", "The model that drives the agents",
		`Shows and switches the provider, the model and the reasoning effort. A switch
is written into desired.yaml; it takes effect when the services that read
config.yaml at their start are restarted.`,
		`  cli model show
  cli model set anthropic
  cli model reasoning high`,
		a.modelListCommand(), a.modelShowCommand(), a.modelSetCommand(), a.modelReasoningCommand())
}

func (a *app) modelListCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "list [PROVIDER]",
		Short:             "List the providers, or the models of one",
		Example:           "  cli model list\n  cli model list anthropic",
		Args:              atMost("PROVIDER"),
		ValidArgsFunction: a.complete(1, models),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.models(cmd.Context(), args) },
	}
}

func (a *app) models(ctx context.Context, args []string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	options, err := l.ModelOptions(ctx)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return a.print(options, func(s text.Style) string { return text.Providers(s, options) })
	}
	for _, p := range options.Providers {
		if p.Slug == args[0] {
			return a.print(p, func(s text.Style) string { return text.ProviderModels(s, p, options.Model) })
		}
	}
	return failed("cli model list shows the providers", "there is no provider %q", args[0])
}

func (a *app) modelShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show the active model and what each service runs",
		Example: "  cli model show",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, (*link).ModelInfo, text.Model)
		},
	}
}

func (a *app) modelSetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "set PROVIDER [MODEL]",
		Short: "Switch to a provider and a model",
		Long: `Switches to a provider. Without a model it follows the provider's default. The
provider's key must be at hand, where it needs one.`,
		Example: `  cli model set anthropic
  cli model set openai gpt-5.2`,
		Args:              between("PROVIDER", "MODEL"),
		ValidArgsFunction: a.complete(2, models),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := api.SetModel{Provider: args[0]}
			if len(args) == 2 {
				body.Model = args[1]
			}
			return a.switchModel(cmd.Context(), "switching the model", func(ctx context.Context, l *link) (api.ModelSet, error) {
				return l.SetModel(ctx, body)
			})
		},
	}
}

func (a *app) modelReasoningCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "reasoning EFFORT",
		Short:             "Set the reasoning effort: off, low, medium or high",
		Example:           "  cli model reasoning high\n  cli model reasoning off",
		Args:              exactly("EFFORT"),
		ValidArgsFunction: fixed("off", "low", "medium", "high"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.switchModel(cmd.Context(), "setting the effort", func(ctx context.Context, l *link) (api.ModelSet, error) {
				return l.SetEffort(ctx, api.SetEffort{Effort: args[0]})
			})
		},
	}
}

// switchModel makes a switch, waits for config.yaml to follow, and says which
// services have to be restarted.
func (a *app) switchModel(ctx context.Context, what string, change func(context.Context, *link) (api.ModelSet, error)) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	line := a.waiting(what)
	defer line.end()
	set, err := change(ctx, l)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	result := api.ApplyResult{Revision: set.Revision, Converged: set.Converged}
	waitErr := a.converge(ctx, l, line, &result)
	set.Converged = result.Converged
	if status, err := l.Status(ctx); err == nil {
		result.Restart = status.Restart
	}
	line.end()
	if err := a.print(set, func(s text.Style) string { return text.ModelSet(s, set, result.Restart) }); err != nil {
		return err
	}
	return waitErr
}
