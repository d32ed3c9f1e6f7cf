package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/cmd/cli/text"
	"corehost/config/home"
)

// applyFlags are the flags of apply.
type applyFlags struct {
	file, try, ifMatch string
	dryRun             bool
}

func (a *app) applyCommand() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Change what should be, and wait until the host follows",
		Long: `Makes a document what should be and waits until the host is what it says.
Without --file it does now what is pending: what desired.yaml says already.

With --try the change takes itself back unless it is confirmed in time. The
deadline is on disk before anything changes, so it holds over a crash and a
reboot.`,
		Example: `  cli apply -f desired.yaml
  cli apply -f desired.yaml --dry-run       what would happen
  cli apply -f desired.yaml --try 60s       keep it with: cli confirm
  generate | cli apply -f -                 from standard input
  cli apply                                 do now what is pending`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.apply(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "document to apply; - is standard input")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be changed, change nothing")
	flags.StringVar(&f.try, "try", "", "take it back after this time unless confirmed")
	flags.StringVar(&f.ifMatch, "if-match", "", "only if the plan still has this etag")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	return cmd
}

func (a *app) apply(ctx context.Context, f applyFlags) error {
	if f.try != "" {
		if err := parseTry(f.try); err != nil {
			return err
		}
	}
	document, err := a.document(f.file)
	if err != nil {
		return err
	}
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if f.try != "" && l.direct {
		return failed("start core-dashboard, then repeat", "a try needs the daemon: nobody else would take it back in time")
	}
	line := a.waiting("applying")
	defer line.end()
	result, err := l.Apply(ctx, api.ApplyRequest{Document: document, DryRun: f.dryRun, Try: f.try}, f.ifMatch)
	if err != nil {
		return inFile(interrupted(ctx, err, l), f.file)
	}
	if f.dryRun {
		line.end()
		err = a.print(result, func(s text.Style) string { return text.DryRun(s, result) })
	} else {
		err = a.finish(ctx, l, line, result)
	}
	if err != nil || f.file != "" {
		return err
	}
	return inForce(ctx, l)
}

// finish waits for the host to follow, prints the result, and says in the
// exit code whether it did.
func (a *app) finish(ctx context.Context, l *link, line *progress, result api.ApplyResult) error {
	waitErr := a.converge(ctx, l, line, &result)
	line.end()
	if err := a.print(result, func(s text.Style) string { return text.Applied(s, result) }); err != nil {
		return err
	}
	return waitErr
}

// document reads what is to be applied, at most as much as a document may have.
func (a *app) document(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	in := a.stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", failed("name a file with --file, or - for standard input", "%s", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, home.MaxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the document: %w", err)
	case len(data) > home.MaxFile:
		return "", failed("", "the document is larger than %d MiB", home.MaxFile>>20)
	case len(data) == 0:
		return "", failed("an empty document manages nothing; write at least apiVersion, kind and metadata.name", "the document is empty")
	}
	return string(data), nil
}
