package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"corehost/api"
	"corehost/api/client"
	"corehost/cmd/cli/text"
	"corehost/reconcilers"
	"corehost/reconcilers/journal"
)

// Following a daemon that is restarted.
const (
	goneAfter = 30 * time.Second
	askAgain  = 250 * time.Millisecond
)

// kinds are all kinds of event, as --kind takes them.
var kinds = []reconcilers.EventKind{
	reconcilers.EventStarted, reconcilers.EventRevised, reconcilers.EventRefused, reconcilers.EventPlanned,
	reconcilers.EventApplied, reconcilers.EventFailed, reconcilers.EventDrifted, reconcilers.EventHealed,
	reconcilers.EventAdopted, reconcilers.EventIgnored, reconcilers.EventObserved, reconcilers.EventRestored,
	reconcilers.EventTried, reconcilers.EventConfirmed, reconcilers.EventReverted, reconcilers.EventRestarted,
}

func (a *app) eventsCommand() *cobra.Command {
	var follow bool
	var names []string
	var limit int
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Show what happened, and with --follow what happens",
		Long: `Shows the newest events, oldest first, so that the newest stands at the bottom.
With --follow it goes on as they happen; as JSON each is then one line.`,
		Example: `  cli events
  cli events --kind Failed,Drifted
  cli events --follow -o json | jq -r .message`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := parseKinds(names)
			if err != nil {
				return err
			}
			if err := checkLimit(limit); err != nil {
				return err
			}
			q := journal.Query{Limit: limit, Kinds: wanted}
			if follow {
				return a.follow(cmd.Context(), q)
			}
			return a.events(cmd.Context(), q)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&follow, "follow", "f", false, "go on as they happen")
	flags.StringSliceVar(&names, "kind", nil, "only of these kinds: Applied, Failed, Drifted …")
	flags.IntVar(&limit, "limit", 20, "how many of the past")
	_ = cmd.RegisterFlagCompletionFunc("kind", fixed(kindNames()...))
	return cmd
}

func kindNames() []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, string(kind))
	}
	return names
}

// parseKinds reads kinds of event in any letter case.
func parseKinds(names []string) ([]reconcilers.EventKind, error) {
	var wanted []reconcilers.EventKind
	for _, name := range names {
		i := slices.IndexFunc(kinds, func(k reconcilers.EventKind) bool { return strings.EqualFold(string(k), name) })
		if i < 0 {
			return nil, usage(fmt.Sprintf("there is no kind of event %q", name), "kinds are "+strings.Join(kindNames(), ", "))
		}
		wanted = append(wanted, kinds[i])
	}
	return wanted, nil
}

func (a *app) events(ctx context.Context, q journal.Query) error {
	return ask(ctx, a, func(l *link, ctx context.Context) (api.EventPage, error) {
		return l.EventPage(ctx, q)
	}, func(s text.Style, page api.EventPage) string {
		if len(page.Events) == 0 {
			return "No events.\n"
		}
		var b strings.Builder
		for _, e := range slices.Backward(page.Events) {
			b.WriteString(text.Event(s, e))
		}
		return b.String()
	})
}

// follow prints the newest events, then each as it happens, until it is
// interrupted or nobody reads any more.
func (a *app) follow(ctx context.Context, q journal.Query) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if l.direct {
		return failed("start core-dashboard, or leave --follow out", "without the daemon nothing happens that could be followed")
	}
	ctx, cancel := whileRead(ctx, a.stdout)
	defer cancel()
	page, err := l.EventPage(ctx, q)
	if err != nil {
		return err
	}
	var last int64
	for _, e := range slices.Backward(page.Events) {
		last = e.ID
		if err := a.event(e); err != nil {
			return err
		}
	}
	err = a.stream(ctx, l, last, q.Kinds)
	if ctx.Err() != nil {
		return nil // the way to end it
	}
	return err
}

// stream prints each event after last. A daemon that is restarted is asked
// again from where it stopped, for a while.
func (a *app) stream(ctx context.Context, l *link, last int64, wanted []reconcilers.EventKind) error {
	var lost time.Time // since when nobody answers
	show := func(m client.Message) error {
		last, lost = max(last, m.ID), time.Time{}
		if m.Event == nil || len(wanted) > 0 && !slices.Contains(wanted, m.Event.Kind) {
			return nil
		}
		return a.event(*m.Event)
	}
	for {
		err := l.Events(ctx, last, show)
		if err == nil || ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
			return err
		}
		if lost.IsZero() {
			lost = a.now()
		}
		if a.now().Sub(lost) > goneAfter {
			return failed("see how it is: systemctl status core-dashboard", "the daemon went away")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(askAgain):
		}
	}
}

// event prints one event: a line of JSON, a YAML document, or text.
func (a *app) event(e reconcilers.Event) error {
	switch a.format {
	case "json":
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event %d: %w", e.ID, err)
		}
		return write(a.stdout, append(data, '\n'))
	case "yaml":
		data, err := a.encode(e)
		if err != nil {
			return err
		}
		return write(a.stdout, append([]byte("---\n"), data...))
	}
	return a.say(text.Event(a.style(), e))
}
