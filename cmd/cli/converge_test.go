package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"corehost/api"
	"corehost/api/client"
	"corehost/reconcilers"
)

// host is a link to a host that always stands like this.
func host(status reconcilers.Status, direct bool) *link {
	return &link{direct: direct, Client: client.InProcess(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.Status{Status: status})
	}))}
}

func reconciling(kind, message string, attempts int) reconcilers.Status {
	return reconcilers.Status{Revision: 7, Reconcilers: []reconcilers.ReconcilerStatus{{
		Name: "unit", Attempts: attempts,
		Conditions: []metav1.Condition{{Type: kind, Status: metav1.ConditionTrue, Message: message}},
	}}}
}

func TestWaitingEndsWithTheReason(t *testing.T) {
	for name, c := range map[string]struct {
		status reconcilers.Status
		direct bool
		cancel bool
		want   string // of the error; empty: converged
	}{
		"converged":          {status: reconcilers.Status{Revision: 7, Converged: true}},
		"superseded":         {status: reconcilers.Status{Revision: 8, Converged: true}, want: "revision 8 took the place of revision 7 meanwhile"},
		"stalled":            {status: reconciling(reconcilers.Stalled, "config.yaml:3:1: a tab", 0), want: "the host is not as revision 7 says: unit is stalled: config.yaml:3:1: a tab"},
		"failing":            {status: reconciling(reconcilers.Reconciling, "exit status 1", patience), want: "the host is not as revision 7 says: unit: exit status 1"},
		"interrupted":        {status: reconciling(reconcilers.Reconciling, "starting", 0), cancel: true, want: "stopped waiting; the host goes on converging"},
		"without a daemon":   {status: reconciling(reconcilers.Reconciling, "starting", 0), direct: true, want: "the host is not as revision 7 says: unit: starting"},
		"interrupted, alone": {status: reconciling(reconcilers.Reconciling, "starting", 0), direct: true, cancel: true, want: "interrupted; without the daemon nothing goes on by itself"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				cancel()
			}
			a := &app{stderr: &strings.Builder{}, format: "text", now: time.Now}
			result := api.ApplyResult{Revision: 7}
			err := a.converge(ctx, host(c.status, c.direct), a.waiting("test"), &result)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if result.Converged != (c.want == "") {
				t.Errorf("converged is %v", result.Converged)
			}
		})
	}
}
