package bench

import (
	"context"
	"sync"
	"time"

	"offrun/backend/proc"
)

// slots is the governor: no more attempts work at once than the limit, and none
// starts beside another while memory is short. The rest wait in order.
type slots struct {
	memory func() (uint64, error) // bytes available
	look   time.Duration          // how often memory is looked at while it is short

	mu    sync.Mutex
	limit int
	used  int
	queue []chan struct{} // each is closed when its owner has a slot
}

// perAttempt is the memory that a coding agent and the tests it runs are
// expected to need; the CLIs themselves were measured at 150 to 560 MB.
const perAttempt = 512 << 20

func newSlots(limit int) *slots {
	return &slots{limit: limit, memory: proc.MemoryAvailable, look: time.Second}
}

// take waits for a slot and returns a function that gives it back. It fails only
// when ctx is done.
func (s *slots) take(ctx context.Context) (release func(), err error) {
	mine := make(chan struct{})
	s.mu.Lock()
	s.queue = append(s.queue, mine)
	s.grant()
	s.mu.Unlock()

	tick := time.NewTicker(s.look)
	defer tick.Stop()
	for {
		select {
		case <-mine:
			return sync.OnceFunc(s.release), nil
		case <-tick.C:
			s.mu.Lock()
			s.grant()
			s.mu.Unlock()
		case <-ctx.Done():
			s.leave(mine)
			return nil, ctx.Err()
		}
	}
}

// hold takes a slot without waiting, for an attempt that works already.
func (s *slots) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used++
	return sync.OnceFunc(s.release)
}

func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	s.grant()
}

// leave gives up a place in the queue, or the slot that was granted meanwhile.
func (s *slots) leave(mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, waiting := range s.queue {
		if waiting == mine {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			return
		}
	}
	s.used--
	s.grant()
}

// grant hands out slots in order. The caller holds mu.
func (s *slots) grant() {
	for len(s.queue) > 0 && s.used < s.limit && (s.used == 0 || s.enoughMemory()) {
		close(s.queue[0])
		s.queue = s.queue[1:]
		s.used++
	}
}

func (s *slots) enoughMemory() bool {
	free, err := s.memory()
	return err != nil || free >= perAttempt // a system that cannot tell is not held back
}
