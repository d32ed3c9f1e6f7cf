package main

import (
	"context"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/cmd/cli/text"
)

func (a *app) unitCommand() *cobra.Command {
	return parent("unit", "The services: list them, restart one",
		`Shows the services and restarts one. Whether a service should run at all is
desired state: units in desired.yaml.`,
		`  cli unit list
  cli unit restart core-gateway`,
		a.unitListCommand(), a.unitRestartCommand())
}

func (a *app) unitListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the services and how they are",
		Example: "  cli unit list",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, (*link).Units, func(s text.Style, list api.UnitList) string { return text.Units(s, list.Units) })
		},
	}
}

func (a *app) unitRestartCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restart NAME",
		Short: "Restart a service and see that it stays up",
		Long: `Restarts a service and waits until it has stayed up. When it does not, and the
revision in force changed what it reads, the last good revision comes back.`,
		Example:           "  cli unit restart core-gateway",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.complete(1, units),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.restart(cmd.Context(), args[0]) },
	}
}

func (a *app) restart(ctx context.Context, name string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	line := a.waiting("restarting " + name)
	defer line.end()
	result, err := l.RestartUnit(ctx, name)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	line.end()
	if err := a.print(result, func(s text.Style) string { return text.UnitRestarted(s, result) }); err != nil {
		return err
	}
	if !result.Healthy {
		return failed("cli events shows what happened", "%s is not healthy after the restart", name)
	}
	return nil
}
