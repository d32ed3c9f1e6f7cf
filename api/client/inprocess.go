package client

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// handlerTransport asks a handler without a connection. The answer can be
// read while the handler still writes, so event streams work.
type handlerTransport struct{ handler http.Handler }

// RoundTrip runs the handler and returns once it has sent its header.
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.Host = r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	pr, pw := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: pw, sent: make(chan struct{})}
	go func() {
		defer func() {
			if v := recover(); v != nil {
				_ = pw.CloseWithError(fmt.Errorf("handler panicked: %v", v))
			}
			w.WriteHeader(http.StatusOK)
			_ = pw.Close()
		}()
		t.handler.ServeHTTP(w, in)
	}()
	select {
	case <-w.sent:
	case <-r.Context().Done():
		_ = pr.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.snapshot, Body: pr, ContentLength: -1, Request: r,
	}, nil
}

// pipeWriter is a response writer whose body is read from a pipe.
type pipeWriter struct {
	header   http.Header
	body     *io.PipeWriter
	once     sync.Once
	sent     chan struct{}
	status   int
	snapshot http.Header
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.snapshot = status, w.header.Clone()
		close(w.sent)
	})
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// FlushError does nothing: a write reaches the reader at once.
func (w *pipeWriter) FlushError() error { return nil }
