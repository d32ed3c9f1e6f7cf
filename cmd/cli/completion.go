package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completionPatience is how long a shell waits for suggestions.
const completionPatience = time.Second

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Write a completion script for a shell",
		Long: `Writes a script that makes the shell complete commands, flags, and the host's
own providers, models, fields, services and revisions.`,
		Example: `  source <(cli completion bash)
  cli completion zsh > "${fpath[1]}/_cli"
  cli completion fish > ~/.config/fish/completions/cli.fish`,
		Args:                  exactly("SHELL"),
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     fixed("bash", "zsh", "fish"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, root := cmd.OutOrStdout(), cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return usage(fmt.Sprintf("there is no completion for %q", args[0]), "there is one for bash, zsh and fish")
		},
	}
}

// candidates finds what an argument could be, from the host itself.
type candidates func(ctx context.Context, l *link, args []string) ([]string, error)

// complete asks the host for suggestions for the first n arguments. A host
// that does not answer has none.
func (a *app) complete(n int, find candidates) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
		defer cancel()
		l, err := a.connect(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list, err := find(ctx, l, args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list = slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, begun) })
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// fixed suggests the same words always, for the first argument.
func fixed(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// models suggests providers, then the models of the one that was named.
func models(ctx context.Context, l *link, args []string) ([]string, error) {
	options, err := l.ModelOptions(ctx)
	var list []string
	for _, p := range options.Providers {
		if len(args) == 0 {
			list = append(list, cobra.CompletionWithDesc(p.Slug, p.Name+", "+p.KeyLabel))
			continue
		}
		for _, m := range p.Models {
			if p.Slug == args[0] {
				list = append(list, cobra.CompletionWithDesc(m.ID, m.Name))
			}
		}
	}
	return list, err
}

func fields(ctx context.Context, l *link, args []string) ([]string, error) {
	list := []string{"model.provider", "model.default", "agent.reasoning_effort"}
	names, err := units(ctx, l, args)
	for _, name := range names {
		list = append(list, "units["+name+"].state")
	}
	return list, err
}

func drifted(ctx context.Context, l *link, _ []string) ([]string, error) {
	list, err := l.Drift(ctx)
	var names []string
	for _, d := range list.Drift {
		names = append(names, cobra.CompletionWithDesc(d.Field, d.Actual+" instead of "+d.Desired))
	}
	return names, err
}

func units(ctx context.Context, l *link, _ []string) ([]string, error) {
	list, err := l.Units(ctx)
	var names []string
	for _, u := range list.Units {
		names = append(names, u.Name)
	}
	return names, err
}

func revisions(ctx context.Context, l *link, _ []string) ([]string, error) {
	list, err := l.Revisions(ctx, 0, 50)
	var numbers []string
	for _, r := range list.Revisions {
		numbers = append(numbers, cobra.CompletionWithDesc(strconv.FormatInt(r.Number, 10), r.Author+" "+r.Time.Local().Format(time.DateTime)))
	}
	return numbers, err
}
