package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"offrun/backend/proc"
	"offrun/backend/redact"
	"offrun/backend/work"
)

// A Turn says whose notes go where. All but Hide is required.
type Turn struct {
	Root     string // the project's top folder, absolute
	Worktree string // absolute
	Dir      string // the turn's folder in the archive
	Lock     string // file that keeps others from the project's notes meanwhile
	Run      work.RunID
	Attempt  work.AttemptName
	Agent    work.AgentID
	N        int
	At       time.Time
	Hide     *redact.Redactor // takes secrets out of what the agent noted; nil knows their shapes alone
}

// placed is the folder of the turn with the notes that Absorb compares with.
func (t Turn) placed() string { return filepath.Join(t.Dir, "memory", "placed", string(t.Agent)) }

// before returns the same of the latest turn before that the agent has taken, or
// "" if there is none.
func (t Turn) before() string {
	for n := t.N - 1; n > 0; n-- {
		earlier := t
		earlier.Dir = filepath.Join(filepath.Dir(t.Dir), strconv.Itoa(n))
		if info, err := os.Stat(earlier.placed()); err == nil && info.IsDir() {
			return earlier.placed()
		}
	}
	return ""
}

// Place brings the conventions and the agent's notes as they are now into its
// worktree, before the agent starts; notes that an earlier turn has left there
// and that are not in the project stay. It may be called again until the agent
// has started. What it cannot bring, it says; an error means that the notes of
// this turn are not taken care of.
func Place(t Turn) (notices []string, err error) {
	root, tree, err := t.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	defer tree.Close()
	if err := os.RemoveAll(t.placed()); err != nil { // of a call that was interrupted
		return nil, err
	}
	if err := os.MkdirAll(t.placed(), 0o755); err != nil {
		return nil, err
	}
	if c := readNote(root, Conventions, maxFile); c.taken {
		if err := put(tree, Conventions, c.text); err != nil {
			notices = append(notices, Conventions+" was not brought along"+reason(err))
		}
	}
	for name, pair := range t.pairs(root, tree, &notices) {
		base, text := t.bring(name, pair)
		if err := t.keepPlaced(name, base); err != nil {
			return notices, err
		}
		if err := put(tree, name, text); err != nil {
			notices = append(notices, name+" was not brought along"+reason(err))
		}
	}
	// The folder is there even if it is empty: the agent is told to write into it.
	if err := tree.MkdirAll(Folder(t.Agent), 0o755); err != nil {
		notices = append(notices, Folder(t.Agent)+" cannot be made in the worktree"+reason(err))
	}
	return notices, t.keepForeign(tree)
}

func (t Turn) open() (root, tree *os.Root, err error) {
	if root, err = os.OpenRoot(t.Root); err != nil {
		return nil, nil, err
	}
	if tree, err = os.OpenRoot(t.Worktree); err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return root, tree, nil
}

// A pair is a note as the project and the worktree have it.
type pair struct{ project, worktree note }

// pairs reads the agent's notes on both sides.
func (t Turn) pairs(root, tree *os.Root, notices *[]string) map[string]pair {
	all := map[string]pair{}
	for _, n := range notes(root, Folder(t.Agent), maxFile) {
		if n.notice != "" {
			*notices = append(*notices, n.notice)
		}
		if n.taken {
			all[n.name] = pair{project: n}
		}
	}
	for _, n := range notes(tree, Folder(t.Agent), maxFile) {
		if n.taken {
			all[n.name] = pair{project: all[n.name].project, worktree: n}
		}
	}
	return all
}

// bring decides what of a note Absorb will compare with, and what the worktree
// shall hold.
func (t Turn) bring(name string, p pair) (base, text string) {
	before := t.before()
	later := before != ""
	old, err := os.ReadFile(filepath.Join(before, path.Base(name)))
	if err != nil {
		old = nil // it was not there then
	}
	switch {
	case !later && p.project.taken:
		return p.project.text, p.project.text
	case !later: // committed once, deleted by the user since: not news
		return p.worktree.text, p.worktree.text
	case !p.project.taken:
		return string(old), p.worktree.text
	}
	was, left := parse(t.Hide.Text(string(old))), parse(t.Hide.Text(p.worktree.text)) // as Absorb has it
	return p.project.text, merge(was, p.project.text, left, additions(was, left))
}

func (t Turn) keepPlaced(name, text string) error {
	return renameio.WriteFile(filepath.Join(t.placed(), path.Base(name)), []byte(text), 0o600)
}

// Absorb takes what the agent has added to its notes in the worktree into the
// project's, after the agent has ended. Nothing of anybody's is lost: what the
// agent has removed stays, what others have written meanwhile stays, and what is
// there already is not added again. Secrets do not get into the project, whose
// notes people commit. So it may be called again after it was
// interrupted, and by several attempts at once.
//
// What cannot be kept is a notice, and stays in the worktree and in the result.
// The error is that of ctx, while others hold the lock.
func Absorb(ctx context.Context, t Turn) (work.Absorbed, error) {
	var a work.Absorbed
	root, tree, err := t.open()
	if err != nil {
		a.Notices = append(a.Notices, "notes were not kept"+reason(err))
		return a, nil
	}
	defer root.Close()
	defer tree.Close()
	lock, err := Lock(ctx, t.Lock)
	if err != nil && ctx.Err() != nil {
		return a, err
	}
	if err != nil {
		a.Notices = append(a.Notices, "notes were not kept, as nobody can lock them"+reason(err)+": they stay in the worktree")
		return a, nil
	}
	defer lock.Close()
	record := added{Run: t.Run, Attempt: t.Attempt, Agent: t.Agent, Turn: t.N, At: t.At, Files: map[string][]string{}}
	for _, n := range notes(tree, Folder(t.Agent), maxFile) {
		if n.notice != "" {
			a.Notices = append(a.Notices, n.notice)
		}
		if !n.taken {
			continue
		}
		lines, notices := t.absorb(root, n)
		a.Notices = append(a.Notices, notices...)
		if len(lines) > 0 {
			a.Lines += len(lines)
			a.Files = append(a.Files, n.name)
			record.Files[n.name] = lines
		}
	}
	a.Notices = append(a.Notices, t.refuse(tree)...)
	if a.Lines > 0 {
		if err := record.put(t.Dir); err != nil {
			a.Notices = append(a.Notices, "who wrote the notes was not kept"+reason(err))
		}
	}
	return a, nil
}

// absorb merges one note into the project's and returns what was added.
func (t Turn) absorb(root *os.Root, n note) (lines, notices []string) {
	was := ""
	if b, err := os.ReadFile(filepath.Join(t.placed(), path.Base(n.name))); err == nil { // else all of it is new
		was = string(b)
	}
	text, notices := clean(n.name, n.text)
	// On both sides, so that what was there before is nothing new.
	base, theirs := parse(t.Hide.Text(was)), parse(t.Hide.Text(text))
	more, over := capped(n.name, theirs, additions(base, theirs))
	notices = append(notices, over...)
	if slices.ContainsFunc(more, func(i int) bool { return redact.Marked(theirs[i].raw) && !strings.Contains(text, theirs[i].raw) }) {
		notices = append(notices, n.name+": a secret was taken out of what was noted")
	}
	for _, l := range theirs {
		if l.mark {
			notices = append(notices, n.name+" has conflict markers: both sides were kept, without the markers")
			break
		}
	}
	ours := readNote(root, n.name, maxWhole)
	if ours.notice != "" {
		if len(more) == 0 {
			return nil, notices
		}
		return nil, append(notices, ours.notice+": new notes stay in the worktree")
	}
	merged := merge(base, ours.text, theirs, more)
	if merged != ours.text {
		if err := put(root, n.name, merged); err != nil {
			return nil, append(notices, n.name+" was not written"+reason(err)+": new notes stay in the worktree")
		}
	}
	for _, i := range more {
		lines = append(lines, theirs[i].raw)
	}
	return lines, notices
}

// Lock waits for the lock on a project's notes until ctx is done. Whoever writes
// them holds it.
func Lock(ctx context.Context, path string) (*proc.FileLock, error) {
	for {
		l, err := proc.Lock(path)
		if work.CodeOf(err) != work.Busy {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// added is added.json: what a turn added to which files.
type added struct {
	Run     work.RunID          `json:"run"`
	Attempt work.AttemptName    `json:"attempt"`
	Agent   work.AgentID        `json:"agent"`
	Turn    int                 `json:"turn"`
	At      time.Time           `json:"at"`
	Files   map[string][]string `json:"files"`
}

func (a added) put(dir string) error {
	b, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "memory", "added.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(file, append(b, '\n'), 0o600)
}

// records reads every added.json of the project at root, oldest first. Without one of its own
// a turn has added nothing; one that is damaged tells nothing.
func records(root string) []added {
	runs := os.DirFS(filepath.Join(root, "runs"))
	files, _ := fs.Glob(runs, "*/*/turns/*/memory/added.json") // the pattern is well-formed, and nothing else can fail
	var all []added
	for _, f := range files {
		b, err := fs.ReadFile(runs, f)
		var a added
		if err == nil && json.Unmarshal(b, &a) == nil {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(x, y added) int { return x.At.Compare(y.At) })
	return all
}
