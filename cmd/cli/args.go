package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// exactly wants all of the named arguments.
func exactly(names ...string) cobra.PositionalArgs { return count(len(names), names) }

// atMost wants none or all of the named arguments.
func atMost(names ...string) cobra.PositionalArgs { return count(0, names) }

// between wants the first named argument and takes the others.
func between(names ...string) cobra.PositionalArgs { return count(1, names) }

func count(least int, names []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		switch {
		case len(args) < least:
			return usage(names[len(args)]+" is missing", hint)
		case len(args) > len(names):
			return usage(fmt.Sprintf("%q is one argument too many", args[len(names)]), hint)
		}
		return nil
	}
}
