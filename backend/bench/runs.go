package bench

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/compare"
	"offrun/backend/git"
	"offrun/backend/store"
	"offrun/backend/work"
)

// RunFilter chooses runs; its zero value is all of them.
type RunFilter struct {
	Project work.ProjectID
	Active  bool
	Limit   int // 0 is all
}

// Runs lists runs, newest first.
func (b *Bench) Runs(ctx context.Context, f RunFilter) ([]work.RunSummary, error) {
	if f.Limit == 0 {
		f.Limit = -1
	}
	return b.db.Runs(ctx, store.Filter{Project: f.Project, Active: f.Active, Limit: f.Limit})
}

// Run shows a run. id may be the whole id, an end of it that fits one run only,
// or "last".
func (b *Bench) Run(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, err
	}
	for _, j := range b.working(run.ID) {
		j.mu.Lock()
		if a := run.Attempt(j.a.Name); a != nil {
			live := j.live
			if t := a.Turn(); t != nil && t.StartedAt != nil && t.Agent == nil {
				live.Took = work.SecondsOf(b.Now().Sub(*t.StartedAt))
			} else if a.PreparingAt != nil {
				live.Took = work.SecondsOf(b.Now().Sub(*a.PreparingAt))
			}
			a.Live = &live
		}
		j.mu.Unlock()
	}
	return run, nil
}

// findRun reads a run that is named as in Run, and learns its secrets.
func (b *Bench) findRun(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.lookUp(ctx, id)
	b.learn(run.Settings.Agents)
	return run, err
}

func (b *Bench) lookUp(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.db.Run(ctx, "", id)
	if work.CodeOf(err) != work.NotFound || id == "" {
		return run, err
	}
	all, listErr := b.Runs(ctx, RunFilter{})
	if listErr != nil {
		return run, listErr
	}
	if id == "last" && len(all) > 0 {
		return b.db.Run(ctx, all[0].Project, all[0].ID)
	}
	fits := slices.DeleteFunc(all, func(r work.RunSummary) bool { return !strings.HasSuffix(string(r.ID), string(id)) })
	switch len(fits) {
	case 0:
		return run, err
	case 1:
		return b.db.Run(ctx, fits[0].Project, fits[0].ID)
	}
	e := work.Errorf(work.Conflict, "%q is the end of several runs", id).Do("Give more of the id.")
	for _, r := range fits {
		e.List = append(e.List, string(r.ID)+"  "+r.Title)
	}
	return run, e
}

// find returns a run, one of its attempts, and the repository.
func (b *Bench) find(ctx context.Context, id work.RunID, name work.AttemptName) (work.Run, *work.Attempt, git.Repo, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, nil, git.Repo{}, err
	}
	a := run.Attempt(name)
	if a == nil {
		e := work.Errorf(work.NotFound, "run %s has no attempt %q", run.ID, name)
		names := make([]string, len(run.Attempts))
		for i, a := range run.Attempts {
			names[i] = string(a.Name)
		}
		return run, nil, git.Repo{}, e.Do("It has: " + strings.Join(names, ", "))
	}
	_, repo, err := b.project(ctx, run.Project)
	return run, a, repo, err
}

// root returns where a project's main checkout lies, without asking git.
func (b *Bench) root(ctx context.Context, id work.ProjectID) (string, error) {
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(ps, func(p work.Project) bool { return p.ID == id })
	if i < 0 {
		return "", work.Errorf(work.NotFound, "there is no project %q", id).Do("offrun project list names them.")
	}
	return ps[i].Path, nil
}

// Artifacts lists the files of an attempt's newest turn, with absolute paths.
func (b *Bench) Artifacts(ctx context.Context, id work.RunID, name work.AttemptName) ([]work.Artifact, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.Attempt(name) == nil {
		_, _, _, err := b.find(ctx, id, name)
		return nil, err
	}
	root, err := b.root(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	return artifact.List(archive.Attempt(root, run.ID, name))
}

// Compare puts the attempts of a run side by side.
func (b *Bench) Compare(ctx context.Context, id work.RunID) (work.Comparison, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return work.Comparison{}, err
	}
	_, repo, err := b.project(ctx, run.Project)
	if err != nil {
		return work.Comparison{}, err
	}
	in := compare.In{Run: run, Now: b.Now()}
	for _, a := range run.Attempts {
		dir := archive.Attempt(repo.Dir, run.ID, a.Name)
		patch, err := readIfThere(filepath.Join(dir, artifact.Patch))
		if err != nil {
			return work.Comparison{}, err
		}
		notes, err := readIfThere(filepath.Join(dir, artifact.Notes))
		if err != nil {
			return work.Comparison{}, err
		}
		var heads map[string]string
		if t := a.Turn(); t != nil && t.Result != nil {
			heads = artifact.Heads(ctx, repo, t.Result.Changes)
		}
		in.Patches = append(in.Patches, patch)
		in.Heads = append(in.Heads, heads)
		in.Notes = append(in.Notes, b.Redactor().Text(string(notes)))
	}
	return compare.Compare(in), nil
}

func readIfThere(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}
