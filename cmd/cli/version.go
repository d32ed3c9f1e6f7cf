package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"corehost/cmd/cli/text"
	"corehost/cmd/internal/version"
	"corehost/desired"
)

// versions is what `cli version` tells programs.
type versions struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	API     string `json:"api"` // apiVersion of desired.yaml
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the version of this program",
		Long:    "Shows the version of this program. cli status -o json has the daemon's.",
		Example: "  cli version\n  cli version -o json",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			v := versions{Version: version.Number(), Go: runtime.Version(), API: desired.APIVersion}
			return a.print(v, func(text.Style) string {
				return fmt.Sprintf("corehost %s (%s, %s)\n", v.Version, v.API, v.Go)
			})
		},
	}
}
