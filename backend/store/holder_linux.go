package store

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockHolder returns the process that holds a write lock on one of the files,
// or 0. It reads the kernel's list, because opening the files here would
// endanger SQLite's own locks.
func lockHolder(paths ...string) int {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	for _, path := range paths {
		var st unix.Stat_t
		if unix.Stat(path, &st) != nil {
			continue
		}
		file := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
		for line := range strings.Lines(string(locks)) {
			// 1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 120 120
			f := strings.Fields(line)
			if len(f) == 8 && f[1] == "POSIX" && f[3] == "WRITE" && f[5] == file {
				pid, _ := strconv.Atoi(f[4]) // 0 if it is not a number
				return max(pid, 0)           // the kernel prints -1 for a process it will not name
			}
		}
	}
	return 0
}
