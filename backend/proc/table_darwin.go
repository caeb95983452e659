package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// processes returns the processes of our user.
func processes() ([]entry, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil, fmt.Errorf("kern.proc.uid: %w", err)
	}
	all := make([]entry, len(table))
	for i := range table {
		all[i] = entryOf(&table[i])
	}
	return all, nil
}

func process(pid int) (entry, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return entry{}, fs.ErrNotExist // an empty answer comes back as EIO
	}
	return entryOf(k), nil
}

func entryOf(k *unix.KinfoProc) entry {
	return entry{
		pid:     int(k.Proc.P_pid),
		ppid:    int(k.Eproc.Ppid),
		pgid:    int(k.Eproc.Pgid),
		started: time.Unix(k.Proc.P_starttime.Unix()),
		zombie:  k.Proc.P_stat == zombie,
	}
}

// arguments returns argument list and environment of pid, as they were when the
// program was started. The system does not tell them of its own programs.
func arguments(pid int) (argv, env []string, err error) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil, fmt.Errorf("kern.procargs2: %w", err)
	}
	return parseArguments(b)
}

// ours is true of the whole table here.
func ours(entry) bool { return true }

// cpuOf asks ps, which may ask the kernel what others may not.
func cpuOf(es []entry) (sum time.Duration) {
	pids := make([]string, len(es))
	for i, e := range es {
		pids[i] = strconv.Itoa(e.pid)
	}
	out, err := exec.Command("/bin/ps", "-o", "time=", "-p", strings.Join(pids, ",")).Output()
	if err != nil && len(out) == 0 {
		return 0 // all of them have just ended
	}
	for line := range strings.Lines(string(out)) {
		sum += parseClock(strings.TrimSpace(line))
	}
	return sum
}
