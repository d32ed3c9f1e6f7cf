package engine

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/config/home"
	"corehost/config/yamledit"
	"corehost/desired/store"
	"corehost/reconcilers"
)

func condition(list []metav1.Condition, name string) metav1.ConditionStatus {
	if c := meta.FindStatusCondition(list, name); c != nil {
		return c.Status
	}
	return ""
}

func reason(list []metav1.Condition, name string) string {
	if c := meta.FindStatusCondition(list, name); c != nil {
		return c.Reason
	}
	return ""
}

func message(list []metav1.Condition, name string) string {
	if c := meta.FindStatusCondition(list, name); c != nil {
		return c.Message
	}
	return ""
}

// of is the status of one reconciler.
func of(s reconcilers.Status, name string) reconcilers.ReconcilerStatus {
	for _, r := range s.Reconcilers {
		if r.Name == name {
			return r
		}
	}
	return reconcilers.ReconcilerStatus{}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func setEffort(value string) yamledit.Edit { return yamledit.Set("spec.agent.reasoningEffort", value) }

func itoa(i int) string { return strconv.Itoa(i) }

func sumOf(text string) home.Sum { return home.SumOf([]byte(text)) }

func revisions(h *host) []store.Revision {
	h.t.Helper()
	list, err := h.store.List(context.Background(), 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}
