package api_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkStats asks for the host's figures over a real connection, beside
// the yardstick: a bare handler that returns the same bytes. The share of the
// yardstick's requests per second is reported; the goal is at least 0.5.
func BenchmarkStats(b *testing.B) {
	in := install(b)
	body := get(b, in.base+"/api/system/stats")
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	defer bare.Close()
	// Both take turns, so that a busy machine is busy for both.
	var ours, theirs []time.Duration
	client := dialed(b)
	yardstick := dialed(b)
	for b.Loop() {
		ours = append(ours, client.time(b, in.base+"/api/system/stats"))
		theirs = append(theirs, yardstick.time(b, bare.URL+"/"))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(float64(sum(theirs))/float64(sum(ours)), "share-of-bare")
	b.ReportMetric(float64(at(theirs, 50))/float64(at(ours, 50)), "share-of-bare-p50")
	b.ReportMetric(float64(at(ours, 50).Microseconds()), "p50-µs")
	b.ReportMetric(float64(at(ours, 99).Microseconds()), "p99-µs")
	b.ReportMetric(float64(at(theirs, 99).Microseconds()), "bare-p99-µs")
}

// caller is one kept connection.
type caller struct{ client *http.Client }

func dialed(b *testing.B) *caller {
	b.Helper()
	t := &http.Transport{MaxConnsPerHost: 1, DialContext: (&net.Dialer{}).DialContext}
	b.Cleanup(t.CloseIdleConnections)
	return &caller{&http.Client{Transport: t}}
}

func (c *caller) time(b *testing.B, url string) time.Duration {
	began := time.Now()
	resp, err := c.client.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatal(err)
	}
	_ = resp.Body.Close()
	return time.Since(began)
}

func get(b *testing.B, url string) []byte {
	resp, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

func at(sorted []time.Duration, percent int) time.Duration { return sorted[len(sorted)*percent/100] }
