package dashboard

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// get asks a handler for a page.
func get(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

// everyPage calls check with every page of every host.
func everyPage(t *testing.T, check func(t *testing.T, body string, page *html.Node)) {
	for _, state := range states {
		d := newAt(state.make(at(noon)), "0.2.0", at(noon))
		for _, path := range pagePaths {
			t.Run(state.name+path, func(t *testing.T) {
				w := get(t, d, path)
				if want := http.StatusOK; w.Code != want && path != "/nowhere" && (state.name != "unknown" && state.name != "empty" || w.Code != http.StatusNotFound) {
					t.Fatalf("status %d, want %d", w.Code, want)
				}
				page, err := html.Parse(strings.NewReader(w.Body.String()))
				if err != nil {
					t.Fatal(err)
				}
				check(t, w.Body.String(), page)
			})
		}
	}
}

var void = []string{"meta", "link", "input", "br"}

func TestPagesAreWellFormed(t *testing.T) {
	everyPage(t, func(t *testing.T, body string, _ *html.Node) {
		var open []string
		z := html.NewTokenizer(strings.NewReader(body))
		for z.Next() != html.ErrorToken {
			token := z.Token()
			switch token.Type {
			case html.StartTagToken:
				if !slices.Contains(void, token.Data) {
					open = append(open, token.Data)
				}
			case html.EndTagToken:
				if len(open) == 0 || open[len(open)-1] != token.Data {
					t.Fatalf("</%s> closes %v", token.Data, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("never closed: %v", open)
		}
	})
}

func TestPagesKeepTheirPolicy(t *testing.T) {
	everyPage(t, func(t *testing.T, _ string, page *html.Node) {
		for n := range page.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
					t.Errorf("<%s %s=%q> is inline", n.Data, a.Key, a.Val)
				}
			}
			if n.Type == html.ElementNode && (n.Data == "style" || n.Data == "script" && attr(n, "src") == "") {
				t.Errorf("<%s> is inline", n.Data)
			}
		}
	})
}

func TestEverythingHasAName(t *testing.T) {
	everyPage(t, func(t *testing.T, _ string, page *html.Node) {
		ids := map[string]int{}
		for n := range page.Descendants() {
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("id %q stands %d times", id, n)
			}
		}
		for n := range page.Descendants() {
			for _, key := range []string{"aria-labelledby", "aria-describedby", "for", "list"} {
				if ref := attr(n, key); ref != "" && ids[ref] == 0 {
					t.Errorf("<%s %s=%q> leads nowhere", n.Data, key, ref)
				}
			}
			if !named(page, n) {
				t.Errorf("<%s> has no name: %v", n.Data, n.Attr)
			}
		}
	})
}

// named reports whether a control or picture can be told by its name.
func named(page, n *html.Node) bool {
	if n.Type != html.ElementNode || attr(n, "aria-label") != "" || attr(n, "aria-labelledby") != "" {
		return true
	}
	switch n.Data {
	case "button", "a", "summary", "th":
		return strings.TrimSpace(text(n)) != ""
	case "svg":
		return attr(n, "aria-hidden") == "true"
	case "input", "select":
		if attr(n, "type") == "hidden" {
			return true
		}
		for up := n.Parent; up != nil; up = up.Parent {
			if up.Data == "label" {
				return true
			}
		}
		for l := range page.Descendants() {
			if l.Data == "label" && attr(l, "for") == attr(n, "id") && attr(n, "id") != "" {
				return true
			}
		}
		return false
	case "section", "nav", "article":
		return false
	}
	return true
}

func TestEveryUnknownHasAReason(t *testing.T) {
	everyPage(t, func(t *testing.T, _ string, page *html.Node) {
		for n := range page.Descendants() {
			if n.Type != html.TextNode || !strings.EqualFold(strings.TrimSpace(n.Data), "unknown") {
				continue
			}
			if !reasoned(n) {
				t.Errorf("unknown without a reason in %q", text(card(n)))
			}
		}
	})
}

// reasoned looks for the reason beside an unknown: in its title, its
// description, its row or its card.
func reasoned(n *html.Node) bool {
	for up := n.Parent; up != nil && up != card(n); up = up.Parent {
		if attr(up, "title") != "" || attr(up, "aria-describedby") != "" {
			return true
		}
	}
	for c := range card(n).Descendants() {
		class := strings.Fields(attr(c, "class"))
		if (slices.Contains(class, "why") || slices.Contains(class, "small")) && len(strings.TrimSpace(text(c))) > 12 {
			return true
		}
	}
	return false
}

// card is the section something stands in.
func card(n *html.Node) *html.Node {
	for n.Parent != nil && n.Data != "section" && n.Data != "details" && n.Data != "article" {
		n = n.Parent
	}
	return n
}

var (
	leak = regexp.MustCompile(`%!|<nil>|&lt;nil&gt;|0001-01-01|\bnil\b|map\[|NaN`)
	loud = regexp.MustCompile(`(?i)successfully|oops|sorry|please|[a-z]!(\s|$)`)
)

func TestTextsAreCalm(t *testing.T) {
	everyPage(t, func(t *testing.T, body string, page *html.Node) {
		if got := leak.FindString(body); got != "" {
			t.Errorf("the page shows %q", got)
		}
		if got := loud.FindString(text(page)); got != "" {
			t.Errorf("the page says %q", got)
		}
	})
}

func TestVerdictComesFirstOnEveryPage(t *testing.T) {
	everyPage(t, func(t *testing.T, body string, _ *html.Node) {
		verdict, first := strings.Index(body, `id="verdict"`), strings.Index(body, `class="card`)
		if verdict < 0 || first >= 0 && first < verdict {
			t.Errorf("verdict at %d, first card at %d", verdict, first)
		}
		if n := strings.Count(body, `<button class="main"`); strings.Count(body[verdict:first], `class="main"`) > 1 {
			t.Errorf("%d main buttons in the verdict", n)
		}
	})
}

func TestFirstVisitIsSmall(t *testing.T) {
	d := newAt(attention(at(noon)), "0.2.0", at(noon))
	files := 0
	for _, url := range d.assets.names {
		files += get(t, d, url, "Accept-Encoding", "gzip").Body.Len()
	}
	for _, path := range pagePaths {
		plain, zip := get(t, d, path).Body.Len(), get(t, d, path, "Accept-Encoding", "gzip").Body.Len()
		if total := files + zip; total > 40_000 || plain > 100_000 {
			t.Errorf("%s: %d bytes with its files, %d alone and unpacked", path, total, plain)
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
