package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
)

func (a *app) suspendCommand() *cobra.Command {
	var reason, until string
	cmd := &cobra.Command{
		Use:   "suspend",
		Short: "Observe and plan, but change nothing",
		Long: `Keeps the loops from changing anything until cli resume, or until a time. The
host is still observed, and cli plan shows what would be done.`,
		Example: `  cli suspend --reason "kernel upgrade" --until 2h
  cli suspend`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			end, err := optionalUntil(until, a.now())
			if err != nil {
				return err
			}
			return a.setSuspend(cmd.Context(), true, reason, end)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for whoever looks at it next")
	cmd.Flags().StringVar(&until, "until", "", "go on by itself at a time, or after a span such as 2h")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "resume",
		Short:   "End a suspension: the host follows desired.yaml again",
		Long:    "Ends a suspension and waits until the host is what desired.yaml says.",
		Example: "  cli resume",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.setSuspend(cmd.Context(), false, "", nil)
		},
	}
}

func optionalUntil(value string, now time.Time) (*time.Time, error) {
	if value == "" {
		return nil, nil
	}
	t, err := parseUntil(value, now)
	return &t, err
}

func (a *app) setSuspend(ctx context.Context, active bool, reason string, until *time.Time) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	line := a.waiting("writing desired.yaml")
	defer line.end()
	result, err := l.SetSuspend(ctx, active, reason, until)
	if err != nil {
		return interrupted(ctx, err, l)
	}
	if !active {
		return a.finish(ctx, l, line, result)
	}
	line.end()
	return a.print(result, func(s text.Style) string { return text.Suspended(s, result.Revision, reason, until) })
}
