package feed

import (
	"sync"
	"time"
)

// A Throttle passes on the latest of a quick succession of values: the first at
// once, then at most one per interval, and the last one always.
type Throttle[T any] struct {
	every time.Duration
	pass  func(T)

	mu      sync.Mutex // held while pass runs: values pass in order
	resting bool       // less than every ago, a value passed
	waiting bool       // latest has not passed yet
	latest  T
	timer   *time.Timer
}

// NewThrottle returns a Throttle that calls pass, never twice at the same time.
// pass must not call the Throttle.
func NewThrottle[T any](every time.Duration, pass func(T)) *Throttle[T] {
	return &Throttle[T]{every: every, pass: pass}
}

// Set offers a value.
func (t *Throttle[T]) Set(v T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest, t.waiting = v, true
	if !t.resting {
		t.let()
	}
}

// Flush passes on the value that waits, if one does, and stops the clock.
func (t *Throttle[T]) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.resting = false
	if t.waiting {
		t.waiting = false
		t.pass(t.latest)
	}
}

// let passes the latest value on and begins an interval. t.mu is held.
func (t *Throttle[T]) let() {
	t.waiting, t.resting = false, true
	t.pass(t.latest)
	var timer *time.Timer
	timer = time.AfterFunc(t.every, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case t.timer != timer: // it rang while Flush stopped it
		case t.waiting:
			t.let()
		default:
			t.resting = false
		}
	})
	t.timer = timer
}
