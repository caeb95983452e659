//go:build !linux

package supervise

import "testing"

func smallDisk(t *testing.T) string {
	t.Skip("a small disk is mounted on Linux only")
	return ""
}
