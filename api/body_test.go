package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLargeBodiesTakeTurns sends many large bodies at one time.
func TestLargeBodiesTakeTurns(t *testing.T) {
	for name, told := range map[string]bool{"length told": true, "length not told": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				inside, answers := 0, map[int]int{}
				leave := make(chan struct{})
				handler := New(Config{}).guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if r.URL.Path == "/large" {
						mu.Lock()
						inside++
						mu.Unlock()
						<-leave
					}
				}))
				send := func(path string, size int) *httptest.ResponseRecorder {
					r := httptest.NewRequest(http.MethodPut, "http://localhost"+path, strings.NewReader(strings.Repeat("#", size)))
					if !told {
						r.ContentLength = -1
					}
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, r)
					return w
				}
				const sent = 3 * largeBodies
				var wg sync.WaitGroup
				for range sent {
					wg.Go(func() {
						w := send("/large", 2*smallBody)
						mu.Lock()
						defer mu.Unlock()
						answers[w.Code]++
						if w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
							t.Error("no word when to try again")
						}
					})
				}
				synctest.Wait()
				if inside != largeBodies {
					t.Errorf("%d large bodies in memory at one time, want %d", inside, largeBodies)
				}
				if w := send("/small", smallBody); w.Code != http.StatusOK {
					t.Errorf("a small body has to wait for large ones: %d", w.Code)
				}
				time.Sleep(bodyWait + time.Second)
				close(leave)
				wg.Wait()
				if answers[http.StatusOK] != largeBodies || answers[http.StatusServiceUnavailable] != sent-largeBodies {
					t.Errorf("got answers %v", answers)
				}
				if w := send("/large", 2*smallBody); w.Code != http.StatusOK {
					t.Errorf("a turn was not given back: %d", w.Code)
				}
			})
		})
	}
}
