package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/conversation"
	"offrun/backend/git"
	"offrun/backend/memory"
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
		Run: a.Run, Attempt: a.Name, Agent: by(a, *t), N: t.N, At: j.bench.Now().UTC(),
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
	return artifact.Redact(b.Text, nil)
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
	if err := j.turn(ctx, func(t *work.Turn) { t.Absorbed = &kept }); err != nil {
		return err
	}
	return j.noteDown(kept)
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
