//go:build browser

package dashboard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"corehost/config/home"
)

func TestRestartButtonChangesThePageWithoutReload(t *testing.T) {
	b := openTab(t, attention(time.Now))
	b.open("/")
	b.click("#verdict button.main")
	b.says("core-gateway was restarted and has been active for 5 seconds.")
	b.until(`!document.querySelector("#verdict").innerText.includes("core-gateway")`)
	b.asked("restart core-gateway")
	b.fixture.setUnit("core-bridge", "ACTIVE")
	b.fixture.tell("stats")
	b.until(`document.querySelector('tr[data-key="core-bridge"]').innerText.includes("ACTIVE")`)
	b.says("core-gateway was restarted")
	b.click("[data-dismiss]")
	b.until(`!document.querySelector("main").innerText.includes("was restarted")`)
	b.quiet()
}

func TestUnitStateIsLive(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/")
	b.fixture.setUnit("core-bridge", "DOWN")
	b.fixture.tell("stats")
	b.until(`document.querySelector('tr[data-key="core-bridge"]').innerText.includes("DOWN")`)
	b.says("Start")
	b.quiet()
}

func TestTypedTextAndOpenDetailsStay(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/activity")
	b.click(`details[data-key="model"] summary`)
	b.typeInto(`input[name=reason]`, "moving the disk")
	b.fixture.locked(func() { b.fixture.status.Verdict.Title = "Healthy still" })
	b.fixture.tell("event")
	b.says("Healthy still")
	if got := b.text(`document.querySelector("input[name=reason]").value`); got != "moving the disk" {
		t.Errorf("typed text is now %q", got)
	}
	if !b.bool(`document.activeElement.name === "reason" && document.querySelector('details[data-key="model"]').open`) {
		t.Error("the focus or the open details were lost")
	}
	b.click("#suspend button")
	b.says("The host is suspended for 1 hour")
	b.says("Resume")
	b.asked("suspend true moving the disk")
	b.quiet()
}

func TestNothingJumpsUnderThePointer(t *testing.T) {
	f := healthy(time.Now)
	b := openTab(t, f)
	b.open("/")
	const button = `tr[data-key="core-gateway"] button`
	b.scrollTo(button)
	x, y := b.at(button)
	b.run(chromedp.MouseEvent("mouseMoved", x, y))
	full := attention(time.Now)
	f.locked(func() { f.status.Verdict = full.status.Verdict })
	f.setUnit("core-bridge", "DOWN")
	f.tell("status")
	b.until(`document.querySelector("#verdict").innerText.includes("Attention")`) // words change at once
	if _, now := b.at(button); now != y {
		t.Errorf("the button under the pointer moved from %v to %v", y, now)
	}
	b.run(chromedp.MouseEvent("mouseMoved", 700, 5))
	b.says("core-bridge is down")
	b.quiet()
}

func TestLostConnectionIsShownAndMended(t *testing.T) {
	f := healthy(time.Now)
	b := openTab(t, f)
	b.open("/")
	b.js(`window.fetchLive = window.fetch; window.EventLive = window.EventSource; window.EventSource = class extends EventLive { constructor() { super("/nowhere") } }; null`)
	f.tell("hang up")
	b.until(`/^not live since \d\d:\d\d$/.test(document.querySelector("#live").textContent)`)
	f.setUnit("core-bridge", "DOWN")
	b.js(`window.EventSource = EventLive; null`)
	b.until(`document.querySelector("#live").textContent === "live"`)
	b.until(`document.querySelector('tr[data-key="core-bridge"]').innerText.includes("DOWN")`)
}

func TestRollBackShowsWhatItDoesFirst(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/activity")
	b.click(`#revisions a.button[href="/activity/revisions/41"]`)
	b.until(`document.querySelector("dialog").open && document.querySelector("dialog").innerText.includes("claude-sonnet-4-6")`)
	b.asked("")
	b.click(`dialog button.main`)
	b.says("desired.yaml is back to revision 41, as revision 43.")
	b.asked(`rollback 41 "f00d"`)
	if b.bool(`document.querySelector("dialog").open`) {
		t.Error("the dialog stayed open")
	}
	b.quiet()
}

func TestUndoOnTheHostPageComesBackToIt(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/")
	b.click(`#changes a[aria-label="Undo revision 42"]`)
	b.until(`document.querySelector("dialog").open`)
	b.click(`dialog button.main`)
	b.says("desired.yaml is back to revision 41")
	if got := b.text(`location.pathname`); got != "/" {
		t.Errorf("the page is now %s", got)
	}
}

func TestSwitchOfModelIsShownBeforeItIsWritten(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/model")
	b.typeInto("#provider-filter", "open")
	b.until(`document.querySelectorAll("#providers li:not([hidden])").length === 3`)
	b.click(`#providers li[data-key="openai"] a`)
	b.until(`document.querySelector("#switch-form h3").textContent.includes("OpenAI")`)
	b.typeInto("#model-name", "mini")
	b.until(`document.querySelectorAll("#models li:not([hidden])").length === 1`)
	b.click(`#models li[data-key="gpt-5-mini"] a`)
	b.until(`document.querySelector("#preview").innerText.includes("gpt-5-mini") && document.querySelector("#preview").innerText.includes("core-gateway and core-dashboard")`)
	b.asked("")
	b.click(`#switch-form button.main`)
	b.says("config.yaml now names openai / gpt-5-mini (revision 43).")
	b.asked("model openai gpt-5-mini")
	b.quiet()
}

func TestRefusalStandsBesideTheFieldWithWhatWasTyped(t *testing.T) {
	f := healthy(time.Now)
	f.refuse = fmt.Errorf("write: %w", refusal)
	b := openTab(t, f)
	b.open("/model?provider=openai")
	b.typeInto("#model-name", "gpt-x")
	b.click(`#switch-form button:not(.noscript)`)
	b.until(`document.querySelector("#switch-form .refusal")?.innerText.includes("Nothing was written")`)
	if got := b.text(`document.querySelector("#model-name").value`); got != "gpt-x" {
		t.Errorf("what was typed became %q", got)
	}
}

func TestTryCountsDownAndIsKept(t *testing.T) {
	b := openTab(t, trying(time.Now))
	b.open("/activity")
	first := b.text(`document.querySelector("[data-countdown]").textContent`)
	b.until(fmt.Sprintf(`document.querySelector("[data-countdown]").textContent !== %q`, first))
	b.click(`#try form:first-child button`)
	b.says("Revision 42 is kept.")
	b.until(`document.querySelector("#try") === null`)
	b.asked("confirm")
	b.quiet()
}

func TestKeyboardAlone(t *testing.T) {
	b := openTab(t, attention(time.Now))
	b.open("/")
	b.run(chromedp.KeyEvent("\t"))
	if got := b.text(`document.activeElement.textContent`); got != "Skip to the page" {
		t.Errorf("the first stop is %q", got)
	}
	b.run(chromedp.KeyEvent("\r"), chromedp.KeyEvent("\t"))
	for range 4 {
		if b.text(`document.activeElement.textContent`) == "Restart gateway" {
			break
		}
		b.run(chromedp.KeyEvent("\t"))
	}
	if !b.bool(`document.activeElement.matches("#verdict button.main:focus-visible") && getComputedStyle(document.activeElement).outlineStyle === "solid"`) {
		t.Errorf("the focus is not seen on the main button but on %q", b.text(`document.activeElement.outerHTML`))
	}
	b.run(chromedp.KeyEvent("\r"))
	b.says("core-gateway was restarted")
	b.quiet()
}

func TestATabThatSleptCatchesUp(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/")
	b.until(`performance.getEntriesByType("resource").some((e) => e.initiatorType === "fetch" && e.responseEnd)`) // the first look is over
	b.js(`window.asleep = true; Object.defineProperty(document, "hidden", {get: () => asleep}); document.dispatchEvent(new Event("visibilitychange"))`)
	b.fixture.setUnit("core-bridge", "DOWN") // and no event tells of it
	b.js(`asleep = false; document.dispatchEvent(new Event("visibilitychange"))`)
	b.until(`document.querySelector('tr[data-key="core-bridge"]').innerText.includes("DOWN")`)
	b.quiet()
}

func TestFormsWorkWithoutScript(t *testing.T) {
	b := openTab(t, attention(time.Now))
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.run(chromedp.Navigate(b.url + "/"))
	b.loads(chromedp.Click("#verdict button.main"))
	if got := b.text(`document.querySelector("#messages").innerText`); !strings.Contains(got, "core-gateway was restarted") {
		t.Errorf("the page that follows says %q", got)
	}
	b.asked("restart core-gateway")
	b.run(chromedp.Navigate(b.url + "/model"))
	if b.bool(`document.body.innerText.includes("was restarted") || getComputedStyle(document.querySelector(".scripted")).display !== "none"`) {
		t.Error("the message is shown twice, or what needs script is shown without it")
	}
}

func TestAnUpdatedDashboardIsLoadedAnew(t *testing.T) {
	b := openTab(t, healthy(time.Now))
	b.open("/")
	b.js(`document.querySelector("link[rel=stylesheet]").setAttribute("href", "/static/style-0000000000.css")`)
	b.loads(chromedp.Func(func(context.Context, *chromedp.Target) error {
		b.fixture.tell("stats")
		return nil
	}))
	b.until(`document.querySelector("#live").textContent === "live"`)
	if b.bool(`window.unbroken === true`) {
		t.Error("the page is the one from before")
	}
}

func TestAnEditOfTheFileIsSeenOnTheOpenPage(t *testing.T) {
	dir, web := realHome(t)
	b := newTab(t)
	b.url = web.URL
	b.open("/activity")
	put(t, dir, home.DesiredFile, strings.Replace(realDesired, "m-0", "m-from-an-editor", 1))
	b.says("m-from-an-editor")
	b.until(`document.querySelector("#revisions .num").textContent === "2"`)
	b.click(`#revisions a.button[href="/activity/revisions/1"]`)
	b.until(`document.querySelector("dialog").open`)
	b.click(`dialog button.main`)
	b.says("desired.yaml is back to revision 1, as revision 3.")
	text, err := os.ReadFile(filepath.Join(dir, home.DesiredFile))
	fatal(t, err)
	if string(text) != realDesired {
		t.Errorf("desired.yaml after the roll back:\n%s", text)
	}
	b.quiet()
}
