package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Free returns how many bytes a file system has left for us, by any path on it.
func Free(path string) (bytes uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	return st.Bavail * uint64(st.Bsize), nil
}
