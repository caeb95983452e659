package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/conversation"
	"offrun/backend/git"
	"offrun/backend/memory"
	"offrun/backend/project"
	"offrun/backend/work"
)

// memoryLock is the file whose lock whoever writes a project's notes holds.
func memoryLock(repo git.Repo) string { return filepath.Join(repo.GitDir, "offrun-memory.lock") }

// memory says whose notes the open turn is about.
func (j *job) memory() memory.Turn {
	a := j.attempt()
	t := a.Turn()
	return memory.Turn{
		Root: j.repo.Dir, Worktree: a.Dir, Dir: archive.Turn(j.folder(), t.N), Lock: memoryLock(j.repo),
		Run: a.Run, Attempt: a.Name, Agent: by(a, *t), N: t.N, At: j.bench.Now().UTC(), Hide: j.bench.Redactor(),
	}
}

// placeNotes brings what the project knows into the worktree, before the agent
// starts. Notes help; that they cannot be had fails no turn.
func (j *job) placeNotes() {
	if a := j.attempt(); a.Turn().StartedAt != nil {
		return
	}
	notices, err := memory.Place(j.memory())
	if err != nil || len(notices) > 0 {
		j.bench.Log.Warn("notes not brought along", "run", j.run.ID, "attempt", j.a.Name, "notices", notices, "err", err)
	}
}

// brief is what agent is told at the beginning of a session about what the
// project knows.
func (j *job) brief(agent work.AgentID) string {
	b, err := memory.Brief(memory.BriefIn{Root: j.repo.Dir, Agent: agent, Card: j.run.Card})
	if err != nil {
		j.bench.Log.Warn("no brief", "run", j.run.ID, "attempt", j.a.Name, "err", err)
		return ""
	}
	return j.bench.Redactor().Text(b.Text)
}

// absorb takes the agent's new notes into the project's, once its result is safe
// and before tests run in its worktree.
func (j *job) absorb(ctx context.Context) error {
	a := j.attempt()
	if t := a.Turn(); t.Absorbed != nil || t.StartedAt == nil || t.Restores > 0 {
		return nil
	}
	kept, err := memory.Absorb(ctx, j.memory())
	if err != nil {
		return err
	}
	if err := j.turn(ctx, func(t *work.Turn) {
		t.Absorbed = &kept
		if t.Result != nil { // where people look for what is odd
			t.Result.Notices = append(t.Result.Notices, kept.Notices...)
		}
	}); err != nil {
		return err
	}
	if err := j.noteDown(kept); err != nil { // the fact says the same
		j.bench.Log.Warn("notes not told of in the conversation", "run", j.run.ID, "attempt", j.a.Name, "err", err)
	}
	return nil
}

// noteDown says in the conversation what became of the agent's notes.
func (j *job) noteDown(kept work.Absorbed) error {
	var lines []string
	if kept.Lines > 0 {
		lines = append(lines, fmt.Sprintf("%s of notes kept in %s/", english.Plural(kept.Lines, "line", ""), memory.Folder(j.memory().Agent)))
	}
	if lines = append(lines, kept.Notices...); len(lines) == 0 {
		return nil
	}
	r, err := conversation.Open(j.memory().Dir, j.agent)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Add(work.Entry{At: j.bench.Now().UTC(), Kind: work.Noted, Text: strings.Join(lines, "\n")}); err != nil {
		return err
	}
	return r.Save()
}

// Memory shows what a project knows: the conventions and the notes of an agent,
// or of all if agent is "". With a card it shows the brief that the agent would
// get for it, too.
func (b *Bench) Memory(ctx context.Context, id work.ProjectID, agent work.AgentID, cardName string) (work.Memory, error) {
	p, repo, err := b.project(ctx, id)
	if err != nil {
		return work.Memory{}, err
	}
	m := work.Memory{Project: p.ID, Folder: repo.Dir}
	if m.Files, err = memory.Files(repo.Dir, agent); err != nil {
		return m, err
	}
	if m.Agents, err = b.remembering(repo); err != nil {
		return m, err
	}
	if err := known(m.Agents, agent); err != nil {
		return m, err
	}
	if cardName == "" {
		return m, nil
	}
	if agent == "" {
		return m, work.Errorf(work.Invalid, "whose brief is not said").Do("Name the agent: offrun memory show claude --card " + cardName)
	}
	cs, err := readCard(repo.Dir, cardName)
	if err != nil {
		return m, err
	}
	brief, err := memory.Brief(memory.BriefIn{Root: repo.Dir, Agent: agent, Card: cs.Card})
	brief.Text = b.Redactor().Text(brief.Text)
	m.Brief = &brief
	return m, err
}

// remembering lists the agents that have notes or could write some.
func (b *Bench) remembering(repo git.Repo) ([]work.AgentID, error) {
	ids, err := memory.Agents(repo.Dir)
	if err != nil {
		return nil, err
	}
	s, err := project.Load(repo.Dir)
	if err != nil {
		return nil, err
	}
	known, err := b.agents(s)
	if err != nil {
		return nil, err
	}
	for _, a := range known {
		ids = append(ids, a.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// known makes sure that agent is one of those that can have notes; "" is nobody.
func known(ids []work.AgentID, agent work.AgentID) error {
	if agent == "" || slices.Contains(ids, agent) {
		return nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return work.Errorf(work.NotFound, "there is no agent %q", agent).Do("Choose one of: " + strings.Join(names, ", ") + ".")
}

// AddNote adds a line to the conventions, or to a note of an agent, and returns
// the file.
func (b *Bench) AddNote(ctx context.Context, id work.ProjectID, agent work.AgentID, name, text string) (work.MemoryFile, error) {
	return b.changeNote(ctx, id, agent, name, func(repo git.Repo, file string) error {
		return memory.Add(ctx, repo.Dir, memoryLock(repo), file, text)
	})
}

// EditNote makes after of a file that read before when the edit began; what was
// added to it since stays. It returns the file.
func (b *Bench) EditNote(ctx context.Context, id work.ProjectID, agent work.AgentID, name, before, after string) (work.MemoryFile, error) {
	return b.changeNote(ctx, id, agent, name, func(repo git.Repo, file string) error {
		return memory.Edit(ctx, repo.Dir, memoryLock(repo), file, before, after)
	})
}

func (b *Bench) changeNote(ctx context.Context, id work.ProjectID, agent work.AgentID, name string, change func(git.Repo, string) error) (work.MemoryFile, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return work.MemoryFile{}, err
	}
	file, err := memory.File(agent, name)
	if err != nil {
		return work.MemoryFile{}, err
	}
	ids, err := b.remembering(repo)
	if err != nil {
		return work.MemoryFile{}, err
	}
	if err := known(ids, agent); err != nil {
		return work.MemoryFile{}, err
	}
	if err := change(repo, file); err != nil {
		return work.MemoryFile{}, err
	}
	files, err := memory.Files(repo.Dir, agent)
	if i := slices.IndexFunc(files, func(f work.MemoryFile) bool { return f.File == file }); i >= 0 {
		return files[i], err
	}
	return work.MemoryFile{File: file, Agent: agent}, err
}

// SearchMemory finds the lines of a project's memory that hold every one of words.
func (b *Bench) SearchMemory(ctx context.Context, id work.ProjectID, words []string) ([]work.MemoryHit, error) {
	_, repo, err := b.project(ctx, id)
	if err != nil {
		return nil, err
	}
	return memory.Search(repo.Dir, words)
}
