package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"offrun/backend/git"
	"offrun/backend/work"
)

// In says what to collect. All but the last four fields are required.
type In struct {
	Repo     git.Repo
	Worktree git.Worktree
	Base     string // commit that the attempt started from
	Branch   string // that its worktree was made with
	Dir      string // folder of the turn; must exist
	Run      work.RunID
	Attempt  work.AttemptName
	Turn     int
	Notes    string // "land": NOTES.md is part of the result; default: it is an artifact only

	Brought   []string // how ignored files came along, a line each: these are not the agent's
	Asked     string   // the question that the agent stopped at
	Elsewhere bool     // files outside the worktree changed while it ran
}

const (
	maxNotesFile = 16 << 20 // bytes of NOTES.md that are taken
	maxIgnored   = 50       // ignored files that a result lists
)

// Collect takes what a turn left in its worktree: it keeps all of it under a ref
// of ours, and writes diff.patch, stat.txt and NOTES.md into in.Dir. It may be
// called again after it was interrupted.
//
// Nothing that an agent may do makes it fail: what is odd is a notice in the
// result. It runs git in the worktree, so the caller must have compared the
// shared configuration first (S09).
func Collect(ctx context.Context, in In) (work.Result, error) {
	// The index of Counter is of no use here: it takes for stored what lies in the
	// scratch folder only.
	s, err := in.Worktree.Snapshot(ctx, git.SnapshotOptions{Base: in.Base, Notes: in.Notes})
	if err != nil {
		return work.Result{}, err
	}
	r := work.Result{FullTree: s.Full, Tree: s.Tree, Head: s.Head, Branch: s.Branch, Notices: notices(in, s)}
	if err := keep(ctx, in, &r); err != nil {
		return work.Result{}, fmt.Errorf("keep the result: %w", err)
	}
	if r.Changes, err = in.Repo.Changes(ctx, in.Base, s.Tree); err != nil {
		return work.Result{}, err
	}
	r.Files = len(r.Changes)
	for _, c := range r.Changes {
		r.Added += max(0, c.Added)
		r.Deleted += max(0, c.Deleted)
	}
	if err := writeFiles(ctx, in, &r); err != nil {
		return work.Result{}, err
	}
	r.Ignored = notBrought(s.Ignored, in.Brought)
	if r.Files == 0 {
		r.Empty = empty(in, &r, s)
	}
	r.Ignored = r.Ignored[:min(len(r.Ignored), maxIgnored)]
	return r, nil
}

// keep makes one ref hold both trees and the agent's own commits, so that git
// never drops any of them:
//
//	ref → commit of the full tree → commit of the tree → base, and HEAD if it moved
func keep(ctx context.Context, in In, r *work.Result) (err error) {
	r.Ref = fmt.Sprintf("refs/offrun/keep/%s/%s/%d", in.Run, in.Attempt, in.Turn)
	parents := []string{in.Base}
	if r.Head != "" && r.Head != in.Base {
		parents = append(parents, r.Head)
	}
	what := fmt.Sprintf("%s of run %s, turn %d", in.Attempt, in.Run, in.Turn)
	if r.Commit, err = in.Repo.Keep(ctx, r.Ref, r.Tree, parents, what+": the result"); err != nil || r.FullTree == r.Tree {
		return err
	}
	r.Commit, err = in.Repo.Keep(ctx, r.Ref, r.FullTree, []string{r.Commit}, what+": all that was left")
	return err
}

// writeFiles writes the artifacts that come from git, and what proves them later.
func writeFiles(ctx context.Context, in In, r *work.Result) (err error) {
	path := filepath.Join(in.Dir, Patch)
	sum := sha256.New()
	err = WriteAtomic(path, 0o644, func(w io.Writer) error {
		return in.Repo.Patch(ctx, in.Base, r.Tree, io.MultiWriter(w, sum))
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", Patch, err)
	}
	r.Patch = hex.EncodeToString(sum.Sum(nil))
	err = in.Repo.VerifyPatch(ctx, in.Base, r.Tree, path)
	switch {
	case work.CodeOf(err) == work.Conflict:
		r.Notices = append(r.Notices, Patch+" does not give the result back; take it from git: "+r.Ref)
	case err != nil:
		return fmt.Errorf("verify %s: %w", Patch, err)
	}
	err = WriteAtomic(filepath.Join(in.Dir, Stat), 0o644, func(w io.Writer) error {
		table, err := in.Repo.Stat(ctx, in.Base, r.Tree)
		if err != nil {
			return err
		}
		_, err = w.Write(table)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", Stat, err)
	}
	if err := takeNotes(ctx, in, r); err != nil {
		return fmt.Errorf("write %s: %w", Notes, err)
	}
	r.Log, err = hashOf(filepath.Join(in.Dir, Log))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the program never started
	}
	return err
}

// takeNotes copies NOTES.md out of the full tree, if it differs from the base's:
// one that was there before says nothing about this turn.
func takeNotes(ctx context.Context, in In, r *work.Result) error {
	to := filepath.Join(in.Dir, Notes)
	if err := remove(to); err != nil { // of a call that was interrupted
		return err
	}
	changes := r.Changes
	if in.Notes != "land" && r.FullTree != r.Tree {
		var err error
		if changes, err = in.Repo.Changes(ctx, in.Base, r.FullTree); err != nil {
			return err
		}
	}
	id := ""
	for _, c := range changes {
		if c.Path == Notes && strings.HasPrefix(c.NewMode, "100") { // a file: no link, no folder
			id = c.New
		}
	}
	if id == "" {
		return nil
	}
	blobs := in.Repo.Blobs(ctx)
	text, err := blobs.Read(id, maxNotesFile)
	if err := errors.Join(err, blobs.Close()); work.CodeOf(err) == work.Invalid {
		r.Notices = append(r.Notices, fmt.Sprintf("%s is over %d MB and was not taken", Notes, maxNotesFile>>20))
		return nil
	} else if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	r.HasNotes, r.Notes = true, hex.EncodeToString(sum[:])
	return WriteAtomic(to, 0o644, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// hashOf returns the SHA-256 of a file in hexadecimal.
func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
