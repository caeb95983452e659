package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/card"
	"offrun/backend/config"
	"offrun/backend/git"
	"offrun/backend/project"
	"offrun/backend/work"
)

// Projects lists the projects, or only the one that the folder path belongs to:
// its main checkout or any worktree of it.
func (b *Bench) Projects(ctx context.Context, path string) ([]work.Project, error) {
	ps, err := b.db.Projects(ctx)
	if err != nil || path == "" {
		return notNil(ps), err
	}
	repo, err := git.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return notNil(slices.DeleteFunc(ps, func(p work.Project) bool { return p.GitDir != repo.GitDir })), nil
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// project finds a project and opens its repository.
func (b *Bench) project(ctx context.Context, id work.ProjectID) (work.Project, git.Repo, error) {
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return work.Project{}, git.Repo{}, err
	}
	i := slices.IndexFunc(ps, func(p work.Project) bool { return p.ID == id })
	if i < 0 {
		return work.Project{}, git.Repo{}, work.Errorf(work.NotFound, "there is no project %q", id).
			Do("offrun project list names them; offrun project add PATH opens one.")
	}
	repo, err := git.Open(ctx, ps[i].Path)
	return ps[i], repo, err
}

// InitProject writes the settings file and the card template, where they are
// missing, and adds the project.
func (b *Bench) InitProject(ctx context.Context, path string, trust bool) (work.ProjectState, error) {
	repo, err := git.Open(ctx, path)
	if err != nil {
		return work.ProjectState{}, err
	}
	created, err := project.Init(repo.Dir)
	if err != nil {
		return work.ProjectState{}, err
	}
	s, err := b.AddProject(ctx, path, trust)
	s.Created = created
	return s, err
}

// AddProject opens the repository that path lies in as a project; one that is
// open already stays as it is. Nothing of it may run before it is trusted; a
// repository in which nothing can run needs no trust.
func (b *Bench) AddProject(ctx context.Context, path string, trust bool) (work.ProjectState, error) {
	repo, err := git.Open(ctx, path)
	if err != nil {
		return work.ProjectState{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return work.ProjectState{}, err
	}
	p := work.Project{Path: repo.Dir, GitDir: repo.GitDir, AddedAt: b.Now().UTC()}
	if i := slices.IndexFunc(ps, func(p work.Project) bool { return p.GitDir == repo.GitDir }); i >= 0 {
		p = ps[i]
	} else {
		p.ID = freshID(ps, filepath.Base(repo.Dir))
	}
	s, err := b.state(ctx, p, repo)
	if err != nil {
		return s, err
	}
	if trust || p.Trust == "" && len(s.Runnables) == 0 {
		if s.Project.Trust, _, err = b.runnables(ctx, repo, s.Settings); err != nil {
			return s, err
		}
		s.Trusted = true
	}
	return s, b.putProject(ctx, s.Project)
}

// freshID returns the slug of name, with a number if it is taken.
func freshID(ps []work.Project, name string) work.ProjectID {
	slug := work.ProjectID(card.Slug(name))
	id := slug
	for n := 2; slices.ContainsFunc(ps, func(p work.Project) bool { return p.ID == id }); n++ {
		id = slug + work.ProjectID(fmt.Sprintf("-%d", n))
	}
	return id
}

// state reads what a project's repository says now.
func (b *Bench) state(ctx context.Context, p work.Project, repo git.Repo) (work.ProjectState, error) {
	s := work.ProjectState{Project: p}
	var err error
	if s.Settings, err = project.Load(repo.Dir, b.agentIDs()...); err != nil {
		return s, err
	}
	b.learn(s.Settings.Agents)
	hash, list, err := b.runnables(ctx, repo, s.Settings)
	s.Runnables, s.Trusted = list, hash == p.Trust
	return s, err
}

// runnables lists what can run in a project, with the hash that trusting it
// stores. The commit that agents start from counts: its agent configuration does.
func (b *Bench) runnables(ctx context.Context, repo git.Repo, s work.Settings) (string, []work.Runnable, error) {
	commit, _, err := trunkOf(ctx, repo, s)
	if err != nil {
		commit = "" // an unborn trunk holds no files; starting a run says so
	}
	return project.Trust(ctx, repo, s, commit)
}

// ProjectState shows a project.
func (b *Bench) ProjectState(ctx context.Context, id work.ProjectID) (work.ProjectState, error) {
	p, repo, err := b.project(ctx, id)
	if err != nil {
		return work.ProjectState{}, err
	}
	return b.state(ctx, p, repo)
}

// TrustProject trusts what may run in a project as it stands.
func (b *Bench) TrustProject(ctx context.Context, id work.ProjectID) (work.ProjectState, error) {
	p, repo, err := b.project(ctx, id)
	if err != nil {
		return work.ProjectState{}, err
	}
	s, err := b.state(ctx, p, repo)
	if err != nil {
		return s, err
	}
	if s.Project.Trust, _, err = b.runnables(ctx, repo, s.Settings); err != nil {
		return s, err
	}
	s.Trusted = true
	return s, b.putProject(ctx, s.Project)
}

// putProject stores p in the database and in projects.yaml, from which the
// database can be rebuilt.
func (b *Bench) putProject(ctx context.Context, p work.Project) error {
	if err := b.db.PutProject(ctx, p); err != nil {
		return err
	}
	b.tell(ctx, work.Event{Kind: work.ProjectChanged, Project: p.ID})
	return b.writeProjects(ctx)
}

func (b *Bench) writeProjects(ctx context.Context) error {
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return err
	}
	return config.PutProjects(b.Home, ps)
}

// RemoveProject forgets a project. Its files, runs and worktrees stay.
func (b *Bench) RemoveProject(ctx context.Context, id work.ProjectID) error {
	if _, _, err := b.project(ctx, id); work.CodeOf(err) == work.NotFound {
		return err // a repository that is gone can be forgotten too
	}
	b.mu.Lock()
	busy := 0
	for _, j := range b.jobs {
		if j.run.Project == id {
			busy++
		}
	}
	b.mu.Unlock()
	if busy > 0 {
		return work.Errorf(work.Busy, "%s at work in project %s", english.Plural(busy, "attempt is", "attempts are"), id).
			Do("Wait for them, or cancel their runs: offrun ps, offrun cancel RUN.")
	}
	if err := b.db.DeleteProject(ctx, id); err != nil {
		return err
	}
	b.tell(ctx, work.Event{Kind: work.ProjectChanged, Project: id})
	return b.writeProjects(ctx)
}

// NewCard writes a card from the project's template.
func (b *Bench) NewCard(ctx context.Context, id work.ProjectID, title, kind string) (work.CardState, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return work.CardState{}, err
	}
	file, err := card.New(repo.Dir, title, kind)
	if err != nil {
		return work.CardState{}, err
	}
	return readCard(repo.Dir, file)
}

// Cards lists a project's cards with the doubts about each. A file that cannot
// be read as a card is listed with the reason.
func (b *Bench) Cards(ctx context.Context, id work.ProjectID) ([]work.CardState, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return nil, err
	}
	cards, errs := card.List(repo.Dir)
	states := []work.CardState{}
	for _, c := range cards {
		warnings := card.Check(c, repo.Dir)
		c.Text = "" // a list needs no whole files
		states = append(states, work.CardState{Card: c, Warnings: warnings})
	}
	for _, err := range errs {
		e := work.Public(err)
		states = append(states, work.CardState{Warnings: []work.CardWarning{{Text: e.Msg, Next: e.Next}}})
	}
	return states, nil
}

// Card shows one card, named by its id or its file.
func (b *Bench) Card(ctx context.Context, id work.ProjectID, name string) (work.CardState, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return work.CardState{}, err
	}
	return readCard(repo.Dir, name)
}

func readCard(root, name string) (work.CardState, error) {
	c, err := card.Load(root, name)
	if err != nil {
		return work.CardState{}, err
	}
	return work.CardState{Card: c, Warnings: card.Check(c, root)}, nil
}
