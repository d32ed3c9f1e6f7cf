package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"corehost/api"
)

// maxForm bounds the body of a form, in bytes.
const maxForm = 64 << 10

// Failure is a form that was refused, with what was typed into it. The zero
// value is none.
type Failure struct {
	Do     string // which form
	Key    string // which of several: a unit, a field
	Text   string // what happened and what to do
	Errors []api.ProblemError
	Values url.Values
	// inPlace: the form is on the page and shows its refusal beside its fields.
	inPlace bool
}

// At reports whether this is the refusal of one form, which stands there.
func (f Failure) At(do, key string) bool { return f.inPlace && f.Do == do && f.Key == key }

// Top reports whether the refusal stands at the top of the page, because its
// form has no field or is not on the page any more.
func (f Failure) Top() bool { return f.Do != "" && !f.inPlace }

// formName names a form with fields, as a page lists those it shows.
func formName(do, key string) string { return do + " " + key }

// Value is what was typed into a field of the refused form, else otherwise.
func (f Failure) Value(do, key, name, otherwise string) string {
	if f.Do == do && f.Key == key && f.Values.Has(name) {
		return f.Values.Get(name)
	}
	return otherwise
}

// deed does what a form asks, and says in a sentence what came of it.
type deed struct {
	key string // field that tells several forms of one kind apart
	run func(d *Dashboard, ctx context.Context, form url.Values) (Flash, error)
}

// act does what a form asks. Then it leads back to the page with the message,
// or shows the page again with the refusal and what was typed.
func (d *Dashboard) act(w http.ResponseWriter, r *http.Request, build builder) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		d.problem(w, r, api.NewProblem(http.StatusBadRequest, "malformed", "The form could not be read. Nothing was changed."))
		return
	}
	name := r.PostForm.Get("do")
	deed, ok := deeds[name]
	if !ok {
		d.problem(w, r, api.NewProblem(http.StatusBadRequest, "unknown_form", "This form asks for something that is not known here. Nothing was changed. Load the page again and repeat it."))
		return
	}
	flash, err := deed.run(d, r.Context(), r.PostForm)
	if err != nil {
		p := problemOf(err)
		failure := Failure{Do: name, Key: r.PostForm.Get(deed.key), Text: sentence(p.Detail), Errors: p.Errors, Values: r.PostForm}
		d.show(w, r, build, failure, p.Status)
		return
	}
	d.flashes.leave(w, r, flash)
	http.Redirect(w, r, back(r), http.StatusSeeOther)
}

// back is where a form leads: the page it names among the own pages, else the
// page it was posted to. A page that shows one revision leads to the list.
func back(r *http.Request) string {
	for _, to := range []string{r.PostForm.Get("back"), r.URL.Path} {
		path, query, _ := strings.Cut(to, "?")
		if slices.Contains([]string{"/", "/model", "/activity"}, path) {
			if query == "" {
				return path
			}
			return path + "?" + query
		}
	}
	return "/activity"
}
