// Package client is the typed client of the API, for programs of this project
// and for tests.
//
// Law: it holds no logic. Each method is one request; every failure that the
// service names comes back as the *api.Problem it sent.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"

	"corehost/api"
)

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// localURL is the base address where the connection is chosen by other means;
// its host passes the service's check of the Host header.
const localURL = "http://localhost"

// Client asks one service. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// New asks the service at a base address. rt nil is the default transport.
func New(baseURL string, rt http.RoundTripper) *Client {
	return &Client{base: strings.TrimSuffix(baseURL, "/"), http: &http.Client{Transport: rt}}
}

// Unix asks the service behind a unix socket.
func Unix(socket string) *Client {
	var d net.Dialer
	return New(localURL, &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) },
	})
}

// InProcess asks a handler of this process. Who acts is taken from the context
// of each call (api.WithActor).
func InProcess(h http.Handler) *Client { return New(localURL, handlerTransport{h}) }

// call is one request with a JSON body and a JSON answer.
type call struct {
	method, path string
	in, out      any
	ifMatch      string
}

func (c *Client) do(ctx context.Context, k call) error {
	var body []byte
	header := http.Header{"Accept": {"application/json"}}
	if k.in != nil {
		var err error
		if body, err = json.Marshal(k.in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		header.Set("Content-Type", "application/json")
	}
	if k.ifMatch != "" {
		header.Set("If-Match", k.ifMatch)
	}
	answer, err := c.send(ctx, k.method, k.path, body, header)
	if err != nil {
		return err
	}
	if k.out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.data, k.out); err != nil {
		return fmt.Errorf("read answer of %s %s: %w", k.method, k.path, err)
	}
	return nil
}

// answered is the whole answer to one request.
type answered struct {
	data   []byte
	header http.Header
}

func (c *Client) send(ctx context.Context, method, path string, body []byte, header http.Header) (answered, error) {
	resp, err := c.open(ctx, method, path, body, header)
	if err != nil {
		return answered{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answered{}, fmt.Errorf("read answer of %s %s: %w", method, path, err)
	}
	return answered{data, resp.Header}, nil
}

// open sends a request and returns the answer with its body unread, or the
// problem it holds.
func (c *Client) open(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = header
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, problem(method, path, resp)
}

func problem(method, path string, resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := &api.Problem{}
	if err == nil && kind == "application/problem+json" {
		if err = json.Unmarshal(data, p); err == nil {
			return p
		}
	}
	return errors.Join(fmt.Errorf("%s %s answered %s", method, path, resp.Status), err)
}
