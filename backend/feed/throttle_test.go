package feed

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type passed struct {
			after time.Duration
			value int
		}
		var got []passed
		start := time.Now()
		th := NewThrottle(250*time.Millisecond, func(v int) { got = append(got, passed{time.Since(start), v}) })
		for v := range 100 { // one second, a value each 10 ms
			th.Set(v)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		th.Set(200)
		th.Set(201)
		th.Flush()
		th.Flush()
		time.Sleep(time.Second)
		th.Set(300)
		synctest.Wait()
		ms := time.Millisecond
		want := []passed{
			{0, 0}, {250 * ms, 24}, {500 * ms, 49}, {750 * ms, 74}, {1000 * ms, 99},
			{2000 * ms, 200}, {2000 * ms, 201}, {3000 * ms, 300},
		}
		// At 250 ms the value of that instant may pass, or the one before.
		same := slices.EqualFunc(got, want, func(g, w passed) bool {
			return g.after == w.after && (g.value == w.value || g.value == w.value+1)
		})
		if !same {
			t.Errorf("passed %v, want %v", got, want)
		}
		th.Flush()
	})
}

func TestThrottleFromManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sum, calls := 0, 0 // not guarded: the throttle promises one call at a time
		th := NewThrottle(time.Millisecond, func(v int) { sum += v; calls++ })
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				for range 100 {
					th.Set(1)
					time.Sleep(100 * time.Microsecond)
				}
			})
		}
		wg.Wait()
		th.Flush()
		if calls < 10 || calls > 12 || sum != calls {
			t.Errorf("%d calls in 10 ms, sum %d; want about one per millisecond", calls, sum)
		}
	})
}
