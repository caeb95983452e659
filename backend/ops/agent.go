package ops

import (
	"context"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// AgentList tells of all agents.
var AgentList = Op[AgentQuery, []work.AgentInfo]{
	Row{"agent.list", "GET", "/v1/agents", "List the agents: where they are, their versions and logins, what they do not enforce.", "agents list", false},
	func(ctx context.Context, b *bench.Bench, in AgentQuery) ([]work.AgentInfo, error) {
		return b.Agents(ctx, in.Project)
	},
}

// AgentQuery says whose agents.
type AgentQuery struct {
	Project work.ProjectID `query:"project" json:"project,omitempty" doc:"with the agents and settings of this project"`
}

// AgentShow tells of one agent.
var AgentShow = Op[AgentRef, work.AgentInfo]{
	Row{"agent.show", "GET", "/v1/agents/{agent}", "Show an agent: what a run would start, and what it can do.", "agents show", false},
	func(ctx context.Context, b *bench.Bench, in AgentRef) (work.AgentInfo, error) {
		return b.Agent(ctx, in.Project, in.Agent)
	},
}

// AgentRef names an agent.
type AgentRef struct {
	AgentQuery
	Agent work.AgentID `path:"agent" json:"agent" doc:"id of the agent"`
}

// AgentCheck looks at agents as doctor does.
var AgentCheck = Op[CheckAgents, []work.Finding]{
	Row{"agent.check", "POST", "/v1/agents/check", "Check that agents are there, which version, and whether they are logged in.", "agents check", false},
	func(ctx context.Context, b *bench.Bench, in CheckAgents) ([]work.Finding, error) {
		return b.CheckAgents(ctx, in.Body.Project, bench.DoctorOptions{Agents: in.Body.Agents, Smoke: in.Body.Smoke})
	},
}

// CheckAgents says what to look at.
type CheckAgents struct {
	Body struct {
		Project work.ProjectID `json:"project,omitempty" doc:"with the agents and settings of this project"`
		Agents  []string       `json:"agents,omitempty" doc:"agents to check; none means all that are installed"`
		Smoke   bool           `json:"smoke,omitempty" doc:"let each agent answer one trivial read-only prompt"`
	}
}

// AgentAdd describes an agent of the user's own.
var AgentAdd = Op[AddAgent, work.AgentInfo]{
	Row{"agent.add", "POST", "/v1/agents", "Add an agent of your own to config.yaml, where every project can name it.", "agents add", false},
	func(ctx context.Context, b *bench.Bench, in AddAgent) (work.AgentInfo, error) {
		return b.AddAgent(ctx, in.Body.File, in.Body.Text)
	},
}

// AddAgent is a description.
type AddAgent struct {
	Body struct {
		File string `json:"file" doc:"what messages call the description"`
		Text string `json:"text" doc:"YAML, as it would stand below agents: in a project's settings"`
	}
}
