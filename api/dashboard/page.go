package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"corehost/api"
)

// Page is what every page shows around its own view.
type Page struct {
	Title    string
	Name     string // host, model, activity: which entry of the navigation is this page's
	Path     string // address of the page, where its forms go
	Host     string // name of the host
	Version  string
	Zone     string // name of the zone of all times
	Offset   int    // of that zone, in seconds east of UTC
	Nav      []NavItem
	Verdict  Verdict
	Flash    *Flash
	Failure  Failure
	Now      *Moment
	Unix     int64 // the page's moment in milliseconds, for the script's clock
	Revision int64
	Live     bool // made for an update of a page that is open already
	View     any
}

// NavItem is one entry of the navigation.
type NavItem struct {
	Name, Path, Label string
	Current           bool
	Count             int    // things that wait there; 0: none
	Waiting           string // the same in words
}

// body is what a builder makes of a request.
type body struct {
	template string
	title    string
	name     string
	view     any
	forms    []string // that show their own refusal
}

// builder makes the view of a page. now is the moment everything on it is
// relative to; failure is the form that was refused, if any.
type builder func(r *http.Request, now clock, status api.Status, failure Failure) (body, error)

// liveHeader marks a request of the script for an open page: it wants the
// newest view and leaves messages for the next page alone.
const liveHeader = "X-Corehost-Live"

// show answers with a page.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, build builder, failure Failure, code int) {
	status := d.src.Status(r.Context())
	now := clock{d.moment(status)}
	made, err := build(r, now, status, failure)
	if err != nil {
		d.problem(w, r, problemOf(err))
		return
	}
	page := d.page(r, now, status, made)
	page.Failure = failure
	page.Failure.inPlace = slices.Contains(made.forms, formName(failure.Do, failure.Key))
	if !page.Live && failure.Do == "" && r.Method == http.MethodGet {
		page.Flash = d.flashes.take(w, r)
	}
	d.render(w, r, made.template, page, code)
}

// moment is the server's own time, so that ages agree with what it says.
func (d *Dashboard) moment(status api.Status) time.Time {
	now := d.now()
	if at, err := time.Parse(time.RFC3339, status.Time); err == nil && now.Sub(at).Abs() >= time.Second {
		return at.In(now.Location())
	}
	return now
}

func (d *Dashboard) page(r *http.Request, now clock, status api.Status, made body) Page {
	zone, offset := now.now.Zone()
	path := r.URL.Path
	return Page{
		Title: made.title, Name: made.name, Path: path, View: made.view,
		Host: first(status.Hostname, "this host"), Version: d.version, Zone: zone, Offset: offset, Revision: status.Revision,
		Nav: navigation(made.name, status), Verdict: verdict(status, d.src.Stats(r.Context()), formPath(made.name)),
		Now: now.moment(now.now), Unix: now.now.UnixMilli(), Live: r.Header.Get(liveHeader) != "",
	}
}

// formPath is the page that takes the forms of a page: one with an address of
// its own for each entry of the navigation.
func formPath(name string) string {
	if name == "model" || name == "activity" {
		return "/" + name
	}
	return "/"
}

func navigation(current string, status api.Status) []NavItem {
	nav := []NavItem{
		{Name: "host", Path: "/", Label: "Host"},
		{Name: "model", Path: "/model", Label: "Model", Count: len(waitingUnits(status)), Waiting: "waiting for a restart"},
		{Name: "activity", Path: "/activity", Label: "Activity", Count: openDrift(status), Waiting: "waiting for a decision"},
	}
	for i := range nav {
		nav[i].Current = nav[i].Name == current
	}
	return nav
}

// render writes a page in full or, when its template fails, not at all.
func (d *Dashboard) render(w http.ResponseWriter, r *http.Request, name string, page Page, code int) {
	var b bytes.Buffer
	if err := d.pages[name].ExecuteTemplate(&b, "layout", page); err != nil {
		http.Error(w, fmt.Sprintf("The page could not be made because of a defect: %v", err), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	var zip []byte
	if acceptsGzip(r) {
		zip = compress(b.Bytes())
	}
	send(w, r, code, b.Bytes(), zip)
}

// missing answers where there is no page, or none for the method.
func (d *Dashboard) missing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		d.problem(w, r, api.NewProblem(http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not possible at this address."))
		return
	}
	d.problem(w, r, api.NewProblem(http.StatusNotFound, "not_found", "There is no page at this address. The address may be mistyped, or what it showed is gone."))
}

// problem answers with a page that says what is wrong.
func (d *Dashboard) problem(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	status := d.src.Status(r.Context())
	made := body{template: "problem", title: problemTitle(p), view: problemView(p)}
	d.render(w, r, made.template, d.page(r, clock{d.moment(status)}, status, made), p.Status)
}

// ProblemView is an error in words.
type ProblemView struct {
	Title, Detail string
	Status        int
	Code          string
	Errors        []api.ProblemError
}

func problemView(p *api.Problem) ProblemView {
	return ProblemView{Title: problemTitle(p), Detail: sentence(p.Detail), Status: p.Status, Code: p.Code, Errors: p.Errors}
}

func problemTitle(p *api.Problem) string {
	switch {
	case p.Status == http.StatusNotFound:
		return "Nothing here"
	case p.Status >= http.StatusInternalServerError:
		return "This page could not be made"
	}
	return "That was not possible"
}

// problemOf is the problem in an error, which a source always gives.
func problemOf(err error) *api.Problem {
	var p *api.Problem
	if errors.As(err, &p) {
		return p
	}
	return api.NewProblem(http.StatusInternalServerError, "internal", err.Error())
}
