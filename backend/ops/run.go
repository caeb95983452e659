package ops

import (
	"context"
	"time"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// RunStart dispatches a card to agents.
var RunStart = Op[StartRun, work.Run]{
	Row{"run.start", "POST", "/v1/projects/{project}/runs", "Let several agents try a card at once.", "run", false},
	func(ctx context.Context, b *bench.Bench, in StartRun) (work.Run, error) {
		return b.Start(ctx, in.Project, bench.StartOptions{
			Card: in.Body.Task, Agents: in.Body.Agents, Model: in.Body.Model,
			Timeout: in.Body.Timeout.Duration(), Trust: in.Body.Trust,
		})
	},
}

// StartRun says what to start.
type StartRun struct {
	ProjectRef
	Body struct {
		Task    string       `json:"task" doc:"card id, or the path of its file"`
		Agents  []string     `json:"agents,omitempty" doc:"agent, or agent:model; the same one may stand several times; none means the project's selection"`
		Model   string       `json:"model,omitempty" doc:"model for agents that name none"`
		Timeout work.Seconds `json:"timeout,omitempty" doc:"time limit of each attempt in seconds; 0 is the project's"`
		Trust   bool         `json:"trust,omitempty" doc:"trust what may run in the project as it stands"`
	}
}

// RunList lists runs, newest first.
var RunList = Op[RunQuery, []work.RunSummary]{
	Row{"run.list", "GET", "/v1/runs", "List runs, newest first.", "ps", true},
	func(ctx context.Context, b *bench.Bench, in RunQuery) ([]work.RunSummary, error) {
		return b.Runs(ctx, bench.RunFilter{Project: in.Project, Active: in.Active, Limit: in.Limit})
	},
}

// RunQuery filters runs.
type RunQuery struct {
	Project work.ProjectID `query:"project" json:"project,omitempty" doc:"only this project's"`
	Active  bool           `query:"active" json:"active,omitempty" doc:"only runs that still work"`
	Limit   int            `query:"limit" json:"limit,omitempty" minimum:"0" doc:"at most so many; 0 is all"`
}

// RunShow shows a run and its attempts.
var RunShow = Op[RunRef, work.Run]{
	Row{"run.show", "GET", "/v1/runs/{run}", "Show a run and its attempts.", "show", true},
	func(ctx context.Context, b *bench.Bench, in RunRef) (work.Run, error) { return b.Run(ctx, in.Run) },
}

// RunCancel cancels attempts of a run.
var RunCancel = Op[CancelRun, work.Run]{
	Row{"run.cancel", "POST", "/v1/runs/{run}/cancel", "Cancel a run, or some of its attempts; what they did is kept.", "cancel", false},
	func(ctx context.Context, b *bench.Bench, in CancelRun) (work.Run, error) {
		return b.Cancel(ctx, in.Run, in.Body.Attempts)
	},
}

// CancelRun says what to cancel.
type CancelRun struct {
	RunRef
	Body struct {
		Attempts []work.AttemptName `json:"attempts,omitempty" doc:"none means all"`
	}
}

// RunRepair puts the shared git configuration back.
var RunRepair = Op[RunRef, work.Run]{
	Row{"run.repair", "POST", "/v1/runs/{run}/repair", "Put the shared git configuration back as it was when the run started, and go on collecting.", "repair", false},
	func(ctx context.Context, b *bench.Bench, in RunRef) (work.Run, error) { return b.Repair(ctx, in.Run) },
}

// RunCompare puts the attempts of a run side by side.
var RunCompare = Op[RunRef, work.Comparison]{
	Row{"run.compare", "GET", "/v1/runs/{run}/comparison", "Put the attempts of a run side by side, best first.", "compare", true},
	func(ctx context.Context, b *bench.Bench, in RunRef) (work.Comparison, error) {
		return b.Compare(ctx, in.Run)
	},
}

// RunClean removes worktrees and branches; the work stays under an archive ref.
var RunClean = Op[CleanRuns, []work.Cleaning]{
	Row{"run.clean", "POST", "/v1/clean", "Remove worktrees and branches of finished attempts; their work stays under an archive ref.", "clean", false},
	func(ctx context.Context, b *bench.Bench, in CleanRuns) ([]work.Cleaning, error) {
		return b.Clean(ctx, bench.CleanOptions{Run: in.Body.Run, Project: in.Body.Project, DryRun: in.Body.DryRun, Accept: in.Body.Accept})
	},
}

// CleanRuns says what to clean: one run, or all finished ones of a project.
type CleanRuns struct {
	Body struct {
		Run     work.RunID     `json:"run,omitempty"`
		Project work.ProjectID `json:"project,omitempty" doc:"instead of run: every finished run of this project"`
		DryRun  bool           `json:"dry_run,omitempty"`
		Accept  []string       `json:"accept,omitempty" doc:"repositories inside of worktrees that may go too, as a refusal named them"`
	}
}

// EventList reads the feed.
var EventList = Op[EventQuery, work.EventPage]{
	Row{"event.list", "GET", "/v1/events", "Read the feed behind a number, waiting for something to happen if nothing has.", "attach", false},
	func(ctx context.Context, b *bench.Bench, in EventQuery) (work.EventPage, error) {
		return b.Events(ctx, in.After, time.Duration(in.WaitSeconds)*time.Second, in.Limit)
	},
}

// EventQuery says where to read on.
type EventQuery struct {
	After       int64 `query:"after" json:"after,omitempty" doc:"number of the last event known; -1 asks only for the newest number"`
	WaitSeconds int   `query:"wait_seconds" json:"wait_seconds,omitempty" minimum:"0" maximum:"60" doc:"how long to wait when there is none"`
	Limit       int   `query:"limit" json:"limit,omitempty" minimum:"0" maximum:"10000" doc:"at most so many; 0 is 1000"`
}
