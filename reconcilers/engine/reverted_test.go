package engine

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/desired/store"
	"corehost/reconcilers"
)

func TestRevertOf(t *testing.T) {
	for name, tt := range map[string]struct {
		author, note string
		age          time.Duration
		want         *reconcilers.Revert
	}{
		"by a person":              {"cli:0", "back to revision 1: taken back", 0, nil},
		"by the health gate":       {reconcilers.ActorHealth, "back to revision 1: core-gateway did not stay up on revision 2: it failed (exit-code)", 0, &reconcilers.Revert{Revision: 2, To: 1, Time: day, Reason: "core-gateway did not stay up on revision 2: it failed (exit-code)"}},
		"by the end of a try":      {reconcilers.ActorTry, "back to revision 1: it was not confirmed in time", 0, &reconcilers.Revert{Revision: 2, To: 1, Time: day, Reason: "it was not confirmed in time"}},
		"before reasons were kept": {reconcilers.ActorTry, "revert to revision 1", 0, &reconcilers.Revert{Revision: 2, Time: day, Reason: "it was not confirmed in time"}},
		"a moment before its end":  {reconcilers.ActorHealth, "back to revision 1", 24*time.Hour - 1, &reconcilers.Revert{Revision: 2, To: 1, Time: day, Reason: "a unit did not stay up on it"}},
		"a day ago":                {reconcilers.ActorHealth, "back to revision 1", 24 * time.Hour, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := revertOf(store.Revision{Number: 3, Time: day, Author: tt.author, Note: tt.note}, day.Add(tt.age))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheStatusSaysWhatATryTookBack(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.run()
	h.await("the first state", func(s reconcilers.Status) bool { return s.Converged })
	if r := h.engine.Status().Reverted; r != nil {
		t.Errorf("taken back at the start: %+v", r)
	}
	h.try(wantModel("claude-opus-4-1"), 300*time.Millisecond)
	s := h.await("the news", func(s reconcilers.Status) bool { return s.Reverted != nil })
	if s.Reverted.Revision != 2 || s.Reverted.To != 1 || s.Reverted.Reason != "it was not confirmed in time" {
		t.Errorf("taken back: %+v", s.Reverted)
	}
	h.write("desired.yaml", wantModel("claude-haiku-4-5"))
	h.await("the end of the news", func(s reconcilers.Status) bool { return s.Revision == 4 && s.Reverted == nil })
}

func TestATryTakenBackByAPersonIsNoNewsToThem(t *testing.T) {
	h := newHost(t, setup{desired: wantModel("claude-sonnet-4-5"), config: firstConfig})
	h.converge()
	h.try(wantModel("claude-opus-4-1"), time.Hour)
	if _, err := h.engine.Revert(context.Background(), "cli:0"); err != nil {
		t.Fatal(err)
	}
	if r := h.engine.Status().Reverted; r != nil || h.store.Current().Revision.Author != "cli:0" {
		t.Errorf("taken back %+v by %s", r, h.store.Current().Revision.Author)
	}
}
