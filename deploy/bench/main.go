// Command bench measures the product as a whole, each figure beside a
// yardstick from the same run, and prints one table. It starts the programs it
// is given on scratch homes and ends them.
//
//	bench -bin bin [-quick]
//
// A host is faster in one minute than in the next: only ratios of one run mean
// something.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
)

// row is one line of the table.
type row struct {
	what      string
	ours      string
	yardstick string
	ratio     string
	goal      string
	met       bool
}

// options are what the person running it may choose.
type options struct {
	bin    string // folder of the programs
	rounds int    // of each paired measurement
}

func main() {
	var o options
	var serve string
	quick := flag.Bool("quick", false, "a tenth of the rounds")
	flag.StringVar(&o.bin, "bin", "bin", "folder of the built programs")
	flag.StringVar(&serve, "serve", "", "serve a file's bytes over HTTP: the yardstick's own process")
	flag.Parse()
	o.rounds = 300
	if *quick {
		o.rounds = 30
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, serve, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, serve string, out io.Writer) error {
	if serve != "" {
		return serveFile(ctx, serve, out)
	}
	var rows []row
	for _, measure := range []func(context.Context, options) ([]row, error){measureEdit, measureStats, measureIdle, measureStart} {
		some, err := measure(ctx, o)
		if err != nil {
			return err
		}
		rows = append(rows, some...)
		for _, r := range some {
			fmt.Fprintln(os.Stderr, "measured:", r.what)
		}
	}
	return table(out, rows)
}

func table(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "what\tours\tyardstick\tratio\tgoal\tmet")
	for _, r := range rows {
		met := "no"
		if r.met {
			met = "yes"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.ours, r.yardstick, r.ratio, r.goal, met)
	}
	return w.Flush()
}
