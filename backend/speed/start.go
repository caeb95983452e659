package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"offrun/backend/ops"
	"offrun/backend/work"
)

// startPairs is how often a run and plain git are started, in turns.
const startPairs = 3

// agentsAtOnce is how many agents a run has, and git worktree adds stand against it.
const agentsAtOnce = 5

// runStart measures the time from run.start until agents have started.
func runStart(ctx context.Context, l *lab) (_ []Measurement, err error) {
	d, err := l.open(ctx, "home-start")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	marks := l.path("stamps")
	project, err := l.add(ctx, d, l.path("big"), l.agent("sleeper", "text", "sleep", marks))
	if err != nil {
		return nil, err
	}
	var first, fifth, one, five []time.Duration
	ours := func() error {
		took, err := l.startRun(ctx, d, project, marks)
		if err == nil {
			first, fifth = append(first, took[0]), append(fifth, took[len(took)-1])
		}
		return err
	}
	plain := func() error {
		took, err := l.addWorktrees(ctx)
		if err == nil {
			one, five = append(one, took[0]), append(five, took[len(took)-1])
		}
		return err
	}
	if err := inTurns(startPairs, nil, ours, plain); err != nil {
		return nil, err
	}
	if err := l.sweep(ctx, d, project); err != nil {
		return nil, err
	}
	return []Measurement{
		measure("run.start until the fifth agent runs, 11,000 files", median(fifth).Seconds(), "s").
			against(median(five).Seconds()).within(1.15),
		measure("run.start until the first agent runs, 11,000 files", median(first).Seconds(), "s").
			against(median(one).Seconds()),
	}, nil
}

// startRun starts a run of five agents and returns how long it took until each
// ran, in order. When it returns, the run is cancelled; its worktrees stay, as
// their removal would slow down what is made next: ext4 passes over all inodes
// that became free within the last minute.
func (l *lab) startRun(ctx context.Context, d *desk, project work.ProjectID, marks string) ([]time.Duration, error) {
	if err := errors.Join(os.RemoveAll(marks), os.Mkdir(marks, 0o755)); err != nil {
		return nil, err
	}
	syscall.Sync() // what was written before is not this start's to wait for
	began := time.Now()
	run, err := d.start(ctx, project, slices.Repeat([]string{"sleeper"}, agentsAtOnce)...)
	if err != nil {
		return nil, err
	}
	var started []time.Time
	err = await(ctx, 5*time.Minute, soon, func() (bool, error) {
		started, err = stamps(marks)
		return len(started) == agentsAtOnce, err
	})
	if err != nil {
		return nil, fmt.Errorf("%d agents of %d started: %w", len(started), agentsAtOnce, err)
	}
	took := make([]time.Duration, len(started))
	for i, at := range started {
		took[i] = at.Sub(began)
	}
	slices.Sort(took)
	if _, err := ops.RunCancel.Ask(ctx, d, ops.CancelRun{RunRef: ops.RunRef{Run: run.ID}}); err != nil {
		return nil, err
	}
	_, err = d.finish(ctx, run.ID, 5*time.Minute)
	return took, err
}

// addWorktrees makes five worktrees one after the other and returns how long it
// took until each was there. They stay, as those of startRun do.
func (l *lab) addWorktrees(ctx context.Context) ([]time.Duration, error) {
	parent, err := os.MkdirTemp(filepath.Join(l.path("big"), ".worktrees"), "plain-")
	if err != nil {
		return nil, err
	}
	syscall.Sync() // as for startRun
	began := time.Now()
	var took []time.Duration
	for i := range agentsAtOnce {
		name := fmt.Sprintf("%s-%d", filepath.Base(parent), i)
		if _, _, err := typedGit(ctx, l.path("big"), "worktree", "add", "-b", name, filepath.Join(parent, name)); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// sweep removes all worktrees of the big repository, and waits until none is left.
func (l *lab) sweep(ctx context.Context, d *desk, project work.ProjectID) error {
	in := ops.CleanRuns{}
	in.Body.Project = project
	cleaned, err := ops.RunClean.Ask(ctx, d, in)
	if err != nil {
		return err
	}
	for _, c := range cleaned {
		if c.Refused != "" {
			return fmt.Errorf("clean %s: %s", c.Attempt, c.Refused)
		}
	}
	plain, err := filepath.Glob(filepath.Join(l.path("big"), ".worktrees", "plain-*"))
	if err != nil {
		return err
	}
	for _, dir := range plain {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if _, _, err := typedGit(ctx, l.path("big"), "worktree", "prune"); err != nil {
		return err
	}
	return await(ctx, 5*time.Minute, lazily, func() (bool, error) {
		left, err := filepath.Glob(filepath.Join(l.path("big"), ".worktrees", ".trash", "*"))
		return len(left) == 0, err
	})
}

// runsAtOnce is how many runs runsTogether starts.
const runsAtOnce = 20

// runsTogether starts many runs on one repository at the same moment.
func runsTogether(ctx context.Context, l *lab) (_ []Measurement, err error) {
	d, err := l.open(ctx, "home-together")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	project, err := l.add(ctx, d, l.path("small"), l.agent("quick", "text", "quick"))
	if err != nil {
		return nil, err
	}
	runs := make([]work.Run, runsAtOnce)
	refused := make([]error, runsAtOnce)
	var all sync.WaitGroup
	for i := range runsAtOnce {
		all.Go(func() { runs[i], refused[i] = d.start(ctx, project, "quick") })
	}
	all.Wait()
	failures := 0
	var attempts []work.Attempt
	for i, run := range runs {
		if refused[i] != nil {
			fmt.Fprintln(os.Stderr, "run not started:", refused[i])
			failures++
			continue
		}
		if run, err = d.finish(ctx, run.ID, 5*time.Minute); err != nil {
			return nil, err
		}
		if a := run.Attempts[0]; a.State() != work.Done {
			fmt.Fprintf(os.Stderr, "run %s: %s: %s\n", run.ID, a.State(), a.Why())
			failures++
		}
		attempts = append(attempts, run.Attempts[0])
	}
	missing, stray, err := l.compareWorktrees(ctx, attempts)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d runs started at once on one repository: ", runsAtOnce)
	return []Measurement{
		measure(name+"failures", float64(failures), "runs").within(0),
		measure(name+"no worktree", float64(missing), "runs").within(0),
		measure(name+"stray branches", float64(stray), "branches").within(0),
	}, nil
}

// compareWorktrees asks git which worktrees and branches there are: how many of
// the runs have none of their own, and how many branches are nobody's.
func (l *lab) compareWorktrees(ctx context.Context, attempts []work.Attempt) (missing, stray int, err error) {
	trees, _, err := typedGit(ctx, l.path("small"), "worktree", "list", "--porcelain")
	if err != nil {
		return 0, 0, err
	}
	branches, _, err := typedGit(ctx, l.path("small"), "for-each-ref", "--format=%(refname:short)", "refs/heads/")
	if err != nil {
		return 0, 0, err
	}
	mine := map[string]bool{"main": true}
	there := 0
	for _, a := range attempts {
		mine[a.Branch] = true
		if strings.Contains(trees, "worktree "+a.Dir+"\n") && strings.Contains(trees, "branch refs/heads/"+a.Branch+"\n") {
			there++
		}
	}
	for _, b := range strings.Fields(branches) {
		if !mine[b] {
			stray++
		}
	}
	return runsAtOnce - there, stray, nil
}
