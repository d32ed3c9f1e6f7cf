package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitPending = 3  // plan --exit-code: there are changes to be made
	exitUsage   = 64 // EX_USAGE of sysexits(3)
)

// nearEnough is in how many letters a mistyped command may differ from one
// that exists to be taken for it.
const nearEnough = 2

// app is one run of the program: its streams, its settings and, once a
// command asks for it, the way to the host.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time

	home, socket, format string
	noColor, quiet       bool

	understood bool  // flags and arguments were fine; from here on errors are failures
	link       *link // nil until connect
}

// run is the program without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, now: time.Now}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if closeErr := a.disconnect(); err == nil {
		err = closeErr
	}
	return a.report(err)
}

// root is the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "cli COMMAND",
		Short: "Look at this host and change what it should be",
		Long: `Look at this host and change what it should be.

What should be is written in desired.yaml; the operator makes the host follow.
Every change is a revision that can be looked at, tried and taken back.`,
		Example: `  cli status                     is my host well, and what must I do?
  cli plan                       what would be changed now, and why
  cli apply -f desired.yaml      change what should be, and wait for it
  cli model set anthropic        switch the model
  cli rollback 11                go back to revision 11`,
		SilenceErrors: true, SilenceUsage: true,
		DisableFlagsInUseLine: true, SuggestionsMinimumDistance: nearEnough,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: a.prepare,
		Args:              noSuchCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.home, "home", "", "home of the installation (CORE_HOME)")
	flags.StringVar(&a.socket, "socket", "", "socket of the daemon (CORE_SOCKET)")
	flags.StringVarP(&a.format, "output", "o", "text", "text, json or yaml")
	flags.BoolVar(&a.noColor, "no-color", false, "no colour (NO_COLOR)")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print nothing but errors, and data for programs")
	_ = root.RegisterFlagCompletionFunc("output", fixed("text", "json", "yaml"))
	_ = root.MarkPersistentFlagDirname("home")
	root.AddGroup(&cobra.Group{ID: "look", Title: "Look:"}, &cobra.Group{ID: "change", Title: "Change:"}, &cobra.Group{ID: "other", Title: "Other:"})
	root.SetHelpCommandGroupID("other")
	group(root, "look", a.statusCommand(), a.planCommand(), a.explainCommand(), a.historyCommand(), a.eventsCommand())
	group(root, "change", a.applyCommand(), a.confirmCommand(), a.revertCommand(), a.rollbackCommand(), a.driftCommand(),
		a.modelCommand(), a.unitCommand(), a.suspendCommand(), a.resumeCommand())
	group(root, "other", a.versionCommand(), completionCommand())
	return root
}

func group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		root.AddCommand(c)
	}
}

// prepare runs when a command line was understood, before its command.
func (a *app) prepare(*cobra.Command, []string) error {
	if !slices.Contains([]string{"text", "json", "yaml"}, a.format) {
		return usage(fmt.Sprintf("--output %s is not possible", a.format), "use text, json or yaml")
	}
	a.understood = true
	return nil
}

// noSuchCommand refuses what follows a command that only holds others.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := cmd.CommandPath() + " --help lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: " + cmd.CommandPath() + " " + near[0]
	}
	return usage(fmt.Sprintf("there is no command %q", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "cli ")), hint)
}

// parent is a command that only holds others.
func parent(name, short, long, example string, children ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range children {
		names = append(names, c.Name())
	}
	cmd := &cobra.Command{
		Use: name + " " + strings.Join(names, "|"), Short: short, Long: long, Example: example,
		DisableFlagsInUseLine: true, SuggestionsMinimumDistance: nearEnough, Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(cmd.CommandPath()+" needs a command: "+strings.Join(names, ", "), cmd.CommandPath()+" --help says what each does")
		},
	}
	cmd.AddCommand(children...)
	return cmd
}
