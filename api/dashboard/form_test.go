package dashboard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"corehost/api"
)

// post sends a form as a browser without script does.
func post(d http.Handler, path string, values ...string) *httptest.ResponseRecorder {
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func TestFormsAskForWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		path string
		form []string
		want string // what the host is asked for
		to   string
		says string
	}{
		{"/", []string{"do", "restart", "unit", "core-gateway"}, "restart core-gateway", "/", "core-gateway was restarted"},
		{"/", []string{"do", "start", "unit", "core-bridge"}, "unit core-bridge running", "/", "core-bridge runs"},
		{"/model", []string{"do", "model", "provider", "openai", "model", " gpt-5.2 "}, "model openai gpt-5.2", "/model", "config.yaml now names openai / gpt-5.2 (revision 43)"},
		{"/model", []string{"do", "effort", "effort", "OFF"}, "effort OFF", "/model", "effort in config.yaml is now OFF"},
		{"/activity", []string{"do", "apply", "etag", "c0ffee"}, "apply  c0ffee", "/activity", "values were changed"},
		{"/activity", []string{"do", "apply", "etag", "c0ffee", "try", "5m"}, "apply 5m c0ffee", "/activity", "taken back in 5 minutes unless you keep them"},
		{"/activity", []string{"do", "confirm"}, "confirm", "/activity", "is kept"},
		{"/activity", []string{"do", "revert"}, "revert", "/activity", "taken back"},
		{"/activity", []string{"do", "adopt", "field", "model.provider"}, "adopt model.provider", "/activity", "desired.yaml now says what the host has"},
		{"/activity", []string{"do", "ignore", "field", "model.provider", "for", "24h"}, "ignore model.provider 24h0m0s", "/activity", "left alone for 1 day"},
		{"/activity", []string{"do", "suspend", "reason", "disk", "for", ""}, "suspend true disk", "/activity", "until you resume"},
		{"/activity", []string{"do", "resume"}, "suspend false", "/activity", "resumed"},
		{"/activity", []string{"do", "rollback", "number", "41", "etag", `"x"`, "back", "/"}, `rollback 41 "x"`, "/", "back to revision 41, as revision 43"},
		{"/activity/revisions/41", []string{"do", "confirm"}, "confirm", "/activity", "is kept"},
		{"/model", []string{"do", "confirm", "back", "//evil.example/"}, "confirm", "/model", "is kept"},
		{"/model", []string{"do", "confirm", "back", "/model?provider=x"}, "confirm", "/model?provider=x", "is kept"},
	} {
		f := drifted(at(noon))
		d := newAt(f, "0.2.0", at(noon))
		w := post(d, c.path, c.form...)
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != c.to || strings.Join(f.done, "; ") != c.want {
			t.Errorf("%v: status %d to %q, asked %q", c.form, w.Code, w.Header().Get("Location"), f.done)
			continue
		}
		cookie := strings.Split(w.Header().Get("Set-Cookie"), ";")[0]
		live := get(t, d, c.to, "Cookie", cookie, liveHeader, "1").Body.String()
		first, again := get(t, d, c.to, "Cookie", cookie).Body.String(), get(t, d, c.to, "Cookie", cookie).Body.String()
		if strings.Contains(live, c.says) || !strings.Contains(first, c.says) || strings.Contains(again, c.says) {
			t.Errorf("%v: the message %q is not shown exactly once", c.form, c.says)
		}
	}
}

func TestStartPushesAUnitThatShouldRunAlready(t *testing.T) {
	f := healthy(at(noon))
	d := newAt(stubborn{f}, "0.2.0", at(noon))
	if w := post(d, "/", "do", "start", "unit", "core-bridge"); w.Code != http.StatusSeeOther || strings.Join(f.done, "; ") != "restart core-bridge" {
		t.Errorf("status %d, asked %q", w.Code, f.done)
	}
}

func TestRefusedFormsKeepWhatWasTyped(t *testing.T) {
	for _, c := range []struct {
		path, do, field, value, keeps string
	}{
		{"/model", "model", "model", "gpt <x>", `value="gpt &lt;x&gt;"`},
		{"/model", "effort", "effort", "LOW", `value="LOW" checked`},
		{"/activity", "suspend", "reason", "moving", `value="moving"`},
		{"/", "restart", "unit", "core-gateway", `id="failure"`},
		{"/activity", "apply", "etag", "x", `id="failure"`},
	} {
		f := healthy(at(noon))
		f.refuse = refusal
		w := post(newAt(f, "0.2.0", at(noon)), c.path, "do", c.do, "provider", "openai", c.field, c.value)
		body := w.Body.String()
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, c.keeps) || strings.Count(body, "Nothing was written.") != 1 || !strings.Contains(body, `role="alert"`) {
			t.Errorf("%s: status %d, %d refusals, keeps %v", c.do, w.Code, strings.Count(body, "Nothing was written."), strings.Contains(body, c.keeps))
		}
	}
}

func TestFormsThatMakeNoSense(t *testing.T) {
	d := newAt(healthy(at(noon)), "0.2.0", at(noon))
	for name, w := range map[string]*httptest.ResponseRecorder{
		"unknown": post(d, "/", "do", "explode"), "none": post(d, "/model"), "too long": post(d, "/", "do", strings.Repeat("x", maxForm+1)),
		"no time": post(d, "/activity", "do", "ignore", "field", "x", "for", "soon"),
	} {
		if w.Code < 400 || w.Code > 499 || !strings.Contains(w.Body.String(), "Nothing was changed") {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
}

func TestPagesThatAreNot(t *testing.T) {
	d := newAt(healthy(at(noon)), "0.2.0", at(noon))
	for path, want := range map[string]int{"/nowhere": 404, "/static/x.css": 404, "/activity/revisions/9999": 404, "/activity/revisions/x": 404, "/activity/explain?field=<b>": 404} {
		w := get(t, d, path)
		if w.Code != want || !strings.Contains(w.Body.String(), `id="problem"`) || strings.Contains(w.Body.String(), "<b>") {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	r, w := httptest.NewRequest(http.MethodDelete, "/model", nil), httptest.NewRecorder()
	if d.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("DELETE: status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestStaticFilesStayForever(t *testing.T) {
	d := newAt(healthy(at(noon)), "0.2.0", at(noon))
	page := get(t, d, "/").Body.String()
	for plain, url := range d.assets.names {
		w := get(t, d, url, "Accept-Encoding", "br, gzip;q=0.5")
		h := w.Header()
		if w.Code != 200 || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", plain, w.Code, h)
		}
		if raw := get(t, d, url, "Accept-Encoding", "gzip;q=0"); raw.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s is packed for one who cannot unpack", plain)
		}
		if !strings.Contains(page, url) {
			t.Errorf("no page loads %s", url)
		}
	}
}

func TestHeaders(t *testing.T) {
	h := get(t, newAt(healthy(at(noon)), "0.2.0", at(noon)), "/").Header()
	for key, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		"Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
	} {
		if got := h.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("policy %q", csp)
	}
}

// hostile puts markup wherever text of somebody else can stand.
func TestTextOfOthersStaysText(t *testing.T) {
	const evil = `<script>alert(1)</script>"'`
	f := drifted(at(noon))
	f.stats.Hostname, f.stats.OS, f.status.Hostname = evil, evil, evil
	f.status.Verdict.Items = append(f.status.Verdict.Items, api.VerdictItem{What: evil, Why: evil, Kind: "link", Target: "javascript:alert(1)", Action: evil})
	f.status.Drift[0].By, f.status.Drift[0].Actual = evil, evil
	f.events[0].Message, f.revisions[0].Unified, f.revisions[0].Text = evil, "+"+evil, evil
	f.options.Providers[0].Name, f.options.Providers[0].Models[0].ID = evil, evil
	d := newAt(f, "0.2.0", at(noon))
	for _, path := range append(pagePaths, "/activity/revisions/42") {
		if body := get(t, d, path).Body.String(); strings.Contains(body, "<script>alert") || strings.Contains(body, `href="javascript:`) {
			t.Errorf("%s takes text for markup", path)
		}
	}
}
