//go:build !linux

package watch

import "context"

// notified says that trees are polled here. On a Mac fsnotify would need a
// descriptor for every file; FSEvents needs none, but cgo and a Mac to build on.
func (tree) notified(context.Context, chan<- struct{}) bool { return false }
