package dashboard

import (
	"testing"
	"time"

	"corehost/api"
	"corehost/observers/history"
)

func TestAgoSaysTheLargestUnit(t *testing.T) {
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{0, "just now"}, {-3 * time.Second, "just now"}, {-90 * time.Second, "in 1 minute"}, {2 * time.Second, "2 seconds ago"},
		{59 * time.Second, "59 seconds ago"}, {time.Minute, "1 minute ago"}, {4*time.Minute + 59*time.Second, "4 minutes ago"},
		{23 * time.Hour, "23 hours ago"}, {24 * time.Hour, "1 day ago"}, {29 * 24 * time.Hour, "29 days ago"}, {31 * 24 * time.Hour, "on 21 October 2026"},
	} {
		if got := ago(noon.Add(-c.before), noon); got != c.want {
			t.Errorf("%v before: %q, want %q", c.before, got, c.want)
		}
	}
}

func TestSpansSayTwoUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 seconds", 42 * time.Second: "42 seconds", 230 * time.Second: "3 minutes 50 seconds", time.Hour: "1 hour",
		61 * time.Minute: "1 hour 1 minute", 41*24*time.Hour + 3*time.Hour + time.Minute: "41 days 3 hours", 1500 * 24 * time.Hour: "1,500 days",
	} {
		if got := spans(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestPercentNeverHidesTheRedLine(t *testing.T) {
	for v, want := range map[float64]string{84.6: "85", 85: "85", 85.1: "86", 89.4: "89", 100: "100", 0: "0"} {
		if got := percent(v, api.RedAbove); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		tokens(200000): "200K", tokens(1000000): "1M", tokens(1048576): "1M", tokens(1500000): "1.5M", tokens(512): "512", tokens(0): "",
		names(nil): "", names([]string{"a"}): "a", names([]string{"a", "b", "c"}): "a, b and c",
		sentence("it stopped"): "It stopped.", sentence("config.yaml:3:1: no"): "config.yaml:3:1: no.", sentence("Done."): "Done.", sentence("core-bridge fell"): "core-bridge fell.", sentence(""): "",
		who("file"): "edited in the file", who("cli:0"): "root, cli", who("cli:1000"): "user 1000, cli", who("api:ada"): "ada, dashboard or API", who("operator"): "by itself", who("health gate"): "health gate",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSparkDrawsWhatIsKnown(t *testing.T) {
	at := func(ago time.Duration, v float64) history.Sample { return history.Sample{At: noon.Add(-ago), Load: &v} }
	for _, c := range []struct {
		name    string
		samples []history.Sample
		drawn   bool
		text    string
	}{
		{"nothing", nil, false, "The curve begins when two readings are in."},
		{"one", []history.Sample{at(0, 1)}, false, "The curve begins when two readings are in."},
		{"unknown parts", []history.Sample{{At: noon}, {At: noon}}, false, "The curve begins when two readings are in."},
		{"young", []history.Sample{at(time.Minute, .5), at(0, 1.25)}, true, "Load over the last 5 minutes, between 0.50 and 1.25"},
		{"old ones do not count", []history.Sample{at(9*time.Hour, 99), at(3*time.Hour, 0), at(0, .1)}, true, "Load over the last 3 hours, between 0.00 and 0.10"},
	} {
		got := spark(c.samples, noon, loadFigure)
		if (got.Line != "") != c.drawn || got.Text != c.text {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestSparkBreaksAtAGap(t *testing.T) {
	var samples []history.Sample
	for i := range 1440 {
		if v := .5; i < 600 || i > 800 {
			samples = append(samples, history.Sample{At: noon.Add(-time.Duration(1440-i) * 15 * time.Second), Load: &v})
		}
	}
	line := spark(samples, noon, loadFigure).Line
	begins := 0
	for _, r := range line {
		if r == 'M' {
			begins++
		}
	}
	if begins != 2 || len(line) > 1500 {
		t.Errorf("%d strokes in %d bytes, want 2 in less than 1500", begins, len(line))
	}
}

func TestBriefIsAFigure(t *testing.T) {
	for d, want := range map[time.Duration]string{
		40 * time.Second:              "0 min",
		2*time.Hour + 25*time.Minute:  "2 h 25 min",
		24*time.Hour + 59*time.Minute: "1 day 0 h",
		41*24*time.Hour + 3*time.Hour: "41 days 3 h",
		-time.Minute:                  "0 min",
	} {
		if got := brief(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
