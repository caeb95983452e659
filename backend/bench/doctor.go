package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/google/uuid"

	"offrun/backend/agent"
	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/card"
	"offrun/backend/conversation"
	"offrun/backend/git"
	"offrun/backend/project"
	"offrun/backend/supervise"
	"offrun/backend/work"
)

// DoctorOptions say what to look at.
type DoctorOptions struct {
	Agents []string // none means the project's selection, or every built-in agent that is installed
	Smoke  bool     // let each of them answer one trivial prompt
}

// Doctor checks everything that a run needs, and that archived runs are whole.
// It changes nothing.
func (b *Bench) Doctor(ctx context.Context, id work.ProjectID, o DoctorOptions) ([]work.Finding, error) {
	p, repo, err := b.project(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := project.Load(repo.Dir, b.agentIDs()...)
	if err != nil {
		e := work.Public(err)
		var mistakes []work.Finding
		for line := range strings.Lines(e.Msg) {
			mistakes = append(mistakes, work.Finding{Check: "settings", Level: work.Problem, Text: strings.TrimSpace(line), Next: e.Next})
		}
		return mistakes, nil
	}
	findings := project.Preflight(ctx, project.Asked{Repo: repo, Settings: s, Attempts: max(1, len(o.Agents), len(s.Select))})
	more, err := b.checkAgents(ctx, s, o)
	if err != nil {
		return nil, err
	}
	findings = append(findings, more...)
	findings = append(findings, b.checkCards(repo.Dir)...)
	runs, err := b.checkRuns(ctx, p, repo)
	return append(findings, runs...), err
}

func (b *Bench) checkCards(root string) []work.Finding {
	var fs []work.Finding
	_, errs := card.List(root)
	for _, err := range errs {
		e := work.Public(err)
		fs = append(fs, work.Finding{Check: "card", Level: work.Warning, Text: e.Msg, Next: e.Next})
	}
	return fs
}

// checkAgents looks at the chosen agents side by side: they are slow starters.
func (b *Bench) checkAgents(ctx context.Context, s work.Settings, o DoctorOptions) ([]work.Finding, error) {
	agents, err := b.agents(s)
	if err != nil {
		return nil, err
	}
	chosen := o.Agents
	if len(chosen) == 0 {
		for _, id := range s.Select {
			chosen = append(chosen, string(id))
		}
	}
	var asked []agent.Agent
	for _, a := range agents {
		_, _, err := b.programs.find(a)
		if slices.ContainsFunc(chosen, func(c string) bool { id, _, _ := strings.Cut(c, ":"); return id == string(a.ID) }) ||
			len(chosen) == 0 && err == nil && !a.Simulated {
			asked = append(asked, a)
		}
	}
	var fs []work.Finding
	for _, c := range chosen {
		id, _, _ := strings.Cut(c, ":")
		if !slices.ContainsFunc(agents, func(a agent.Agent) bool { return string(a.ID) == id }) {
			_, err := b.agentOf(work.Run{Settings: s}, work.AgentID(id))
			e := work.Public(err)
			fs = append(fs, work.Finding{Check: "agent " + id, Level: work.Problem, Text: e.Msg, Next: e.Next})
		}
	}
	found := make([][]work.Finding, len(asked))
	var wg sync.WaitGroup
	for i, a := range asked {
		wg.Go(func() { found[i] = b.checkAgent(ctx, s, a, o.Smoke) })
	}
	wg.Wait()
	for _, a := range asked {
		fs = append(fs, b.checkAccounts(a)...)
	}
	if len(asked) == 0 && len(fs) == 0 {
		fs = append(fs, work.Finding{Check: "agents", Level: work.Warning, Text: "no coding agent was found on this machine",
			Next: "Install one (Claude Code, Codex …), or try the simulated ones: offrun demo."})
	}
	return append(append(fs, slices.Concat(found...)...), unlimited(asked, s.Permissions)...), nil
}

// checkAccounts says which logins of an agent cannot be used now.
func (b *Bench) checkAccounts(ag agent.Agent) []work.Finding {
	var fs []work.Finding
	all := b.pool.Accounts(ag.ID)
	for _, a := range all {
		f := work.Finding{Check: "account " + a.Ref(), Level: work.Warning}
		if fault := b.pool.Fault(a); fault != "" {
			f.Text, f.File = fault, a.Dir
			f.Next = fmt.Sprintf("Put the folder right, or: offrun accounts remove %s %s", a.Agent, a.Name)
		} else if a.LoggedOut != nil {
			f.Text, f.Next = "needs a login: "+a.Why, fmt.Sprintf("offrun accounts login %s %s", a.Agent, a.Name)
		} else if a.Resting(b.Now()) {
			f.Text = "rests until " + a.RestsUntil.Local().Format("Mon 15:04") + ": " + a.Why
			f.Next = "Wait, or add a login: offrun accounts add " + string(a.Agent) + " NAME"
		} else {
			continue
		}
		fs = append(fs, f)
	}
	return fs
}

// gapNext is what to do about an agent that does not keep to its permissions by
// itself.
const gapNext = "Read what changed outside the worktree in offrun compare. It is no fence; run the agent where it can do no harm."

// unlimited warns of all agents that hold back nothing, in one finding: custom
// ones never do.
func unlimited(agents []agent.Agent, permissions string) []work.Finding {
	var names []string
	for _, a := range agents {
		if a.Enforces == nil && !a.Simulated && a.Gap(permissions) != "" {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []work.Finding{{Check: "agents", Level: work.Warning, Next: gapNext,
		Text: "these have no limits of their own, and may write wherever you may: " + strings.Join(names, ", ")}}
}

func (b *Bench) checkAgent(ctx context.Context, s work.Settings, a agent.Agent, smoke bool) []work.Finding {
	f := work.Finding{Check: "agent " + string(a.ID), Level: work.OK}
	d, err := b.detect(ctx, s, a)
	if err != nil {
		e := work.Public(err)
		f.Level, f.Text, f.Next = work.Problem, e.Msg, e.Next
		return []work.Finding{f}
	}
	f.Text, f.File = strings.TrimSpace(a.Name+" "+d.Version), d.Path
	switch {
	case d.Login != agent.LoginUnknown:
		f.Text += ", " + string(d.Login)
	case a.Login != nil:
		f.Text += ", login unknown"
	}
	if d.Login == agent.NotLoggedIn {
		f.Level, f.Next = work.Problem, "Log in with the program itself: run "+a.Program+" in a terminal."
	}
	fs := []work.Finding{f}
	if gap := a.Gap(s.Permissions); gap != "" && !a.Simulated && a.Enforces != nil {
		fs = append(fs, work.Finding{Check: f.Check, Level: work.Warning, Text: gap, Next: gapNext})
	}
	if smoke && f.Level == work.OK {
		fs = append(fs, b.smoke(ctx, s, a))
	}
	return fs
}

// smoke lets an agent answer one trivial prompt, read-only, in an empty folder.
func (b *Bench) smoke(ctx context.Context, s work.Settings, a agent.Agent) work.Finding {
	f := work.Finding{Check: "smoke " + string(a.ID), Level: work.Problem, Next: "Run the program by hand to see what it says."}
	exit, v, err := b.ask(ctx, s, a, "Answer with the single word ready. Do not use any tool.")
	if err != nil {
		f.Text = work.Public(err).Msg
		return f
	}
	f.Took = work.SecondsOf(exit.EndedAt.Sub(exit.StartedAt))
	if v.Class != work.ClassOK {
		f.Text = string(v.Class) + ": " + v.Why
		return f
	}
	f.Level, f.Next, f.Text = work.OK, "", "answered"
	return f
}

// ask gives an agent one read-only prompt, outside every project.
func (b *Bench) ask(ctx context.Context, s work.Settings, a agent.Agent, prompt string) (work.Exit, agent.Verdict, error) {
	dir := filepath.Join(b.Home, "smoke", uuid.NewString())
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	defer os.RemoveAll(dir)
	task := filepath.Join(dir, "task.md")
	if err := os.WriteFile(task, []byte(prompt+"\n"), 0o600); err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	ask := agent.Ask{Prompt: prompt, TaskFile: task, Dir: empty, Session: uuid.NewString(), ReadOnly: true, Scratch: dir, Root: os.Getuid() == 0}
	for _, o := range s.Agents {
		if o.ID == a.ID {
			ask.Env, ask.Model = o.Env, o.Model
		}
	}
	cmd, err := a.Command(ask)
	if err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	program, path, err := b.programs.find(a)
	if err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	cmd.Argv = append([]string{program}, cmd.Argv[1:]...)
	cmd.Env = append([]string{"PATH=" + path}, cmd.Env...)
	j := &job{bench: b, agent: a, a: work.Attempt{Run: "smoke", Name: work.AttemptName(filepath.Base(dir)), Dir: empty, Turns: []work.Turn{{N: 1}}},
		run: work.Run{Settings: work.Settings{Limits: work.Limits{Total: 90}}}}
	q, env, err := j.request(j.a, dir, a, cmd)
	if err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	r, err := conversation.Open(dir, a)
	if err != nil {
		return work.Exit{}, agent.Verdict{}, err
	}
	defer r.Close()
	exit, err := j.command(ctx, dir, q, env, func(supervise.Status) error {
		if err := r.Pump(false); err != nil {
			return err
		}
		if f := &r.Facts; f.Impatient() != "" {
			return supervise.Stop(dir, work.GaveUp)
		} else if f.Ended != nil && r.Quiet(time.Now()) > lingering {
			return supervise.Stop(dir, work.Finished)
		}
		return nil
	})
	if err != nil {
		return exit, agent.Verdict{}, err
	}
	v, err := r.Judge(exit)
	return exit, v, err
}

// checkRuns verifies every archived run: patches apply and give the stored tree,
// hashes match, starts were not cut off.
func (b *Bench) checkRuns(ctx context.Context, p work.Project, repo git.Repo) ([]work.Finding, error) {
	ids, err := archive.Runs(repo.Dir)
	if err != nil {
		return nil, err
	}
	var found []work.Finding
	whole := 0
	for _, id := range ids {
		run, err := archive.LoadRun(repo.Dir, id)
		if errors.Is(err, fs.ErrNotExist) {
			found = append(found, work.Finding{Check: "run " + string(id), Level: work.Warning, File: archive.Run(repo.Dir, id),
				Text: "its start was cut off before anything ran", Next: "Delete the folder."})
			continue
		}
		if err != nil {
			found = append(found, unreadable(repo.Dir, id, err))
			continue
		}
		bad := artifact.Verify(ctx, repo, run)
		if len(bad) == 0 {
			whole++
		}
		found = append(found, bad...)
	}
	if whole > 0 {
		found = append(found, work.Finding{Check: "runs", Level: work.OK, Text: english.Plural(whole, "archived run is whole", "archived runs are whole")})
	}
	return found, nil
}
