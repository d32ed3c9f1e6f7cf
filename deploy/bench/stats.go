package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clients is the number of connections kept busy; burst is how long each turn
// lasts.
const (
	clients = 8
	burst   = 2 * time.Second
	turns   = 5
)

// measureStats compares requests per second of GET /api/system/stats with a
// bare net/http handler that returns the same bytes from a process of its own.
func measureStats(ctx context.Context, o options) ([]row, error) {
	d, err := startDaemon(ctx, o.bin)
	if err != nil {
		return nil, err
	}
	defer d.close()
	url := "http://" + d.listen + "/api/system/stats"
	body, err := get(ctx, url)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(d.home, "..", "stats.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file) }()
	bare, stop, err := startBare(ctx, file)
	if err != nil {
		return nil, err
	}
	defer stop()
	var ours, yard []float64
	for range turns {
		ours = append(ours, load(ctx, url))
		yard = append(yard, load(ctx, bare))
	}
	a, b := middle(ours), middle(yard)
	return []row{{"GET /api/system/stats, requests/s", fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f", b),
		fmt.Sprintf("%.2f", a/b), "at least 0.5 times", a/b >= 0.5}}, nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: %s", url, res.Status)
	}
	return io.ReadAll(res.Body)
}

// load asks a bounded number of connections for one burst and returns the
// answered requests per second.
func load(ctx context.Context, url string) float64 {
	ctx, cancel := context.WithTimeout(ctx, burst)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var answered atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
				res, err := client.Do(req)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if res.StatusCode == http.StatusOK {
					answered.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return float64(answered.Load()) / time.Since(began).Seconds()
}

// startBare runs this program again as the yardstick's server.
func startBare(ctx context.Context, file string) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-serve", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line := make([]byte, 64)
	n, err := out.Read(line)
	if err != nil {
		return "", nil, err
	}
	return "http://" + strings.TrimSpace(string(line[:n])), func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}

// serveFile is the bare handler: the same bytes and type, nothing else.
func serveFile(ctx context.Context, file string, out io.Writer) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})}
	return server.Serve(l)
}
