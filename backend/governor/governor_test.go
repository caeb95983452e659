package governor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// asked starts to take a slot and returns a channel that gives its release.
func asked(ctx context.Context, s *Governor) <-chan func() {
	c := make(chan func(), 1)
	go func() {
		if release, err := s.Take(ctx); err == nil {
			c <- release
		}
	}()
	synctest.Wait()
	return c
}

func got(c <-chan func()) (release func(), ok bool) {
	synctest.Wait()
	select {
	case release = <-c:
		return release, true
	default:
		return nil, false
	}
}

func plenty() (uint64, error) { return 64 << 30, nil }

func TestSlotsAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1)
		s.memory = plenty
		first, second, third := asked(t.Context(), s), asked(t.Context(), s), asked(t.Context(), s)
		release, ok := got(first)
		if !ok {
			t.Fatal("the first had to wait")
		}
		if _, ok := got(second); ok {
			t.Fatal("two slots of one")
		}
		release()
		release() // a second time changes nothing
		release, ok = got(second)
		if !ok {
			t.Fatal("the second was passed over")
		}
		if _, ok := got(third); ok {
			t.Fatal("giving back twice made a slot")
		}
		release()
		if release, ok = got(third); !ok {
			t.Fatal("the third was forgotten")
		}
		release()
	})
}

func TestSlotsAreNotLostWithThoseWhoLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1)
		s.memory = plenty
		release, _ := got(asked(t.Context(), s))
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := s.Take(ctx)
			left <- err
		}()
		synctest.Wait()
		next := asked(t.Context(), s)
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("take = %v", err)
		}
		release()
		if _, ok := got(next); !ok {
			t.Error("the slot went to somebody who had left")
		}
	})
}

func TestShortMemoryLetsOneWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(4)
		free := uint64(perAttempt - 1)
		s.memory = func() (uint64, error) { return free, nil }
		if _, ok := got(asked(t.Context(), s)); !ok {
			t.Fatal("nobody may work at all")
		}
		second := asked(t.Context(), s)
		if _, ok := got(second); ok {
			t.Fatal("a second one works without memory")
		}
		free = perAttempt
		time.Sleep(2 * s.look) // costs nothing: the bubble's clock
		if _, ok := got(second); !ok {
			t.Error("the second still waits though there is memory")
		}
	})
}

func TestHeldSlotsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(1)
		s.memory = plenty
		release := s.Hold()
		waiting := asked(t.Context(), s)
		if _, ok := got(waiting); ok {
			t.Fatal("a held slot was given again")
		}
		release()
		if _, ok := got(waiting); !ok {
			t.Error("the held slot did not come back")
		}
	})
}
