package main

import (
	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Is my host well, and what must I do?",
		Long: `Shows the verdict with what to do about it, then how things stand: the revision
in force, the loops, drift, restarts that are waited for, the model, the
services, the host and the secrets.`,
		Example: `  cli status
  cli status --output json | jq -r .verdict.level`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			status, err := l.Status(cmd.Context())
			if err != nil {
				return err
			}
			if a.format != "text" {
				return a.print(status, nil)
			}
			o := text.Overview{Status: status}
			if l.direct {
				plan, err := l.Plan(cmd.Context())
				if err != nil {
					return err
				}
				o.Plan = &plan
			}
			if stats, err := l.Stats(cmd.Context()); err == nil {
				o.Stats = &stats
			}
			if model, err := l.ModelInfo(cmd.Context()); err == nil {
				o.Model = &model
			}
			return a.say(text.Status(a.style(), o))
		},
	}
}
