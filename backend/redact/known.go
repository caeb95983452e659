package redact

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Known gathers the values that are secret as they become known. Its zero value
// knows none, and it may be used by several goroutines.
type Known struct {
	mu       sync.Mutex
	values   map[string]bool
	redactor atomic.Pointer[Redactor]
}

// Add makes values known, for good.
func (k *Known) Add(values ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := len(k.values)
	for _, v := range values {
		if k.values == nil {
			k.values = map[string]bool{}
		}
		k.values[v] = true
	}
	if len(k.values) > before {
		k.redactor.Store(New(slices.Collect(maps.Keys(k.values))...))
	}
}

// Redactor returns a Redactor of what is known now.
func (k *Known) Redactor() *Redactor { return k.redactor.Load() }
