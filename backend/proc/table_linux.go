package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of times in /proc, the same on every architecture.
const tick = time.Second / 100

// processes returns the whole table. Processes that end meanwhile are left out.
func processes() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, err := process(pid); err == nil {
			all = append(all, e)
		}
	}
	return all, nil
}

func process(pid int) (entry, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, syscall.ESRCH) { // it ended between open and read
		err = fs.ErrNotExist
	}
	if err != nil {
		return entry{}, err
	}
	return parseStat(string(stat), bootTime())
}

// parseStat reads a line of proc_pid_stat(5). The name of the program stands in
// parentheses and may itself hold parentheses, spaces and line ends.
func parseStat(stat string, boot time.Time) (entry, error) {
	before, after, ok := cutLast(stat, ")")
	fields := strings.Fields(after)
	pid, _, _ := strings.Cut(before, " ")
	if !ok || len(fields) < 20 {
		return entry{}, fmt.Errorf("not a line of /proc/PID/stat: %q", stat)
	}
	var errs []error
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		errs = append(errs, err)
		return n
	}
	e := entry{
		pid:    int(number(pid)),
		zombie: fields[0] == "Z" || fields[0] == "X",
		ppid:   int(number(fields[1])),
		pgid:   int(number(fields[2])),
	}
	for _, s := range fields[11:15] { // utime stime cutime cstime
		e.cpu += time.Duration(number(s)) * tick
	}
	e.started = boot.Add(time.Duration(number(fields[19])) * tick)
	if err := errors.Join(errs...); err != nil {
		return entry{}, err
	}
	return e, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// bootTime returns the moment that start times in /proc count from. The kernel's
// own btime is the same, rounded down to seconds.
func bootTime() time.Time {
	var since unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &since) // every Linux that Go runs on has this clock
	return time.Now().Round(0).Add(-time.Duration(since.Nano()))
}

// arguments returns argument list and environment of pid, as they were when the
// program was started.
func arguments(pid int) (argv, env []string, err error) {
	a, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil, nil, err
	}
	e, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, nil, err
	}
	return split0(a), split0(e), nil
}

func split0(b []byte) []string {
	if b = bytes.TrimRight(b, "\x00"); len(b) == 0 {
		return nil
	}
	return strings.Split(string(b), "\x00")
}

// ours reports whether pid belongs to our user.
func ours(e entry) bool {
	var st syscall.Stat_t
	err := syscall.Stat(fmt.Sprintf("/proc/%d", e.pid), &st)
	return err == nil && int(st.Uid) == os.Geteuid()
}

func cpuOf(es []entry) (sum time.Duration) {
	for _, e := range es {
		sum += e.cpu
	}
	return sum
}
