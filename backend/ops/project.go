package ops

import (
	"context"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// ProjectInit writes a project's settings file and card template.
var ProjectInit = Op[ProjectAt, work.ProjectState]{
	Row{"project.init", "POST", "/v1/projects/init", "Write .offrun/project.yaml and tasks/_template.md into a repository and add it.", "init", false},
	func(ctx context.Context, b *bench.Bench, in ProjectAt) (work.ProjectState, error) {
		return b.InitProject(ctx, in.Body.Path, in.Body.Trust)
	},
}

// ProjectAdd opens a repository as a project.
var ProjectAdd = Op[ProjectAt, work.ProjectState]{
	Row{"project.add", "POST", "/v1/projects", "Open a git repository as a project.", "project add", false},
	func(ctx context.Context, b *bench.Bench, in ProjectAt) (work.ProjectState, error) {
		return b.AddProject(ctx, in.Body.Path, in.Body.Trust)
	},
}

// ProjectAt is a folder of a repository.
type ProjectAt struct {
	Body struct {
		Path  string `json:"path" doc:"absolute path of any folder in the repository"`
		Trust bool   `json:"trust,omitempty" doc:"trust everything that may run there"`
	}
}

// ProjectList lists the projects.
var ProjectList = Op[ProjectQuery, []work.Project]{
	Row{"project.list", "GET", "/v1/projects", "List the projects, or find the one that holds a folder.", "project list", true},
	func(ctx context.Context, b *bench.Bench, in ProjectQuery) ([]work.Project, error) {
		return b.Projects(ctx, in.Path)
	},
}

// ProjectQuery filters projects.
type ProjectQuery struct {
	Path string `query:"path" json:"path,omitempty" doc:"only the project that this folder belongs to"`
}

// ProjectShow shows a project and its settings.
var ProjectShow = Op[ProjectRef, work.ProjectState]{
	Row{"project.show", "GET", "/v1/projects/{project}", "Show a project, its settings and what may run there.", "project show", false},
	func(ctx context.Context, b *bench.Bench, in ProjectRef) (work.ProjectState, error) {
		return b.ProjectState(ctx, in.Project)
	},
}

// ProjectTrust trusts what may run in a project now.
var ProjectTrust = Op[ProjectRef, work.ProjectState]{
	Row{"project.trust", "POST", "/v1/projects/{project}/trust", "Trust everything that may run in a project as it stands.", "project trust", false},
	func(ctx context.Context, b *bench.Bench, in ProjectRef) (work.ProjectState, error) {
		return b.TrustProject(ctx, in.Project)
	},
}

// ProjectRemove forgets a project.
var ProjectRemove = Op[ProjectRef, None]{
	Row{"project.remove", "DELETE", "/v1/projects/{project}", "Forget a project; no file is deleted.", "project remove", false},
	func(ctx context.Context, b *bench.Bench, in ProjectRef) (None, error) {
		return None{}, b.RemoveProject(ctx, in.Project)
	},
}

// ProjectDoctor runs preflight and verifies archived runs.
var ProjectDoctor = Op[Doctor, []work.Finding]{
	Row{"project.doctor", "POST", "/v1/projects/{project}/doctor", "Check everything a run needs, and that archived runs are whole.", "doctor", false},
	func(ctx context.Context, b *bench.Bench, in Doctor) ([]work.Finding, error) {
		return b.Doctor(ctx, in.Project, bench.DoctorOptions{Agents: in.Body.Agents, Smoke: in.Body.Smoke})
	},
}

// Doctor says what to look at.
type Doctor struct {
	ProjectRef
	Body struct {
		Agents []string `json:"agents,omitempty" doc:"agents to check; none means the project's selection"`
		Smoke  bool     `json:"smoke,omitempty" doc:"let each agent answer one trivial read-only prompt"`
	}
}

// CardNew writes a new card from the template.
var CardNew = Op[NewCard, work.CardState]{
	Row{"card.new", "POST", "/v1/projects/{project}/cards", "Write a new task card from the template.", "card new", false},
	func(ctx context.Context, b *bench.Bench, in NewCard) (work.CardState, error) {
		return b.NewCard(ctx, in.Project, in.Body.Title, in.Body.Kind)
	},
}

// NewCard is a card to be written.
type NewCard struct {
	ProjectRef
	Body struct {
		Title string `json:"title" doc:"title of the card; its file name comes from it"`
		Kind  string `json:"kind,omitempty" doc:"bug, tests, docs, refactor or feature"`
	}
}

// CardList lists a project's cards.
var CardList = Op[ProjectRef, []work.CardState]{
	Row{"card.list", "GET", "/v1/projects/{project}/cards", "List the task cards of a project.", "card list", false},
	func(ctx context.Context, b *bench.Bench, in ProjectRef) ([]work.CardState, error) {
		return b.Cards(ctx, in.Project)
	},
}

// CardShow shows one card and the doubts about it.
var CardShow = Op[CardRef, work.CardState]{
	Row{"card.show", "GET", "/v1/projects/{project}/card", "Show a card as it was understood, and the doubts about it.", "card show", false},
	func(ctx context.Context, b *bench.Bench, in CardRef) (work.CardState, error) {
		return b.Card(ctx, in.Project, in.Card)
	},
}

// CardRef names a card by its id or its file.
type CardRef struct {
	ProjectRef
	Card string `query:"card" json:"card" required:"true" doc:"card id, or the path of its file"`
}
