package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var staticFiles embed.FS

// asset is one file the pages load, under a name that changes with it.
type asset struct {
	contentType string
	plain, zip  []byte
}

// assets are all of them, by hashed name. They never change while running.
type assets struct {
	byName map[string]asset
	names  map[string]string // style.css → style-0123456789.css
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

func loadAssets() (*assets, error) {
	a := &assets{byName: map[string]asset{}, names: map[string]string{}}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		return nil, fmt.Errorf("read embedded files: %w", err)
	}
	for _, entry := range entries {
		data, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read embedded %s: %w", entry.Name(), err)
		}
		ext := path.Ext(entry.Name())
		sum := sha256.Sum256(data)
		name := strings.TrimSuffix(entry.Name(), ext) + "-" + hex.EncodeToString(sum[:5]) + ext
		a.names[entry.Name()] = "/static/" + name
		a.byName[name] = asset{contentType: contentTypes[ext], plain: data, zip: compress(data)}
	}
	return a, nil
}

// url is the address of a file by its plain name.
func (a *assets) url(name string) (string, error) {
	if url, ok := a.names[name]; ok {
		return url, nil
	}
	return "", fmt.Errorf("no static file %q", name)
}

// serve answers GET /static/{name}; it reports whether there is such a file.
func (a *assets) serve(w http.ResponseWriter, r *http.Request) bool {
	file, ok := a.byName[r.PathValue("name")]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", file.contentType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	send(w, r, http.StatusOK, file.plain, file.zip)
	return true
}

// send writes a body, compressed when the client takes it and it is given.
func send(w http.ResponseWriter, r *http.Request, status int, plain, zip []byte) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	body := plain
	if zip != nil && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = zip
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.ReplaceAll(q, " ", "") != "q=0"
		}
	}
	return false
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	_, _ = zw.Write(data) // a bytes.Buffer never fails
	_ = zw.Close()
	return b.Bytes()
}
