package dashboard

import "time"

// Moment is a time as it stands on a page: how long ago, with the exact time
// for whoever wants it.
type Moment struct {
	ISO   string // for <time datetime>
	Title string // exact, in the host's zone
	Ago   string // 4 minutes ago
	Span  string // 4 minutes
	Clock string // 10:21, with the date unless it is today's
	Far   bool   // ahead of now
}

// Age is when what a card shows was read, or why it is not known.
type Age struct {
	At  *Moment
	Why string // not empty: the value is unknown
}

// clock is the moment a page is made at; all its times are relative to it.
type clock struct{ now time.Time }

func (c clock) moment(at time.Time) *Moment {
	if at.IsZero() {
		return nil
	}
	at = at.In(c.now.Location())
	return &Moment{
		ISO: at.UTC().Format(time.RFC3339), Title: at.Format("Monday 2 January 2006, 15:04:05 MST"),
		Ago: ago(at, c.now), Span: span(c.now.Sub(at).Abs()), Clock: c.face(at), Far: at.After(c.now),
	}
}

func (c clock) pointer(at *time.Time) *Moment {
	if at == nil {
		return nil
	}
	return c.moment(*at)
}

// face is the time of day, with the date when it is not today's.
func (c clock) face(at time.Time) string {
	switch {
	case at.Format(time.DateOnly) == c.now.Format(time.DateOnly):
		return at.Format("15:04")
	case at.Year() == c.now.Year():
		return at.Format("2 Jan 15:04")
	}
	return at.Format("2 Jan 2006")
}
