package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"

	"corehost/config/home"
)

// errHelp: the help was asked for and printed.
var errHelp = flag.ErrHelp

// settings are what a person may set.
type settings struct {
	paths   home.Paths
	debug   bool
	version bool
}

const help = `core-dashboard observes this host, brings it to what desired.yaml says, and
serves the API and the dashboard on loopback and on a unix socket.

  --home DIR       {home_dir}; also CORE_HOME
  --listen ADDR    loopback address of the API; also CORE_LISTEN (127.0.0.1:7710)
  --socket PATH    unix socket; also CORE_SOCKET ({home_dir}/run/core.sock)
  --debug          say more on standard error
  --version        print the version

Places of other things: CORE_BACKUP_DIR, CORE_PROC_ROOT, CORE_ETC_ROOT.
`

func parse(args []string, getenv func(string) string, stderr io.Writer) (settings, error) {
	var s settings
	var flags home.Paths
	set := flag.NewFlagSet("core-dashboard", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&flags.Home, "home", "", "")
	set.StringVar(&flags.Listen, "listen", "", "")
	set.StringVar(&flags.Socket, "socket", "", "")
	set.BoolVar(&s.debug, "debug", false, "")
	set.BoolVar(&s.version, "version", false, "")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stderr, help)
		return s, errHelp
	} else if err != nil {
		return s, err
	}
	if set.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	var err error
	if s.paths, err = home.Resolve(getenv, os.Getuid(), flags); err != nil {
		return s, err
	}
	s.paths.Listen = strings.TrimSuffix(strings.TrimPrefix(s.paths.Listen, "http://"), "/")
	return s, loopbackOnly(s.paths.Listen)
}

// logger writes text for a person at a terminal and JSON for a log.
func logger(w io.Writer, debug bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if debug {
		options.Level = slog.LevelDebug
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
