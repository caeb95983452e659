package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/compare"
	"offrun/backend/git"
	"offrun/backend/store"
	"offrun/backend/work"
)

// RunFilter chooses runs; its zero value is all of them.
type RunFilter struct {
	Project work.ProjectID
	Active  bool
	Limit   int // 0 is all
}

// Runs lists runs, newest first.
func (b *Bench) Runs(ctx context.Context, f RunFilter) ([]work.RunSummary, error) {
	if f.Limit == 0 {
		f.Limit = -1
	}
	return b.db.Runs(ctx, store.Filter{Project: f.Project, Active: f.Active, Limit: f.Limit})
}

// Run shows a run. id may be the whole id, an end of it that fits one run only,
// or "last".
func (b *Bench) Run(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, err
	}
	for _, j := range b.working(run.ID) {
		j.mu.Lock()
		if a := run.Attempt(j.a.Name); a != nil {
			live := j.live
			if t := a.Turn(); t != nil && t.StartedAt != nil && t.Agent == nil {
				live.Took = work.SecondsOf(b.Now().Sub(*t.StartedAt))
			} else if a.PreparingAt != nil {
				live.Took = work.SecondsOf(b.Now().Sub(*a.PreparingAt))
			}
			a.Live = &live
		}
		j.mu.Unlock()
	}
	return run, nil
}

func (b *Bench) findRun(ctx context.Context, id work.RunID) (work.Run, error) {
	run, err := b.db.Run(ctx, "", id)
	if work.CodeOf(err) != work.NotFound || id == "" {
		return run, err
	}
	all, listErr := b.Runs(ctx, RunFilter{})
	if listErr != nil {
		return run, listErr
	}
	if id == "last" && len(all) > 0 {
		return b.db.Run(ctx, all[0].Project, all[0].ID)
	}
	fits := slices.DeleteFunc(all, func(r work.RunSummary) bool { return !strings.HasSuffix(string(r.ID), string(id)) })
	switch len(fits) {
	case 0:
		return run, err
	case 1:
		return b.db.Run(ctx, fits[0].Project, fits[0].ID)
	}
	e := work.Errorf(work.Conflict, "%q is the end of several runs", id).Do("Give more of the id.")
	for _, r := range fits {
		e.List = append(e.List, string(r.ID)+"  "+r.Title)
	}
	return run, e
}

// find returns a run, one of its attempts, and the repository.
func (b *Bench) find(ctx context.Context, id work.RunID, name work.AttemptName) (work.Run, *work.Attempt, git.Repo, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return run, nil, git.Repo{}, err
	}
	a := run.Attempt(name)
	if a == nil {
		e := work.Errorf(work.NotFound, "run %s has no attempt %q", run.ID, name)
		names := make([]string, len(run.Attempts))
		for i, a := range run.Attempts {
			names[i] = string(a.Name)
		}
		return run, nil, git.Repo{}, e.Do("It has: " + strings.Join(names, ", "))
	}
	_, repo, err := b.project(ctx, run.Project)
	return run, a, repo, err
}

// LogQuery says which output to read, and from where.
type LogQuery struct {
	File string // conversation, out, err, setup, tests; "" is conversation
	Turn int    // 0 is the newest
	From int64  // byte
}

// logFiles are the files that LogQuery.File names. The one of the setup lies in the
// attempt's folder, the others in those of its turns.
var logFiles = map[string]string{
	"": artifact.Conversation, "conversation": artifact.Conversation,
	"out": artifact.Log, "err": artifact.ErrLog, "setup": artifact.SetupLog, "tests": artifact.Tests,
}

// check says what is wrong with q. The REST server looks at it before; who reads
// without a running bench has only this.
func (q LogQuery) check() error {
	switch {
	case logFiles[q.File] == "":
		return work.Errorf(work.Invalid, "there is no output %q", q.File).Do("Choose one of: conversation, out, err, setup, tests.")
	case q.Turn < 0:
		return work.Errorf(work.Invalid, "there is no turn %d", q.Turn).Do("Turns count from 1; 0 is the newest.")
	case q.From < 0:
		return work.Errorf(work.Invalid, "there is no byte %d", q.From).Do("Bytes count from 0.")
	}
	return nil
}

// pageSize is the most of an output that one answer carries.
const pageSize = 256 << 10

// ReadLog reads a piece of an attempt's output.
func (b *Bench) ReadLog(ctx context.Context, id work.RunID, name work.AttemptName, q LogQuery) (work.LogPage, error) {
	if err := q.check(); err != nil {
		return work.LogPage{}, err
	}
	run, err := b.findRun(ctx, id)
	if err != nil {
		return work.LogPage{}, err
	}
	root, err := b.root(ctx, run.Project)
	if err != nil {
		return work.LogPage{}, err
	}
	a := run.Attempt(name)
	if a == nil {
		_, _, _, err := b.find(ctx, id, name)
		return work.LogPage{}, err
	}
	if q.Turn == 0 {
		q.Turn = len(a.Turns)
	}
	if q.Turn > len(a.Turns) {
		return work.LogPage{}, work.Errorf(work.NotFound, "attempt %s of run %s has %s", name, run.ID, english.Plural(len(a.Turns), "turn", ""))
	}
	file, dir := logFiles[q.File], archive.Turn(archive.Attempt(root, run.ID, name), q.Turn)
	if file == artifact.SetupLog {
		dir = filepath.Dir(filepath.Dir(dir))
	}
	page := work.LogPage{From: q.From, To: q.From, Turn: q.Turn, Data: []byte{}}
	page.Ended = q.Turn < len(a.Turns) || a.Turns[q.Turn-1].EndedAt != nil || !a.Unfinished()
	raw, more, err := readPiece(filepath.Join(dir, file), q.From, page.Ended)
	if err != nil {
		return page, err
	}
	page.To += int64(len(raw))
	page.Ended = page.Ended && !more
	// The file stays as it is; what is shown has its secrets taken out (R9).
	page.Data = []byte(artifact.Redact(string(raw), secretsOf(run.Settings, a.Agent)))
	return page, nil
}

// root returns where a project's main checkout lies, without asking git.
func (b *Bench) root(ctx context.Context, id work.ProjectID) (string, error) {
	ps, err := b.db.Projects(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(ps, func(p work.Project) bool { return p.ID == id })
	if i < 0 {
		return "", work.Errorf(work.NotFound, "there is no project %q", id).Do("offrun project list names them.")
	}
	return ps[i].Path, nil
}

// readPiece reads whole lines, so that no secret is cut in two and slips through
// in halves: up to pageSize, or one line that is longer than that piece by piece.
// ended says that the file grows no more, so that its last line counts without
// its line end. more says that there is something behind the piece.
func readPiece(path string, from int64, ended bool) (piece []byte, more bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil // not written yet, or never
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	piece, err = io.ReadAll(io.NewSectionReader(f, from, pageSize))
	if err != nil {
		return nil, false, err
	}
	more = len(piece) == pageSize
	if end := bytes.LastIndexByte(piece, '\n') + 1; end > 0 && (more || !ended) {
		return piece[:end], more, nil
	} else if end == 0 && !more && !ended {
		return nil, false, nil // half a line: its other half comes
	}
	return piece, more, nil
}

// Artifacts lists the files of an attempt's newest turn, with absolute paths.
func (b *Bench) Artifacts(ctx context.Context, id work.RunID, name work.AttemptName) ([]work.Artifact, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.Attempt(name) == nil {
		_, _, _, err := b.find(ctx, id, name)
		return nil, err
	}
	root, err := b.root(ctx, run.Project)
	if err != nil {
		return nil, err
	}
	return artifact.List(archive.Attempt(root, run.ID, name))
}

// Compare puts the attempts of a run side by side.
func (b *Bench) Compare(ctx context.Context, id work.RunID) (work.Comparison, error) {
	run, err := b.findRun(ctx, id)
	if err != nil {
		return work.Comparison{}, err
	}
	_, repo, err := b.project(ctx, run.Project)
	if err != nil {
		return work.Comparison{}, err
	}
	in := compare.In{Run: run, Now: b.Now()}
	for _, a := range run.Attempts {
		dir := archive.Attempt(repo.Dir, run.ID, a.Name)
		patch, err := readIfThere(filepath.Join(dir, artifact.Patch))
		if err != nil {
			return work.Comparison{}, err
		}
		notes, err := readIfThere(filepath.Join(dir, artifact.Notes))
		if err != nil {
			return work.Comparison{}, err
		}
		var heads map[string]string
		if t := a.Turn(); t != nil && t.Result != nil {
			heads = artifact.Heads(ctx, repo, t.Result.Changes)
		}
		in.Patches = append(in.Patches, patch)
		in.Heads = append(in.Heads, heads)
		in.Notes = append(in.Notes, artifact.Redact(string(notes), secretsOf(run.Settings, a.Agent)))
	}
	return compare.Compare(in), nil
}

func readIfThere(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// secretsOf lists the values that must not be shown: those that the settings give
// to an agent under a secret-like name.
func secretsOf(s work.Settings, id work.AgentID) []string {
	for _, a := range s.Agents {
		if a.ID == id {
			return artifact.Secrets(a.Env)
		}
	}
	return nil
}
