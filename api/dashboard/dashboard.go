package dashboard

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"time"
)

//go:embed templates
var templateFiles embed.FS

// views are the pages, each with the template of its own main part.
var views = []string{"host", "model", "activity", "revision", "explain", "problem"}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	src     Source
	version string
	assets  *assets
	pages   map[string]*template.Template
	flashes *flashes
	now     func() time.Time
	mux     *http.ServeMux
}

// New serves the pages of a source. It panics when the embedded templates do
// not fit together, which a test would have seen.
func New(src Source, version string) http.Handler { return newAt(src, version, time.Now) }

func newAt(src Source, version string, now func() time.Time) *Dashboard {
	d := &Dashboard{src: src, version: version, flashes: newFlashes(now), now: now, mux: http.NewServeMux()}
	var err error
	if d.assets, err = loadAssets(); err != nil {
		panic(err)
	}
	if d.pages, err = parseViews(template.FuncMap{"asset": d.assets.url}); err != nil {
		panic(err)
	}
	d.routes()
	return d
}

func parseViews(funcs template.FuncMap) (map[string]*template.Template, error) {
	shared, err := template.New("").Funcs(funcs).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	pages := map[string]*template.Template{}
	for _, name := range views {
		page, err := shared.Clone()
		if err != nil {
			return nil, fmt.Errorf("clone templates: %w", err)
		}
		text, err := fs.ReadFile(templateFiles, "templates/page/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("read template %s: %w", name, err)
		}
		if pages[name], err = page.New("main").Parse(string(text)); err != nil {
			return nil, fmt.Errorf("parse template %s: %w", name, err)
		}
	}
	return pages, nil
}

func (d *Dashboard) routes() {
	for pattern, build := range map[string]builder{
		"/{$}":                           d.hostPage,
		"/model":                         d.modelPage,
		"/activity":                      d.activityPage,
		"/activity/revisions/{revision}": d.revisionPage,
		"/activity/explain":              d.explainPage,
	} {
		d.mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { d.show(w, r, build, Failure{}, http.StatusOK) })
		d.mux.HandleFunc("POST "+pattern, func(w http.ResponseWriter, r *http.Request) { d.act(w, r, build) })
	}
	d.mux.HandleFunc("GET /static/{name}", func(w http.ResponseWriter, r *http.Request) {
		if !d.assets.serve(w, r) {
			d.missing(w, r)
		}
	})
	d.mux.HandleFunc("/", d.missing)
}

// policy is what the pages may load and do. Everything comes from here;
// nothing is inline.
const policy = "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"

// ServeHTTP answers with a page, a static file, or a page that says what is
// wrong.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	d.mux.ServeHTTP(w, r)
}
