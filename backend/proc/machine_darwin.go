package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// MemoryAvailable returns how many bytes new programs can use before the machine
// begins to swap: the share that the system itself calls free, caches included.
func MemoryAvailable() (uint64, error) {
	size, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0, fmt.Errorf("hw.memsize: %w", err)
	}
	percent, err := unix.SysctlUint32("kern.memorystatus_level")
	if err != nil {
		return 0, fmt.Errorf("kern.memorystatus_level: %w", err)
	}
	return size / 100 * uint64(percent), nil
}
