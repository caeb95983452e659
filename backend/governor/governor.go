// Package governor decides how many attempts work at once: no more than the
// limit, and none beside another while memory is short. The rest wait in order.
package governor

import (
	"context"
	"sync"
	"time"

	"offrun/backend/proc"
)

// A Governor gives out slots. It is safe for concurrent use.
type Governor struct {
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

// New returns a governor of limit slots.
func New(limit int) *Governor {
	return &Governor{limit: limit, memory: proc.MemoryAvailable, look: time.Second}
}

// Take waits for a slot and returns a function that gives it back. It fails only
// when ctx is done.
func (g *Governor) Take(ctx context.Context) (release func(), err error) {
	mine := make(chan struct{})
	g.mu.Lock()
	g.queue = append(g.queue, mine)
	g.grant()
	g.mu.Unlock()

	tick := time.NewTicker(g.look)
	defer tick.Stop()
	for {
		select {
		case <-mine:
			return sync.OnceFunc(g.release), nil
		case <-tick.C:
			g.mu.Lock()
			g.grant()
			g.mu.Unlock()
		case <-ctx.Done():
			g.leave(mine)
			return nil, ctx.Err()
		}
	}
}

// Hold takes a slot without waiting, for an attempt that works already.
func (g *Governor) Hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used++
	return sync.OnceFunc(g.release)
}

func (g *Governor) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used--
	g.grant()
}

// leave gives up a place in the queue, or the slot that was granted meanwhile.
func (g *Governor) leave(mine chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, waiting := range g.queue {
		if waiting == mine {
			g.queue = append(g.queue[:i:i], g.queue[i+1:]...)
			return
		}
	}
	g.used--
	g.grant()
}

// grant hands out slots in order. The caller holds mu.
func (g *Governor) grant() {
	for len(g.queue) > 0 && g.used < g.limit && (g.used == 0 || g.enoughMemory()) {
		close(g.queue[0])
		g.queue = g.queue[1:]
		g.used++
	}
}

func (g *Governor) enoughMemory() bool {
	free, err := g.memory()
	return err != nil || free >= perAttempt // a system that cannot tell is not held back
}
