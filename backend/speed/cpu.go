package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A cost is what something took.
type cost struct{ wall, cpu time.Duration }

// costOf measures do, which works in this process and in children that it waits
// for.
func costOf(do func() error) (cost, error) {
	before, err := spent()
	if err != nil {
		return cost{}, err
	}
	began := time.Now()
	if err := do(); err != nil {
		return cost{}, err
	}
	wall := time.Since(began)
	after, err := spent()
	return cost{wall, after - before}, err
}

// spent returns the CPU time of this process and of the children it has waited for.
func spent() (time.Duration, error) {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0, fmt.Errorf("getrusage: %w", err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum, nil
}

// typed runs a plain command as a person would type it, and returns what it printed
// and what it cost: itself and its children, not the starting of it.
func typed(ctx context.Context, dir string, env []string, argv ...string) (string, cost, error) {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Env = dir, env
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	began := time.Now()
	if err := c.Run(); err != nil {
		return "", cost{}, fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(complaint.String()))
	}
	wall := time.Since(began)
	return out.String(), cost{wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime()}, nil
}

// typedGit runs git in dir with the environment that all is measured in.
func typedGit(ctx context.Context, dir string, args ...string) (string, cost, error) {
	return typed(ctx, dir, nil, append([]string{"git"}, args...)...)
}

// A usage is what one live process has used, without its children.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes of memory at most; on systems without /proc, bytes now
}

func usageOf(ctx context.Context, pid int) (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return usageFromPS(ctx, pid)
	}
	if err != nil {
		return usage{}, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return usage{}, err
	}
	return parseProc(string(stat), string(status))
}

// parseProc reads proc_pid_stat(5) and proc_pid_status(5).
func parseProc(stat, status string) (usage, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the name may hold anything
	if len(fields) < 13 {
		return usage{}, fmt.Errorf("not a line of /proc/PID/stat: %q", stat)
	}
	var u usage
	for _, ticks := range fields[11:13] { // utime, stime; in hundredths everywhere
		n, err := strconv.ParseInt(ticks, 10, 64)
		if err != nil {
			return usage{}, err
		}
		u.cpu += time.Duration(n) * time.Second / 100
	}
	_, after, _ := strings.Cut(status, "VmHWM:")
	var kb int64
	if _, err := fmt.Sscanf(after, "%d kB", &kb); err != nil {
		return usage{}, fmt.Errorf("peak memory in /proc/PID/status: %w", err)
	}
	u.peak = kb << 10
	return u, nil
}

// usageFromPS asks ps, which prints minutes:seconds and kilobytes on a Mac.
func usageFromPS(ctx context.Context, pid int) (usage, error) {
	out, _, err := typed(ctx, "", nil, "ps", "-o", "time=,rss=", "-p", strconv.Itoa(pid))
	if err != nil {
		return usage{}, err
	}
	return parsePS(out)
}

func parsePS(out string) (usage, error) {
	var minutes, kb int64
	var seconds float64
	if _, err := fmt.Sscanf(out, "%d:%f %d", &minutes, &seconds, &kb); err != nil {
		return usage{}, fmt.Errorf("ps said %q: %w", out, err)
	}
	return usage{time.Duration(minutes)*time.Minute + time.Duration(seconds*float64(time.Second)), kb << 10}, nil
}
