package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/google/renameio/v2"

	"offrun/backend/agent"
	"offrun/backend/archive"
	"offrun/backend/git"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// StartOptions say what a run is made of. Card is required.
type StartOptions struct {
	Card    string        // id or file
	Agents  []string      // agent or agent:model, repeated as wished; none means the project's selection
	Model   string        // for agents that name none
	Timeout time.Duration // of each attempt; 0 means the project's
	Trust   bool          // trust what may run in the project as it stands
}

// excluded is what git must not see in a project: what Offrun puts there.
var excluded = []string{".worktrees/", "runs/", "/.offrun/task.md"}

// Start begins a run: everything that can be wrong is found before anything is
// made, and everything that the run needs is written before it is announced.
// It returns as soon as the attempts wait; follow them in the feed.
func (b *Bench) Start(ctx context.Context, id work.ProjectID, o StartOptions) (work.Run, error) {
	p, repo, err := b.project(ctx, id)
	if err != nil {
		return work.Run{}, err
	}
	look := sync.OnceValues(func() (git.Fingerprint, error) { return repo.Fingerprint(ctx) })
	if repo.Excludes(excluded...) { // or git would take the folders of runs for files of the user
		b.wg.Go(func() { _, _ = look() }) // takes its time, so it is begun early; write gets what comes of it
	}
	run, err := b.plan(ctx, p, repo, o)
	if err != nil {
		return work.Run{}, err
	}
	if err := repo.Exclude(ctx, excluded...); err != nil {
		return work.Run{}, err
	}
	if err := b.write(ctx, repo, &run, look); err != nil {
		return work.Run{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return run, b.launchAll(run, repo)
}

// plan reads and checks everything a run depends on. It changes nothing.
func (b *Bench) plan(ctx context.Context, p work.Project, repo git.Repo, o StartOptions) (work.Run, error) {
	s, err := b.state(ctx, p, repo)
	if err != nil {
		return work.Run{}, err
	}
	if o.Timeout > 0 {
		s.Settings.Limits.Total = work.SecondsOf(o.Timeout)
		for i := range s.Settings.Agents {
			s.Settings.Agents[i].Timeout = 0
		}
	}
	cs, err := readCard(repo.Dir, o.Card)
	if err != nil {
		return work.Run{}, err
	}
	run := work.Run{Project: p.ID, Card: cs.Card, StartedAt: b.Now().UTC(), Settings: s.Settings}
	run.Commands = unique(slices.Concat(s.Settings.Acceptance, cs.Card.Commands))
	if run.Base, run.Trunk, err = trunkOf(ctx, repo, s.Settings); err != nil {
		return work.Run{}, err
	}
	if run.Attempts, err = b.choose(run, o); err != nil {
		return work.Run{}, err
	}
	if err := b.enoughDisk(ctx, repo, run); err != nil {
		return work.Run{}, err
	}
	if run.Card.External && s.Settings.Permissions == agent.Everything {
		return run, work.Errorf(work.Untrusted, "card %s is marked external, and permissions: all lets agents do whatever you may do", run.Card.ID).
			Do("Set permissions: inside-workspace for it; or, once you have read the card, take external: true out of its front matter.")
	}
	return run, b.checkTrust(ctx, s, o.Trust)
}

func unique(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// checkTrust refuses what the user has not seen.
func (b *Bench) checkTrust(ctx context.Context, s work.ProjectState, trust bool) error {
	if s.Trusted {
		return nil
	}
	if trust {
		_, err := b.TrustProject(ctx, s.Project.ID)
		return err
	}
	e := work.Errorf(work.Untrusted, "what may run in project %s has changed since you trusted it, or was never trusted", s.Project.ID).
		Do("Read the list; then offrun project trust, or --trust on this command.")
	for _, r := range s.Runnables {
		e.List = append(e.List, r.What+": "+r.Text)
	}
	return e
}

// trunkOf returns the commit that runs start from and the branch it is on.
func trunkOf(ctx context.Context, repo git.Repo, s work.Settings) (commit, branch string, err error) {
	branch = s.Trunk
	if branch == "" {
		if branch, err = repo.Branch(ctx); err != nil {
			return "", "", err
		}
	}
	if branch == "" {
		if branch, err = repo.DefaultBranch(ctx); err != nil {
			return "", "", err
		}
	}
	has, err := repo.HasBranch(ctx, branch)
	if err != nil {
		return "", "", err
	}
	if !has {
		if _, err := repo.Resolve(ctx, "HEAD"); err != nil {
			return "", "", err // unborn: git's own words say what to do
		}
		return "", "", work.Errorf(work.Conflict, "the trunk branch %q does not exist in %s", branch, repo.Dir).
			Do("Set trunk in .offrun/project.yaml to the branch that results shall land on.")
	}
	commit, err = repo.Resolve(ctx, "refs/heads/"+branch)
	return commit, branch, err
}

// trunkWarnings says what a person should know of the base before judging
// results: it never blocks a run. now is what the repository looks like.
func trunkWarnings(ctx context.Context, repo git.Repo, trunk string, now git.Fingerprint) ([]string, error) {
	var ws []string
	if n := len(now.Files); n > 0 {
		dirty := slices.Sorted(maps.Keys(now.Files))
		ws = append(ws, fmt.Sprintf("%s not part of the base: %s",
			english.Plural(n, "uncommitted file of the main checkout is", "uncommitted files of the main checkout are"), few(dirty, 3)))
	}
	ahead, behind, name, err := repo.Upstream(ctx, trunk)
	if err != nil {
		return nil, err
	}
	if name != "" && behind > 0 {
		ws = append(ws, fmt.Sprintf("%s is %s behind %s (and %d ahead), as of the last fetch", trunk, english.Plural(behind, "commit", ""), name, ahead))
	}
	return ws, nil
}

func few(list []string, n int) string {
	text := strings.Join(shown(list[:min(n, len(list))]), ", ")
	if len(list) > n {
		text += " …"
	}
	return text
}

// shown quotes the names that hold anything but what can be printed.
func shown(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		if all[i] = name; strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
			all[i] = strconv.Quote(name)
		}
	}
	return all
}

// choose names the attempts and makes sure that every agent can be started.
func (b *Bench) choose(run work.Run, o StartOptions) ([]work.Attempt, error) {
	names := o.Agents
	if len(names) == 0 {
		for _, id := range run.Settings.Select {
			names = append(names, string(id))
		}
	}
	if len(names) == 0 {
		return nil, work.Errorf(work.Invalid, "no agent is chosen").
			Do("Name some: --agents claude,codex; or set select: in .offrun/project.yaml.")
	}
	var as []work.Attempt
	times := map[work.AgentID]int{}
	for _, name := range names {
		id, model, _ := strings.Cut(name, ":")
		ag, err := b.agentOf(run, work.AgentID(id))
		if err != nil {
			return nil, err
		}
		if _, _, err := b.programs.find(ag); err != nil {
			return nil, err
		}
		if model == "" {
			model = o.Model
		}
		times[ag.ID]++
		as = append(as, work.Attempt{Name: attemptName(ag.ID, times[ag.ID]), Agent: ag.ID, Model: model, Simulated: ag.Simulated})
	}
	return as, nil
}

func attemptName(id work.AgentID, n int) work.AttemptName {
	if n == 1 {
		return work.AttemptName(id)
	}
	return work.AttemptName(fmt.Sprintf("%s-%d", id, n))
}

// spare is the disk space that a run leaves free for everything else.
const spare = 200 << 20

func (b *Bench) enoughDisk(ctx context.Context, repo git.Repo, run work.Run) error {
	_, size, err := repo.TreeSize(ctx, run.Base)
	if err != nil {
		return err
	}
	free, err := proc.Free(repo.Dir)
	if err != nil {
		return err
	}
	if need := uint64(size)*uint64(len(run.Attempts)) + spare; free < need {
		return work.Errorf(work.Unavailable, "%d worktrees need about %d MB on the disk of %s, and %d MB are free", len(run.Attempts), need>>20, repo.Dir, free>>20).
			Do("Free some space (offrun clean --all-finished removes old worktrees), or start fewer agents.")
	}
	return nil
}

// write gives the run its id and puts everything about it on disk. run.json
// comes last: a folder without it is a start that never happened. look tells what
// the repository looks like.
func (b *Bench) write(ctx context.Context, repo git.Repo, run *work.Run, look func() (git.Fingerprint, error)) error {
	dir, err := b.claim(ctx, repo.Dir, run)
	if err != nil {
		return err
	}
	err = func() error {
		for i := range run.Attempts {
			a := &run.Attempts[i]
			b.name(repo, *run, a)
			if err := archive.PutAttempt(repo.Dir, *a); err != nil {
				return err
			}
		}
		if err := renameio.WriteFile(filepath.Join(dir, "card.md"), []byte(run.Card.Text), 0o644); err != nil {
			return err
		}
		now, err := look()
		if err != nil {
			return err
		}
		if err := keep(ctx, repo, run.ID, now); err != nil {
			return err
		}
		if run.Warnings, err = trunkWarnings(ctx, repo, run.Trunk, now); err != nil {
			return err
		}
		run.Warnings = append(run.Warnings, b.watchSettings(*run)...)
		return archive.PutRun(repo.Dir, *run)
	}()
	if err != nil {
		return errors.Join(fmt.Errorf("write run: %w", err), os.RemoveAll(dir)) // ours since claim made it, and nothing has run
	}
	return b.index(ctx, *run)
}

// name fills in what an attempt is called in git and where it lies.
func (b *Bench) name(repo git.Repo, run work.Run, a *work.Attempt) {
	stem := string(run.Card.ID) + "-" + string(a.Name) + "-" + string(run.ID)
	a.Run, a.QueuedAt = run.ID, b.Now().UTC()
	a.Dir = filepath.Join(repo.Dir, ".worktrees", stem)
	a.Branch = "run/" + stem
	a.Turns = []work.Turn{{N: 1, QueuedAt: a.QueuedAt}}
}

// photograph keeps what the shared part of the repository looks like.
func photograph(ctx context.Context, repo git.Repo, run work.RunID) error {
	now, err := repo.Fingerprint(ctx)
	if err != nil {
		return err
	}
	return keep(ctx, repo, run, now)
}

func keep(ctx context.Context, repo git.Repo, run work.RunID, now git.Fingerprint) error {
	if err := repo.SaveShared(ctx, archive.Shared(repo.Dir, run)); err != nil {
		return err
	}
	return archive.Put(archive.Before(repo.Dir, run), now)
}

// claim makes the run's folder, exclusively, and thereby its id.
func (b *Bench) claim(ctx context.Context, root string, run *work.Run) (string, error) {
	stamp := b.Now().Local().Format("20060102-150405")
	if err := os.MkdirAll(filepath.Join(root, "runs"), 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		run.ID = work.RunID(stamp)
		if n > 1 {
			run.ID += work.RunID(fmt.Sprintf("-%d", n))
		}
		if _, err := b.db.Run(ctx, "", run.ID); work.CodeOf(err) != work.NotFound {
			if err != nil {
				return "", err
			}
			continue // another project has started one in this very second
		}
		dir := archive.Run(root, run.ID)
		err := os.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return dir, err
	}
}

// index stores a run and its attempts in the database.
func (b *Bench) index(ctx context.Context, run work.Run) error {
	if err := b.feed.PutRun(ctx, run); err != nil {
		return err
	}
	for _, a := range run.Attempts {
		if err := b.feed.PutAttempt(ctx, run.Project, a); err != nil {
			return err
		}
	}
	b.tell(ctx, work.Event{Kind: work.RunStarted, Project: run.Project, Run: run.ID, Text: run.Card.Title})
	return nil
}

// launchAll begins to work on every attempt that is not final, and on the
// baseline. The caller holds b.mu.
func (b *Bench) launchAll(run work.Run, repo git.Repo) error {
	var jobs []*job
	for _, a := range run.Attempts {
		if b.jobs[jobKey{run.ID, a.Name}] != nil || !a.Unfinished() {
			continue
		}
		j, err := b.launch(run, repo, a)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	if run.Baseline == nil {
		b.wg.Go(func() { b.baseline(b.ctx, run, repo, jobs) })
	}
	return nil
}
