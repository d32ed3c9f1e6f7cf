package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"corehost/api"
)

// deeds are the forms of all pages by the name they carry in "do".
var deeds = map[string]deed{
	"restart":  {key: "unit", run: (*Dashboard).restart},
	"start":    {key: "unit", run: (*Dashboard).start},
	"model":    {run: (*Dashboard).setModel},
	"effort":   {run: (*Dashboard).setEffort},
	"apply":    {run: (*Dashboard).apply},
	"confirm":  {run: (*Dashboard).confirm},
	"revert":   {run: (*Dashboard).revert},
	"adopt":    {key: "field", run: (*Dashboard).adopt},
	"ignore":   {key: "field", run: (*Dashboard).ignore},
	"suspend":  {run: (*Dashboard).suspend},
	"resume":   {run: (*Dashboard).resume},
	"rollback": {key: "number", run: (*Dashboard).rollback},
}

func (d *Dashboard) restart(ctx context.Context, form url.Values) (Flash, error) {
	name := form.Get("unit")
	result, err := d.src.RestartUnit(ctx, name)
	if err != nil {
		return Flash{}, err
	}
	otherwise := name + " was restarted and is active."
	if !result.Healthy {
		otherwise = name + " was restarted but is not active."
	}
	return Flash{Text: sentence(first(result.Message, otherwise)), Bad: !result.Healthy}, nil
}

// start writes into desired.yaml that a unit is to run. Where that is said
// already, the unit gets a push.
func (d *Dashboard) start(ctx context.Context, form url.Values) (Flash, error) {
	name := form.Get("unit")
	result, err := d.src.SetUnit(ctx, name, "running")
	if err != nil {
		return Flash{}, err
	}
	if len(result.Diff) == 0 && !result.Converged {
		return d.restart(ctx, form)
	}
	if !result.Converged {
		return Flash{Text: fmt.Sprintf("desired.yaml now says that %s is to run (revision %d). It is not running yet; this page shows when it does.", name, result.Revision)}, nil
	}
	return Flash{Text: fmt.Sprintf("%s runs, and desired.yaml says that it is to stay so (revision %d).", name, result.Revision)}, nil
}

func (d *Dashboard) setModel(ctx context.Context, form url.Values) (Flash, error) {
	set, err := d.src.SetModel(ctx, api.SetModel{Provider: form.Get("provider"), Model: strings.TrimSpace(form.Get("model"))})
	if err != nil {
		return Flash{}, err
	}
	return modelFlash(set, "config.yaml now names "+strings.TrimSuffix(set.Provider+" / "+set.Model, " / ")), nil
}

func (d *Dashboard) setEffort(ctx context.Context, form url.Values) (Flash, error) {
	set, err := d.src.SetEffort(ctx, api.SetEffort{Effort: form.Get("effort")})
	if err != nil {
		return Flash{}, err
	}
	return modelFlash(set, "The reasoning effort in config.yaml is now "+strings.ToUpper(set.Effort)), nil
}

func modelFlash(set api.ModelSet, what string) Flash {
	text := fmt.Sprintf("%s (revision %d).", what, set.Revision)
	if !set.Converged {
		text = fmt.Sprintf("Revision %d is written, but config.yaml does not say so yet. The verdict tells what it waits for.", set.Revision)
	}
	switch set.Warning {
	case "not_supported_by_model":
		text += " The active model has no effort to set, so this waits for a model that has."
	case "unknown_model":
		text += " The catalogue does not list this model, so its context length is unknown."
	}
	if set.RestartRequired {
		text += " It takes effect when the units that read it are restarted."
	}
	return Flash{Text: text}
}

func (d *Dashboard) apply(ctx context.Context, form url.Values) (Flash, error) {
	result, err := d.src.Apply(ctx, api.ApplyRequest{Try: form.Get("try")}, form.Get("etag"))
	if err != nil {
		return Flash{}, err
	}
	text := count(len(result.Applied), "value") + verb(len(result.Applied), " was", " were") + " changed."
	if result.Try != nil {
		left := result.Try.Deadline.Sub(d.now()).Round(time.Second)
		text += " They are taken back in " + spans(left) + " unless you keep them."
	}
	if len(result.Problems) > 0 {
		text += " " + sentence(result.Problems[0].Reconciler+": "+result.Problems[0].Message)
	}
	return Flash{Text: text, Bad: len(result.Problems) > 0}, nil
}

func (d *Dashboard) confirm(ctx context.Context, _ url.Values) (Flash, error) {
	try, err := d.src.Confirm(ctx)
	return Flash{Text: fmt.Sprintf("Revision %d is kept.", try.Revision)}, err
}

func (d *Dashboard) revert(ctx context.Context, _ url.Values) (Flash, error) {
	try, err := d.src.Revert(ctx)
	return Flash{Text: fmt.Sprintf("The try of revision %d is taken back. The host goes back to revision %d.", try.Revision, try.Base)}, err
}

func (d *Dashboard) adopt(ctx context.Context, form url.Values) (Flash, error) {
	result, err := d.src.AdoptDrift(ctx, form.Get("field"))
	return Flash{Text: fmt.Sprintf("desired.yaml now says what the host has for %s (revision %d).", form.Get("field"), result.Revision)}, err
}

func (d *Dashboard) ignore(ctx context.Context, form url.Values) (Flash, error) {
	length, err := duration(form.Get("for"))
	if err != nil {
		return Flash{}, err
	}
	until := d.now().Add(length)
	_, err = d.src.IgnoreDrift(ctx, form.Get("field"), until)
	return Flash{Text: form.Get("field") + " is left alone for " + spans(length) + "."}, err
}

func (d *Dashboard) suspend(ctx context.Context, form url.Values) (Flash, error) {
	var until *time.Time
	text := "The host is suspended: changes are planned but not made until you resume."
	if form.Get("for") != "" {
		length, err := duration(form.Get("for"))
		if err != nil {
			return Flash{}, err
		}
		end := d.now().Add(length)
		until, text = &end, "The host is suspended for "+spans(length)+": changes are planned but not made."
	}
	_, err := d.src.SetSuspend(ctx, true, strings.TrimSpace(form.Get("reason")), until)
	return Flash{Text: text}, err
}

func (d *Dashboard) resume(ctx context.Context, _ url.Values) (Flash, error) {
	_, err := d.src.SetSuspend(ctx, false, "", nil)
	return Flash{Text: "The host is resumed: pending changes are made now."}, err
}

func (d *Dashboard) rollback(ctx context.Context, form url.Values) (Flash, error) {
	n := number(form.Get("number"))
	result, err := d.src.Rollback(ctx, n, form.Get("etag"))
	text := fmt.Sprintf("desired.yaml is back to revision %d, as revision %d.", n, result.Revision)
	if err == nil && !result.Converged {
		text += " The host is not there yet; the plan shows what is left."
	}
	return Flash{Text: text}, err
}

// duration reads a length of time a form offers.
func duration(text string) (time.Duration, error) {
	length, err := time.ParseDuration(text)
	if err != nil || length <= 0 {
		return 0, api.NewProblem(http.StatusUnprocessableEntity, "invalid_duration", "Choose for how long. Nothing was changed.",
			api.ProblemError{Location: "body.for", Message: "expected a length of time, such as 1h"})
	}
	return length, nil
}
