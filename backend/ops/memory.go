package ops

import (
	"context"
	"strings"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// MemoryShow shows what a project knows.
var MemoryShow = Op[MemoryQuery, work.Memory]{
	Row{"memory.show", "GET", "/v1/projects/{project}/memory", "Show what a project knows: its conventions, and agents' notes.", "memory show", false},
	func(ctx context.Context, b *bench.Bench, in MemoryQuery) (work.Memory, error) {
		return b.Memory(ctx, in.Project, in.Agent, in.Card)
	},
}

// MemoryQuery says whose notes, and for which card.
type MemoryQuery struct {
	ProjectRef
	Agent work.AgentID `query:"agent" json:"agent,omitempty" doc:"only this agent's notes"`
	Card  string       `query:"card" json:"card,omitempty" doc:"card id or file: also the brief that the agent would get for it"`
}

// MemoryEdit writes a file of a memory anew.
var MemoryEdit = Op[EditMemory, work.MemoryFile]{
	Row{"memory.edit", "PUT", "/v1/projects/{project}/memory", "Edit the conventions, or notes of an agent; what agents add meanwhile stays.", "memory edit", false},
	func(ctx context.Context, b *bench.Bench, in EditMemory) (work.MemoryFile, error) {
		return b.EditNote(ctx, in.Project, in.Body.Agent, in.Body.File, in.Body.Before, in.Body.After)
	},
}

// EditMemory is an edit of one file.
type EditMemory struct {
	ProjectRef
	Body struct {
		MemoryAt
		Before string `json:"before,omitempty" doc:"the text that was edited"`
		After  string `json:"after,omitempty" doc:"what became of it"`
	}
}

// MemoryAt names a file of a memory.
type MemoryAt struct {
	Agent work.AgentID `json:"agent,omitempty" doc:"whose notes; none means the conventions"`
	File  string       `json:"file,omitempty" doc:"goals, plan or dead-ends, which it is if none is named"`
}

// MemoryAdd adds a line.
var MemoryAdd = Op[AddToMemory, work.MemoryFile]{
	Row{"memory.add", "POST", "/v1/projects/{project}/memory", "Add a line to the conventions, or to notes of an agent.", "memory add", false},
	func(ctx context.Context, b *bench.Bench, in AddToMemory) (work.MemoryFile, error) {
		return b.AddNote(ctx, in.Project, in.Body.Agent, in.Body.File, in.Body.Text)
	},
}

// AddToMemory is a new line.
type AddToMemory struct {
	ProjectRef
	Body struct {
		MemoryAt
		Text string `json:"text" maxLength:"8000"`
	}
}

// MemorySearch finds lines.
var MemorySearch = Op[SearchMemory, []work.MemoryHit]{
	Row{"memory.search", "GET", "/v1/projects/{project}/memory/search", "Find the lines of a project's memory that hold all of some words.", "memory search", false},
	func(ctx context.Context, b *bench.Bench, in SearchMemory) ([]work.MemoryHit, error) {
		return b.SearchMemory(ctx, in.Project, strings.Fields(in.Words))
	},
}

// SearchMemory says what to look for.
type SearchMemory struct {
	ProjectRef
	Words string `query:"words" json:"words" required:"true" doc:"words, with spaces between them"`
}
