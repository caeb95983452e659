package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"offrun/backend/artifact"
	"offrun/backend/git"
	"offrun/backend/land"
	"offrun/backend/proc"
	"offrun/backend/work"
)

const (
	resultPairs  = 5  // worktrees that are collected and removed, and as many plain ones
	countPairs   = 11 // counts of changed files, and as many git status
	previewPairs = 15
)

// A pair is a worktree of ours and a plain one that went the same way.
type pair struct {
	attempt work.Attempt
	tree    git.Worktree
	mark    string
	plain   string // path
}

// results measures what becomes of a result: counted while the agent works,
// collected, looked at before it lands, removed.
func results(ctx context.Context, l *lab) ([]Measurement, error) {
	repo, err := git.Open(ctx, l.path("big"))
	if err != nil {
		return nil, err
	}
	base, err := repo.Resolve(ctx, "refs/heads/main")
	if err != nil {
		return nil, err
	}
	if err := repo.Exclude(ctx, ".worktrees/", "runs/"); err != nil {
		return nil, err
	}
	r := &work.Run{ID: "20260101-000000", Base: base, Trunk: "main", Card: work.Card{ID: "do", Title: "Do something"}}
	pairs := make([]pair, resultPairs)
	for i := range pairs {
		if pairs[i], err = l.makePair(ctx, repo, r, i); err != nil {
			return nil, err
		}
	}
	var ms []Measurement
	for _, trial := range []func(context.Context, *lab, git.Repo, *work.Run, []pair) ([]Measurement, error){
		counting, collecting, previewing, removing,
	} {
		found, err := trial(ctx, l, repo, r, pairs)
		ms = append(ms, found...)
		if err != nil {
			return ms, err
		}
	}
	return ms, nil
}

// makePair makes two worktrees and the same changes in both.
func (l *lab) makePair(ctx context.Context, repo git.Repo, r *work.Run, i int) (pair, error) {
	name := work.AttemptName(fmt.Sprintf("agent-%d", i))
	p := pair{
		mark:  "speed/" + string(name),
		plain: filepath.Join(repo.Dir, ".worktrees", fmt.Sprintf("plain-%d", i)),
		attempt: work.Attempt{
			Run: r.ID, Name: name, Agent: "agent", Branch: "run/do-" + string(name),
			Dir: filepath.Join(repo.Dir, ".worktrees", "do-"+string(name)),
		},
	}
	var err error
	p.tree, err = repo.AddWorktree(ctx, git.WorktreeOptions{Path: p.attempt.Dir, Branch: p.attempt.Branch, Commit: r.Base, Mark: p.mark})
	if err != nil {
		return p, err
	}
	p.attempt.GitDir = p.tree.Admin
	if _, _, err := typedGit(ctx, repo.Dir, "worktree", "add", "-b", filepath.Base(p.plain), p.plain); err != nil {
		return p, err
	}
	for _, dir := range []string{p.attempt.Dir, p.plain} {
		if err := change(dir, bigFiles, uint64(100+i)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// counting measures a glance at the changed files while the agent goes on editing.
func counting(ctx context.Context, l *lab, repo git.Repo, r *work.Run, pairs []pair) ([]Measurement, error) {
	tree := pairs[0].tree
	if err := settle(ctx, tree.Path); err != nil {
		return nil, err
	}
	before, err := traces(repo, tree)
	if err != nil {
		return nil, err
	}
	shared, err := repo.SharedFingerprint(ctx)
	if err != nil {
		return nil, err
	}
	counter := artifact.NewCounter(tree, r.Base, l.path("live"))
	count := func() error {
		// No git looks into a worktree before this has been compared.
		now, err := repo.SharedFingerprint(ctx)
		if err == nil && len(shared.Changed(now)) > 0 {
			err = errors.New("the shared configuration has changed")
		}
		if err != nil {
			return err
		}
		n, err := counter.Files(ctx)
		if err == nil && n != changed+added+removed {
			err = fmt.Errorf("counted %d changed files, not %d", n, changed+added+removed)
		}
		return err
	}
	first, err := costOf(count)
	if err != nil {
		return nil, err
	}
	var ours, plain []time.Duration
	edits := uint64(1000)
	err = inTurns(countPairs, func() error {
		edits++
		return edit(tree.Path, bigFiles, 5, edits)
	}, func() error {
		c, err := costOf(count)
		ours = append(ours, c.cpu)
		return err
	}, func() error {
		_, c, err := typedGit(ctx, tree.Path, "--no-optional-locks", "status", "--porcelain=v2", "-z")
		plain = append(plain, c.cpu)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := counter.Close(); err != nil {
		return nil, err
	}
	after, err := traces(repo, tree)
	if err != nil {
		return nil, err
	}
	floor := milliseconds(median(plain))
	return []Measurement{
		measure("count 100 changed files of 11,000 while the agent works, CPU", milliseconds(median(ours)), "ms").against(floor).within(2.5),
		measure("the first such count, CPU", milliseconds(first.cpu), "ms").against(floor),
		measure("agent's index changed by counting", truth(before.index != after.index), "0 or 1").within(0),
		measure("loose objects left by counting", float64(after.loose-before.loose), "objects").within(0),
	}, nil
}

// What counting could leave behind.
type trace struct {
	index [sha256.Size]byte
	loose int
}

func traces(repo git.Repo, w git.Worktree) (trace, error) {
	index, err := os.ReadFile(filepath.Join(w.Admin, "index"))
	if err != nil {
		return trace{}, err
	}
	loose, err := filepath.Glob(filepath.Join(repo.GitDir, "objects", "??", "*"))
	return trace{sha256.Sum256(index), len(loose)}, err
}

// collecting measures what happens at the end of a turn, and leaves each pair with
// a result.
func collecting(ctx context.Context, l *lab, repo git.Repo, r *work.Run, pairs []pair) ([]Measurement, error) {
	var cpu, wall, plain []time.Duration
	for i := range pairs {
		a := &pairs[i].attempt
		dir := l.path("turn-" + string(a.Name))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		if err := settle(ctx, a.Dir); err != nil {
			return nil, err
		}
		_, status, err := typedGit(ctx, a.Dir, "--no-optional-locks", "status", "--porcelain=v2", "-z")
		if err != nil {
			return nil, err
		}
		var result work.Result
		c, err := costOf(func() (err error) {
			seen, err := pairs[i].tree.Survey(ctx)
			if err != nil {
				return err
			}
			result, err = artifact.Collect(ctx, artifact.In{
				Repo: repo, Worktree: pairs[i].tree, Base: r.Base, Branch: a.Branch, Dir: dir, Run: r.ID, Attempt: a.Name, Turn: 1,
			})
			result.Seal = seen.Seal
			return err
		})
		if err != nil {
			return nil, err
		}
		now := time.Now().UTC()
		a.Turns = []work.Turn{{N: 1, Class: work.ClassOK, Result: &result, EndedAt: &now}}
		cpu, wall, plain = append(cpu, c.cpu), append(wall, c.wall), append(plain, status.cpu)
	}
	return []Measurement{
		measure("collect 100 changed files at the end of a turn, CPU", milliseconds(median(cpu)), "ms").against(milliseconds(median(plain))),
		measure("collect 100 changed files at the end of a turn, time", milliseconds(median(wall)), "ms"),
	}, nil
}

// previewing measures what landing would do. Each look is at a trunk that has just
// moved, since git spares itself the writing of trees that it has.
func previewing(ctx context.Context, l *lab, repo git.Repo, r *work.Run, pairs []pair) ([]Measurement, error) {
	a := &pairs[0].attempt
	var tree, want string
	preview := func() error {
		landing, err := land.Preview(ctx, repo, land.In{Run: r, Attempt: a})
		tree = landing.Tree
		return err
	}
	mergeTree := func() (time.Duration, error) {
		out, c, err := typedGit(ctx, repo.Dir, "merge-tree", "--write-tree", "main", a.Turn().Result.Commit)
		want = out
		return c.cpu, err
	}
	moves := uint64(0)
	move := func() error {
		moves++
		return moveTrunk(ctx, repo.Dir, moves)
	}
	var ours, plain []time.Duration
	err := inTurns(previewPairs, nil, func() error {
		if err := move(); err != nil {
			return err
		}
		c, err := costOf(preview)
		ours = append(ours, c.cpu)
		return err
	}, func() error {
		if err := move(); err != nil {
			return err
		}
		cpu, err := mergeTree()
		plain = append(plain, cpu)
		return err
	})
	if err != nil {
		return nil, err
	}
	_, err = mergeTree()
	if err := errors.Join(preview(), err); err != nil {
		return nil, err
	}
	if tree+"\n" != want {
		return nil, fmt.Errorf("the preview is tree %s, git says %s", tree, want)
	}
	return []Measurement{
		measure("landing preview, 100 and 30 changed files, CPU", milliseconds(median(ours)), "ms").
			against(milliseconds(median(plain))).within(1.5),
	}, nil
}

// moveTrunk commits a change of 30 files that no result touches.
func moveTrunk(ctx context.Context, dir string, seed uint64) error {
	s := newSource(seed)
	for i := range 30 {
		if err := os.WriteFile(filepath.Join(dir, pathOf(i*bigFiles/30+1)), []byte(s.text()), 0o644); err != nil {
			return err
		}
	}
	_, _, err := typedGit(ctx, dir, "commit", "--quiet", "--all", "--message", "trunk moves")
	return err
}

// removing measures what a person waits for when a workspace is cleaned up: all
// but the emptying of the trash.
func removing(ctx context.Context, l *lab, repo git.Repo, r *work.Run, pairs []pair) ([]Measurement, error) {
	var ours, plain []time.Duration
	next, nextPlain := 0, 0
	err := inTurns(len(pairs), nil, func() error {
		p := pairs[next]
		next++
		var done work.Cleaning
		c, err := costOf(func() (err error) {
			done, err = land.Clean(ctx, repo, land.CleanIn{
				Run: r, Attempt: &p.attempt, Mark: p.mark, Seal: p.attempt.Turn().Result.Seal, InUse: inUse(p.mark),
			})
			return err
		})
		if err == nil && done.Refused != "" {
			err = errors.New(done.Refused)
		}
		ours = append(ours, c.cpu)
		return err
	}, func() error {
		_, c, err := typedGit(ctx, repo.Dir, "worktree", "remove", "--force", pairs[nextPlain].plain)
		nextPlain++
		plain = append(plain, c.cpu)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := repo.EmptyTrash(ctx, "speed/"); err != nil {
		return nil, err
	}
	return []Measurement{
		measure("remove a workspace of 11,000 files as a person sees it, CPU", milliseconds(median(ours)), "ms").
			against(milliseconds(median(plain))).within(0.6),
	}, nil
}

// inUse looks for processes of an attempt as the bench does.
func inUse(mark string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		found, err := proc.Marked(mark)
		if len(found) > 0 {
			return found[0].String(), err
		}
		return "", err
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
