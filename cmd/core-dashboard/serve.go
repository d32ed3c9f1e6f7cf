package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"corehost/api"
	"corehost/cmd/internal/version"
	"corehost/cmd/internal/wire"
)

// Limits of a connection and of the shutdown.
const (
	headerTime   = 10 * time.Second // to send the header of a request
	requestTime  = 2 * time.Minute  // to send a whole request of 25 MB
	idleTime     = 2 * time.Minute  // between two requests
	headerBytes  = 64 << 10
	shutdownTime = 5 * time.Second // for answers in flight
	finishTime   = 30 * time.Second
)

// gcPercent trades a little time for memory: the daemon is idle nearly always.
const gcPercent = 50

// serve runs the daemon until ctx ends or a part of it fails.
func serve(ctx context.Context, s settings, log *slog.Logger) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	instance, err := wire.Open(ctx, wire.Options{Paths: s.paths, Daemon: true, Version: version.Number(), Log: log})
	if err != nil {
		return err
	}
	defer func() {
		if err := instance.Close(); err != nil {
			log.Error("closing failed", "error", err)
		}
	}()
	listeners, err := listen(ctx, s, log)
	if err != nil {
		return err
	}
	return (&daemon{instance: instance, log: log, listeners: listeners}).run(ctx)
}

// listen opens both doors. Without the socket the rest still works: a home
// that cannot be written must not keep the dashboard from saying so.
func listen(ctx context.Context, s settings, log *slog.Logger) ([]net.Listener, error) {
	socket, err := listenUnix(ctx, s.paths.Socket)
	if errors.Is(err, errSocketPath) {
		return nil, err
	}
	var open []net.Listener
	if err != nil {
		log.Error("the unix socket is not served", "error", err)
	} else {
		open = append(open, socket)
	}
	tcp, err := listenTCP(ctx, s.paths.Listen)
	if err != nil {
		for _, l := range open {
			_ = l.Close()
		}
		return nil, err
	}
	log.Info("serving", "page", "http://"+tcp.Addr().String(), "home", s.paths.Home, "socket", s.paths.Socket, "version", version.Number())
	return append(open, tcp), nil
}

// daemon is the running process.
type daemon struct {
	instance  *wire.Instance
	listeners []net.Listener
	log       *slog.Logger
}

// run serves and converges until ctx ends, then finishes what is in flight.
func (d *daemon) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	server := d.server()
	var wg sync.WaitGroup
	for _, l := range d.listeners {
		wg.Go(func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				cancel(fmt.Errorf("serve %s: %w", l.Addr(), err))
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(d.instance.Run(ctx))
	}()
	go d.notify(ctx)

	<-ctx.Done()
	stopping()
	d.shutdown(server, ended)
	wg.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// server is one server for both doors.
func (d *daemon) server() *http.Server {
	server := &http.Server{
		Handler:           d.instance.Handler,
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog:    slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
		ConnContext: actor,
	}
	server.RegisterOnShutdown(d.instance.Server.Close)
	return server
}

// actor names who acts on a connection: the user at the other end of the
// socket.
func actor(ctx context.Context, conn net.Conn) context.Context {
	if p, ok := conn.(*peer); ok {
		return api.WithActor(ctx, fmt.Sprintf("cli:%d", p.uid))
	}
	return ctx
}

// shutdown closes the doors, then waits for the change in flight, each within
// its bound.
func (d *daemon) shutdown(server *http.Server, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		d.log.Warn("answers in flight were cut off", "error", err)
		_ = server.Close()
	}
	select {
	case <-ended:
		d.log.Info("stopped")
	case <-time.After(finishTime):
		d.log.Error("the change in flight did not end in time", "waited", finishTime.String())
	}
}
