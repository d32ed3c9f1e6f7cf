package main

import (
	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
	"corehost/reconcilers"
)

func (a *app) planCommand() *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what would be changed now, and change nothing",
		Long: `Shows every change that would bring the host to what desired.yaml says. With
--exit-code the exit code is 3 when there is one, 0 when there is none.`,
		Example: `  cli plan
  cli plan --exit-code --quiet || echo "something is to be done"
  cli apply --if-match "$(cli plan -o json | jq -r .etag)"`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			plan, err := l.Plan(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.print(plan, func(s text.Style) string { return text.Plan(s, plan) }); err != nil {
				return err
			}
			if err := inForce(cmd.Context(), l); err != nil {
				return err
			}
			return outcome(plan, exitCode)
		},
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 3 when there are changes")
	return cmd
}

// outcome is what --exit-code makes of a plan: one that could not be made
// whole is no answer to "is there anything to do?".
func outcome(plan reconcilers.Plan, exitCode bool) error {
	switch {
	case !exitCode:
		return nil
	case len(plan.Problems) > 0:
		p := plan.Problems[0]
		return failed("cli status says what to do", "%s cannot be planned: %s", p.Reconciler, p.Message)
	case len(plan.Changes) > 0:
		return errPending
	}
	return nil
}
