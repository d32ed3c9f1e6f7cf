package main

import (
	"context"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
)

// notify tells the service manager when the daemon is ready, and from then on
// that it is alive, at half the interval that was asked for.
func (d *daemon) notify(ctx context.Context) {
	if !d.ready(ctx) {
		return
	}
	d.log.Debug("ready", "in_ms", time.Since(began).Milliseconds())
	_, _ = sd.SdNotify(false, sd.SdNotifyReady)
	interval, err := sd.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return
	}
	tick := time.NewTicker(interval / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			d.instance.Server.Status(ctx) // a daemon that hangs in here is not alive
			_, _ = sd.SdNotify(false, sd.SdNotifyWatchdog)
		}
	}
}

// ready waits for the first readings.
func (d *daemon) ready(ctx context.Context) bool {
	const pause = 2 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for d.instance.Server.Ready() != nil {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// stopping tells the service manager that the end was meant.
func stopping() { _, _ = sd.SdNotify(false, sd.SdNotifyStopping) }
