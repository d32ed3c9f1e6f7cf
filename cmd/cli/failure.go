package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"corehost/api"
	"corehost/cmd/cli/text"
	"corehost/config/home"
)

// failure is an error as a person sees it: what went wrong, the places, and
// the next step.
type failure struct {
	message string
	places  []string // each on its own line below the message
	hint    string   // empty: there is no next step
	code    int      // exit code; 0: exitFailed
}

func (f *failure) Error() string { return f.message }

// usage is a command line that is not understood.
func usage(message, hint string) error {
	return &failure{message: message, hint: hint, code: exitUsage}
}

func failed(hint, format string, args ...any) error {
	return &failure{message: fmt.Sprintf(format, args...), hint: hint}
}

// pending is the outcome of plan --exit-code when there is something to do.
var errPending = errors.New("changes are pending")

// report prints what went wrong and returns the exit code.
func (a *app) report(err error) int {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone // whoever read the output had enough
	case errors.Is(err, errPending):
		return exitPending
	}
	f := a.explainFailure(err)
	red, bold, reset := "", "", ""
	if a.colorful(a.stderr) {
		red, bold, reset = "\x1b[31m", "\x1b[1m", "\x1b[0m"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%serror:%s %s\n", red, reset, oneLine(f.message))
	for _, place := range f.places {
		fmt.Fprintf(&b, "  %s\n", oneLine(place))
	}
	if f.hint != "" {
		fmt.Fprintf(&b, "%shint:%s %s\n", bold, reset, oneLine(f.hint))
	}
	_, _ = fmt.Fprint(a.stderr, b.String())
	if f.code == 0 {
		return exitFailed
	}
	return f.code
}

// explainFailure finds the words for an error.
func (a *app) explainFailure(err error) *failure {
	var f *failure
	var problem *api.Problem
	switch {
	case errors.As(err, &f):
		return f
	case !a.understood:
		return &failure{message: err.Error(), hint: "cli --help shows what is possible", code: exitUsage}
	case errors.As(err, &problem):
		return ofProblem(problem)
	case errors.Is(err, context.Canceled):
		return &failure{message: "interrupted"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, os.ErrPermission):
		return &failure{message: err.Error(), hint: permissionHint}
	}
	return &failure{message: err.Error()}
}

// hints are the next steps by the stable code of a problem.
var hints = map[string]string{
	"stale":              "the file changed meanwhile: look at cli history, then repeat the change",
	"plan_stale":         "look at the new plan: cli plan",
	"suspended":          "go on with: cli resume",
	"try_running":        "keep it with cli confirm, take it back with cli revert",
	"no_try":             "begin one with: cli apply --try 60s",
	"unknown_field":      "fields are model.provider, model.default, agent.reasoning_effort and units[NAME].state",
	"no_drift":           "cli drift list shows what drifted",
	"self":               "systemctl restart core-dashboard",
	"unknown_unit":       "cli unit list shows the units",
	"unknown_revision":   "cli history shows the revisions",
	"unknown_provider":   "cli model list shows the providers",
	"unknown_model":      "cli model list PROVIDER shows its models",
	"key_missing":        "put the key into the home's .env file, then repeat",
	"config_invalid":     "mend config.yaml; it is left alone until it can be read",
	"desired_invalid":    "mend the document; the last good revision stays in force",
	"desired_unreadable": "mend desired.yaml; the last good revision stays in force",
	"cannot_splice":      "change the value in desired.yaml with an editor",
	"no_space":           "free some space, then repeat",
	"read_only":          "see who may write to the home: ls -ld",
	"busy":               "try again",
	"starting":           "wait a moment, then try again",
	"internal":           "the log of core-dashboard says more",
}

// placed are the problems whose errors are places in a file, or values that
// the sentence does not name.
var placed = map[string]bool{"desired_invalid": true, "desired_unreadable": true, "cannot_splice": true, "invalid": true}

func ofProblem(p *api.Problem) *failure {
	f := &failure{message: p.Detail, hint: hints[p.Code]}
	if f.message == "" {
		f.message = p.Title
	}
	for _, e := range p.Errors {
		if !placed[p.Code] {
			break // the sentence says it all; the location is a part of the request
		}
		f.places = append(f.places, strings.TrimPrefix(e.Location+": "+e.Message, ": "))
	}
	if p.Code == "desired_invalid" && len(p.Errors) > 0 {
		f.message = "the document is not valid: " + text.Count(len(p.Errors), "problem", "problems")
	}
	return f
}

// oneLine keeps a message on its line and its control characters visible.
func oneLine(message string) string {
	return text.Clean(strings.Join(strings.Fields(message), " "))
}

// inFile names the places of a refused document as those of the file that
// was given.
func inFile(err error, file string) error {
	var p *api.Problem
	if file == "" || !errors.As(err, &p) {
		return err
	}
	if file == "-" {
		file = "standard input"
	}
	named := *p
	named.Errors = nil
	for _, e := range p.Errors {
		if rest, ok := strings.CutPrefix(e.Location, home.DesiredFile); ok {
			e.Location = file + rest
		}
		named.Errors = append(named.Errors, e)
	}
	return &named
}
