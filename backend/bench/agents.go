package bench

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"offrun/backend/agent"
	"offrun/backend/agent/all"
	"offrun/backend/config"
	"offrun/backend/proc"
	"offrun/backend/project"
	"offrun/backend/work"
)

// Agents tells of all agents that a run of the project may name, the built-in ones
// first; without a project, of those that every project may name. Each program is
// asked for its version and its login, side by side.
func (b *Bench) Agents(ctx context.Context, id work.ProjectID) ([]work.AgentInfo, error) {
	agents, s, err := b.agentsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	infos := make([]work.AgentInfo, len(agents))
	var wg sync.WaitGroup
	for i, a := range agents {
		wg.Go(func() { infos[i] = b.agentInfo(ctx, s, a) })
	}
	wg.Wait()
	return infos, ctx.Err()
}

// Agent tells of one agent.
func (b *Bench) Agent(ctx context.Context, id work.ProjectID, name work.AgentID) (work.AgentInfo, error) {
	_, s, err := b.agentsOf(ctx, id)
	if err != nil {
		return work.AgentInfo{}, err
	}
	a, err := b.agentOf(work.Run{Settings: s}, name)
	if err != nil {
		return work.AgentInfo{}, err
	}
	return b.agentInfo(ctx, s, a), nil
}

// agentsOf returns the agents and the settings of a project; of no project if id
// is "".
func (b *Bench) agentsOf(ctx context.Context, id work.ProjectID) ([]agent.Agent, work.Settings, error) {
	s := project.Defaults()
	if id != "" {
		_, repo, err := b.project(ctx, id)
		if err != nil {
			return nil, s, err
		}
		if s, err = project.Load(repo.Dir); err != nil {
			return nil, s, err
		}
	}
	agents, err := b.agents(s)
	return agents, s, err
}

func (b *Bench) agentInfo(ctx context.Context, s work.Settings, a agent.Agent) work.AgentInfo {
	i := work.AgentInfo{
		ID: a.ID, Name: a.Name, Simulated: a.Simulated, Verified: a.Verified,
		Program: a.Program, Login: string(agent.LoginUnknown),
		Accounts: a.Accounts != nil, Resumes: a.Resumes, Structured: a.Structured,
	}
	i.Moves = i.Accounts && (a.Accounts.Shares || a.Accounts.Transcript != nil)
	if !a.Simulated {
		i.Gap = a.Gap(s.Permissions)
	}
	if a.Login != nil {
		i.LogIn = a.Login.Next
	}
	own := b.ownSettings(s, a.ID)
	i.Custom, i.Model = len(own.Cmd) > 0, own.Model
	const prompt = "\x00the prompt\x00"
	if c, err := a.Command(agent.Ask{Prompt: prompt, TaskFile: "{{task_file}}", Dir: "{{workdir}}", Session: "{{session_id}}", Permissions: s.Permissions}); err == nil {
		i.Command = c.Shown(prompt)
	}
	_, err := a.Command(agent.Ask{ReadOnly: true, Permissions: s.Permissions})
	i.ReadsOnly = err == nil && a.Enforces != nil
	d, err := b.detect(ctx, s, a)
	if err != nil {
		i.Missing = work.Public(err).Msg
	}
	i.Path, i.Version, i.Login, i.Detail = d.Path, d.Version, cmp.Or(string(d.Login), i.Login), d.Detail
	return i
}

// ownSettings returns what a project or else the user says about an agent.
func (b *Bench) ownSettings(s work.Settings, id work.AgentID) work.AgentSettings {
	for _, o := range slices.Concat(s.Agents, b.cfg.Load().Agents) {
		if o.ID == id {
			return o
		}
	}
	return work.AgentSettings{ID: id}
}

// detect finds a's program and asks it for its version and its login, in the
// environment that a run would give it.
func (b *Bench) detect(ctx context.Context, s work.Settings, a agent.Agent) (agent.Detected, error) {
	_, path, err := b.programs.find(a)
	if err != nil {
		return agent.Detected{}, err
	}
	env := append([]string{"PATH=" + path}, agent.Environ(agent.Ask{Env: b.ownSettings(s, a.ID).Env})...)
	return agent.Detect(ctx, a, agent.Where{Path: path, Home: b.programs.home}, proc.Environ(env...))
}

// CheckAgents looks at agents as doctor does: their programs, versions and logins.
// With smoke each answers one trivial prompt, held to reading.
func (b *Bench) CheckAgents(ctx context.Context, id work.ProjectID, o DoctorOptions) ([]work.Finding, error) {
	_, s, err := b.agentsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return b.checkAgents(ctx, s, o)
}

// AddAgent puts an agent of the user's own into config.yaml; text is its
// description, and file what messages call it. It may be named at once.
func (b *Bench) AddAgent(ctx context.Context, file, text string) (work.AgentInfo, error) {
	s, err := config.ReadAgent(file, []byte(text))
	if err != nil {
		return work.AgentInfo{}, err
	}
	if len(s.Cmd) == 0 {
		return work.AgentInfo{}, work.Errorf(work.Invalid, "%s: agent %s has no cmd", file, s.ID).
			Do("Add cmd, the program and its arguments as a list; a built-in agent is changed in config.yaml.")
	}
	if err := b.putAgent(s, file, text); err != nil {
		return work.AgentInfo{}, err
	}
	return b.Agent(ctx, "", s.ID)
}

func (b *Bench) putAgent(s work.AgentSettings, file, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	agents, err := b.agents(work.Settings{})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(agents, func(a agent.Agent) bool { return a.ID == s.ID }) {
		return work.Errorf(work.Conflict, "there is an agent %s already", s.ID).Do("Choose another id.")
	}
	if _, err := b.agents(work.Settings{Agents: []work.AgentSettings{s}}); err != nil {
		return err
	}
	if _, err := config.AddAgent(b.Home, file, []byte(text)); err != nil {
		return err
	}
	cfg := *b.cfg.Load()
	cfg.Agents = append(slices.Clone(cfg.Agents), s)
	b.cfg.Store(&cfg)
	b.learn([]work.AgentSettings{s})
	return nil
}

// agentOf finds an agent among the built-in ones and the run's own.
func (b *Bench) agentOf(run work.Run, id work.AgentID) (agent.Agent, error) {
	agents, err := b.agents(run.Settings)
	if err != nil {
		return agent.Agent{}, err
	}
	i := slices.IndexFunc(agents, func(a agent.Agent) bool { return a.ID == id })
	if i < 0 {
		known := make([]string, len(agents))
		for i, a := range agents {
			known[i] = string(a.ID)
		}
		e := work.Errorf(work.NotFound, "there is no agent %q", id).
			Do("Choose one of: " + strings.Join(known, ", ") + "; or describe yours under agents: in .offrun/project.yaml.")
		return agent.Agent{}, e
	}
	return agents[i], nil
}

// agents are the built-in agents, the user's own, and the project's, which win.
func (b *Bench) agents(s work.Settings) ([]agent.Agent, error) {
	user := slices.DeleteFunc(slices.Clone(b.cfg.Load().Agents), func(u work.AgentSettings) bool {
		return slices.ContainsFunc(s.Agents, func(p work.AgentSettings) bool { return p.ID == u.ID })
	})
	agents, err := all.With(all.Agents(b.Self[0]), append(user, s.Agents...))
	for i := range agents {
		agents[i].Words = b.words
	}
	return agents, err
}

// agentIDs are the ids of the agents that every project may name.
func (b *Bench) agentIDs() []work.AgentID {
	agents, err := b.agents(work.Settings{})
	if err != nil {
		return nil // whoever needs one of them is told
	}
	ids := make([]work.AgentID, len(agents))
	for i, a := range agents {
		ids[i] = a.ID
	}
	return ids
}
