//go:build browser

package dashboard

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// wide lists what is wider than the window.
const wide = `(() => {
  const w = document.documentElement.clientWidth, out = [];
  if (document.documentElement.scrollWidth > w) out.push("page " + document.documentElement.scrollWidth);
  for (const n of document.querySelectorAll("main *")) {
    const r = n.getBoundingClientRect();
    if (r.width && r.right > w + 1 && !n.closest("pre, .hide, .list")) out.push(n.tagName + "." + n.className + " " + Math.round(r.right));
  }
  return out.slice(0, 4).join(", ");
})()`

func TestNoPageScrollsSideways(t *testing.T) {
	for _, state := range states {
		t.Run(state.name, func(t *testing.T) {
			b := openTab(t, state.make(time.Now))
			for _, path := range pagePaths {
				b.run(chromedp.Navigate(b.url + path))
				for _, width := range []int64{1280, 900, 500, 360, 320} {
					b.size(width, 800)
					if out := b.text(wide); out != "" {
						t.Errorf("%s at %d px: %s", path, width, out)
					}
				}
			}
			for _, e := range b.errors {
				if !strings.Contains(e, "404") { // pages that are meant not to be there
					t.Errorf("console: %s", e)
				}
			}
		})
	}
}

// faint lists texts whose contrast with what is behind them is below 4.5
// (WCAG 2.2, 1.4.3), or 3 when they are large.
const faint = `(() => {
  const c = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (s) => { c.clearRect(0, 0, 1, 1); c.fillStyle = s; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
  const over = (a, b) => { const t = a[3] / 255; return [0, 1, 2].map((i) => a[i] * t + b[i] * (1 - t)).concat(255); };
  const lum = (p) => { const f = (v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * f(p[0]) + .7152 * f(p[1]) + .0722 * f(p[2]); };
  const behind = (n) => { const b = n ? rgba(getComputedStyle(n).backgroundColor) : [255, 255, 255, 255]; return b[3] === 255 ? b : over(b, behind(n.parentElement)); };
  const out = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const n = walk.currentNode.parentElement;
    if (!walk.currentNode.nodeValue.trim() || !n.checkVisibility() || n.closest(".hide, .skip, :disabled, svg, option, datalist")) continue;
    const s = getComputedStyle(n), b = behind(n), a = over(rgba(s.color), b);
    const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p), ratio = (x + .05) / (y + .05);
    if (ratio < (parseFloat(s.fontSize) >= 24 ? 3 : 4.5)) out.add(n.className + " «" + walk.currentNode.nodeValue.trim().slice(0, 30) + "» " + ratio.toFixed(2));
  }
  return [...out].slice(0, 6).join("; ");
})()`

func TestContrast(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		for _, state := range []string{"attention", "broken", "drift", "unknown"} {
			t.Run(scheme+" "+state, func(t *testing.T) {
				b := openTab(t, stateNamed(t, state))
				b.prefers(scheme, "reduce")
				for _, path := range pagePaths {
					b.run(chromedp.Navigate(b.url + path))
					if out := b.text(faint); out != "" {
						t.Errorf("%s: %s", path, out)
					}
				}
			})
		}
	}
}

func TestTextCanBeTwiceAsLarge(t *testing.T) {
	b := openTab(t, attention(time.Now))
	b.size(640, 400) // 1280 by 800 at 200 %
	for _, path := range pagePaths {
		b.run(chromedp.Navigate(b.url + path))
		if out := b.text(wide); out != "" {
			t.Errorf("%s: %s", path, out)
		}
	}
}

func TestMotionStopsWhenAsked(t *testing.T) {
	b := openTab(t, drifted(time.Now))
	b.prefers("light", "reduce")
	b.open("/activity")
	if n := b.text(`String(document.getAnimations().length)`); n != "0" {
		t.Errorf("%s animations run", n)
	}
}
