package ops

import (
	"context"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// AttemptRetry starts a fresh attempt like an earlier one.
var AttemptRetry = Op[AttemptRef, work.Attempt]{
	Row{"attempt.retry", "POST", "/v1/runs/{run}/attempts/{attempt}/retry", "Let the same agent try again in a fresh worktree from the same base.", "retry", false},
	func(ctx context.Context, b *bench.Bench, in AttemptRef) (work.Attempt, error) {
		return b.Retry(ctx, in.Run, in.Attempt)
	},
}

// AttemptSend sends a follow-up message.
var AttemptSend = Op[SendMessage, work.Attempt]{
	Row{"attempt.send", "POST", "/v1/runs/{run}/attempts/{attempt}/messages", "Send an attempt another message; its own session goes on where the agent has one.", "send", false},
	func(ctx context.Context, b *bench.Bench, in SendMessage) (work.Attempt, error) {
		return b.Send(ctx, in.Run, in.Attempt, in.Body.Message)
	},
}

// SendMessage is a message for an attempt.
type SendMessage struct {
	AttemptRef
	Body struct {
		Message string `json:"message" minLength:"1" maxLength:"200000"`
	}
}

// AttemptAnswer answers a question of the agent's.
var AttemptAnswer = Op[AnswerQuestion, work.Attempt]{
	Row{"attempt.answer", "POST", "/v1/runs/{run}/attempts/{attempt}/answer", "Answer what an attempt's agent asks while it works.", "answer", false},
	func(ctx context.Context, b *bench.Bench, in AnswerQuestion) (work.Attempt, error) {
		return b.Answer(ctx, in.Run, in.Attempt, in.Body.Answer)
	},
}

// AnswerQuestion is an answer for an attempt.
type AnswerQuestion struct {
	AttemptRef
	Body struct {
		Answer string `json:"answer" minLength:"1" maxLength:"1000" doc:"allow, deny, or an option of the question by its id or name"`
	}
}

// AttemptLog reads raw output.
var AttemptLog = Op[LogQuery, work.LogPage]{
	Row{"attempt.log", "GET", "/v1/runs/{run}/attempts/{attempt}/log", "Read a piece of an attempt's output.", "logs", true},
	func(ctx context.Context, b *bench.Bench, in LogQuery) (work.LogPage, error) {
		return b.ReadLog(ctx, in.Run, in.Attempt, bench.LogQuery{File: in.File, Turn: in.Turn, From: in.From})
	},
}

// LogQuery says which output, and from where.
type LogQuery struct {
	AttemptRef
	File string `query:"file" json:"file,omitempty" enum:"conversation,out,err,setup,tests" default:"conversation" doc:"conversation, or one of the raw outputs"`
	Turn int    `query:"turn" json:"turn,omitempty" minimum:"0" doc:"0 is the newest"`
	From int64  `query:"from" json:"from,omitempty" minimum:"0" doc:"byte offset"`
}

// AttemptArtifacts lists the files an attempt handed in.
var AttemptArtifacts = Op[AttemptRef, []work.Artifact]{
	Row{"attempt.artifacts", "GET", "/v1/runs/{run}/attempts/{attempt}/artifacts", "List the files an attempt handed in.", "artifacts", true},
	func(ctx context.Context, b *bench.Bench, in AttemptRef) ([]work.Artifact, error) {
		return b.Artifacts(ctx, in.Run, in.Attempt)
	},
}

// AttemptLand squashes a result onto trunk.
var AttemptLand = Op[LandAttempt, work.Landing]{
	Row{"attempt.land", "POST", "/v1/runs/{run}/attempts/{attempt}/land", "Squash an attempt's result onto trunk as one commit of yours.", "land", false},
	func(ctx context.Context, b *bench.Bench, in LandAttempt) (work.Landing, error) {
		return b.Land(ctx, in.Run, in.Attempt, bench.LandOptions{Message: in.Body.Message, DryRun: in.Body.DryRun, Strayed: in.Body.Strayed})
	},
}

// LandAttempt says how to land.
type LandAttempt struct {
	AttemptRef
	Body struct {
		Message string `json:"message,omitempty" doc:"commit message; none means one made from the card"`
		DryRun  bool   `json:"dry_run,omitempty" doc:"only say what would happen"`
		Strayed bool   `json:"strayed,omitempty" doc:"land although the agent left its branch: you have looked at the diff"`
	}
}

// LandingUndo takes back the newest landing.
var LandingUndo = Op[ProjectRef, work.Landing]{
	Row{"landing.undo", "POST", "/v1/projects/{project}/undo", "Take back the newest landing of a project.", "undo", false},
	func(ctx context.Context, b *bench.Bench, in ProjectRef) (work.Landing, error) {
		return b.Undo(ctx, in.Project)
	},
}

// BenchShow describes the running bench.
var BenchShow = Op[None, work.BenchState]{
	Row{"bench.show", "GET", "/v1/bench", "Describe the running bench.", "serve status", false},
	func(_ context.Context, b *bench.Bench, _ None) (work.BenchState, error) { return b.State(), nil },
}

// BenchStop ends the bench; attempts go on by themselves.
var BenchStop = Op[None, None]{
	Row{"bench.stop", "POST", "/v1/bench/stop", "End the bench; agents go on and are picked up by the next one.", "serve stop", false},
	func(_ context.Context, b *bench.Bench, _ None) (None, error) { b.Stop(); return None{}, nil },
}

// BenchReindex rebuilds the database from the files.
var BenchReindex = Op[None, work.Reindexed]{
	Row{"bench.reindex", "POST", "/v1/bench/reindex", "Rebuild the database from the files of all projects.", "reindex", false},
	func(ctx context.Context, b *bench.Bench, _ None) (work.Reindexed, error) { return b.Reindex(ctx) },
}
