package land_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git/gittest"
	"offrun/backend/land"
	"offrun/backend/work"
)

const archive = "refs/offrun/archive/20261129-101010/claude"

func nobody(context.Context) (string, error) { return "", nil }

func (s *scene) cleanIn() land.CleanIn {
	return land.CleanIn{Run: s.in.Run, Attempt: s.in.Attempt, Mark: mark, InUse: nobody}
}

func (s *scene) clean(in land.CleanIn) work.Cleaning {
	s.t.Helper()
	c, err := land.Clean(s.t.Context(), s.repo, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// gone checks that nothing is left of the attempt but what is archived.
func (s *scene) gone() {
	s.t.Helper()
	if _, err := os.Lstat(s.tree.Path); err == nil || strings.Contains(s.Git("worktree", "list", "--porcelain"), "claude") || s.Git("branch", "--list", "run/*") != "" {
		s.t.Errorf("not clean: %v %s %s", err, s.Git("worktree", "list"), s.Git("branch", "--list", "run/*"))
	}
	s.Git("fsck", "--full", "--strict")
}

func TestClean(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n", "new.txt": "n\n", ".env": "SECRET=1\n", "agent.log": "x\n"})
	check := gittest.Invariants(t, s.Dir)
	in := s.cleanIn()
	in.DryRun = true
	before := everything(t, s.tree.Path)
	want := work.Cleaning{
		Run: "20261129-101010", Attempt: "claude", Dir: s.tree.Path, Branch: s.in.Attempt.Branch,
		Ignored: []string{".env", "agent.log"}, DryRun: true, // F106
	}
	got := s.clean(in)
	want.Freed = got.Freed
	if diff := cmp.Diff(want, got); diff != "" || got.Freed == 0 {
		t.Errorf("dry run: %s", diff)
	}
	if diff := cmp.Diff(before, everything(t, s.tree.Path)); diff != "" || s.Git("for-each-ref", "refs/offrun/archive") != "" {
		t.Errorf("a dry run changed something: %s", diff)
	}
	in.DryRun = false
	want.DryRun, want.Archive = false, archive
	if diff := cmp.Diff(want, s.clean(in)); diff != "" {
		t.Error(diff)
	}
	check()
	s.gone()
	if s.Git("rev-parse", archive+"^{tree}") != s.in.Attempt.Turn().Result.FullTree {
		t.Error("the archive is not what was collected")
	}
	if b, err := os.ReadFile(filepath.Join(s.repo.Trash(), first(t, s.repo.Trash()), "tree", ".env")); err != nil || string(b) != "SECRET=1\n" {
		t.Errorf("F89: ignored files are not in the trash: %v", err)
	}
	if c := s.clean(in); c.Refused != "" || s.Git("rev-parse", archive+"^{tree}") != s.in.Attempt.Turn().Result.FullTree {
		t.Errorf("cleaning twice: %+v", c)
	}
	if freed, err := s.repo.EmptyTrash(t.Context(), mark); err != nil || freed == 0 {
		t.Errorf("emptying the trash: %d, %v", freed, err)
	}
	s.gone()
}

func first(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%s: %v, %v", dir, entries, err)
	}
	return entries[0].Name()
}

// Work that came after the result was collected is archived too: by then nobody
// else has it (F89, F90).
func TestF89F90WorkAfterTheResultIsKept(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	s.mustLand()
	gittest.Write(t, s.tree.Path+"/late.txt", "late\n")
	in := s.cleanIn()
	in.Patch = filepath.Join(gittest.Folder(t, "runs"), "archive.patch")
	s.clean(in)
	s.gone()
	if got := s.Git("show", archive+":late.txt"); got != "late" {
		t.Errorf("late.txt is %q", got)
	}
	if b, err := os.ReadFile(in.Patch); err != nil || !strings.Contains(string(b), "+late") {
		t.Errorf("patch %q, %v", b, err)
	}
}

// The agent committed, also where no branch points any more (F90, F49): no commit
// that could be reached before is out of reach afterwards.
func TestF90CommitsStayReachable(t *testing.T) {
	s := newScene(t, nil)
	var made []string
	for i, how := range [][]string{{}, {"reset", "--quiet", "--hard", s.in.Run.Base}, {"switch", "--quiet", "--detach", s.in.Run.Base}} {
		if len(how) > 0 {
			s.In(s.tree.Path, how...)
		}
		gittest.Write(t, s.tree.Path+"/x.txt", fmt.Sprint(i))
		s.In(s.tree.Path, "add", "x.txt")
		s.In(s.tree.Path, "commit", "--quiet", "-m", "x")
		made = append(made, s.In(s.tree.Path, "rev-parse", "HEAD"))
	}
	s.collect()
	s.clean(s.cleanIn())
	if _, err := s.repo.EmptyTrash(t.Context(), mark); err != nil {
		t.Fatal(err)
	}
	s.gone()
	s.Git("-c", "gc.pruneExpire=now", "gc", "--quiet", "--prune=now")
	for i, id := range made {
		if got := s.Git("merge-base", "--is-ancestor", id, archive); got != "" || s.Git("show", id+":x.txt") != fmt.Sprint(i) {
			t.Errorf("commit %d is not in the archive: %s", i, got)
		}
	}
}

// F91: in use at first, or from the moment the guards have passed.
func TestF91NothingInUseGoes(t *testing.T) {
	for after := range 2 {
		s := newScene(t, map[string]string{"a.txt": "his\n"})
		before := everything(t, s.tree.Path)
		in := s.cleanIn()
		asked := 0
		in.InUse = func(context.Context) (string, error) {
			asked++
			if asked > after {
				return "its agent is running (pid 7)", nil
			}
			return "", nil
		}
		c := s.clean(in)
		if !strings.Contains(c.Refused, "in use: its agent is running (pid 7)") || c.Freed != 0 {
			t.Errorf("in use from question %d on: %+v", after, c)
		}
		if diff := cmp.Diff(before, everything(t, s.tree.Path)); diff != "" {
			t.Errorf("something was touched: %s", diff)
		}
	}
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	s.in.Attempt.Turns[0].EndedAt = nil
	if c := s.clean(s.cleanIn()); c.Refused == "" {
		t.Error("an attempt that is not final was cleaned")
	}
}

func TestF95CleanRefuses(t *testing.T) {
	for name, do := range map[string]func(s *scene){
		"another mark": func(s *scene) { gittest.Write(s.t, s.tree.Admin+"/locked", "offrun of somebody else\n") },
		"nested":       func(s *scene) { s.In(s.tree.Path, "init", "--quiet", "lib") },
		"main":         func(s *scene) { s.in.Attempt.Dir = s.Dir },
	} {
		s := newScene(t, map[string]string{"a.txt": "his\n"})
		do(s)
		check := gittest.Invariants(t, s.Dir)
		before := everything(t, s.tree.Path)
		c := s.clean(s.cleanIn())
		if c.Refused == "" || s.Git("for-each-ref", "refs/offrun/archive") != "" || s.Git("branch", "--list", "run/*") == "" {
			t.Errorf("%s: %+v", name, c)
		}
		if diff := cmp.Diff(before, everything(t, s.tree.Path)); diff != "" {
			t.Errorf("%s: something was touched: %s", name, diff)
		}
		check()
	}
}

// F101: after a squash no ancestry shows that the attempt has landed. Clean-up does
// not ask for it, and what landed is found by our own ref or by content.
func TestF101SquashedAttemptIsCleaned(t *testing.T) {
	s := newScene(t, nil)
	for _, name := range []string{"a.txt", "b.txt"} {
		gittest.Write(t, s.tree.Path+"/"+name, "his\n")
		s.In(s.tree.Path, "commit", "--quiet", "-am", name)
	}
	s.collect()
	l := s.mustLand()
	if commit, landed, err := land.Landed(t.Context(), s.repo, "main", "20261129-101010", "claude"); err != nil || !landed || commit != l.Commit {
		t.Errorf("landed: %v, %v, %v", commit, landed, err)
	}
	s.Git("update-ref", "-d", "refs/offrun/landed/20261129-101010/claude")
	s.in.Attempt.Landing = nil
	if _, err := land.Preview(t.Context(), s.repo, s.in); work.CodeOf(err) != work.Conflict || !strings.Contains(err.Error(), "has nothing that main does not have") {
		t.Errorf("by content: %v", err)
	}
	s.clean(s.cleanIn())
	s.gone()
}

// With the seal of the collected worktree nothing has to be collected again; if
// anything was written since, it is.
func TestCleanBySeal(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := newScene(t, map[string]string{"a.txt": "his\n"})
		survey, err := s.tree.Survey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if late {
			gittest.Write(t, s.tree.Path+"/late.txt", "late\n")
		}
		in := s.cleanIn()
		in.Seal = survey.Seal
		s.clean(in)
		if files := s.Git("ls-tree", "--name-only", archive); strings.Contains(files, "late.txt") != late {
			t.Errorf("late %v: archived %q", late, files)
		}
		s.gone()
	}
}

// Clean is cut off after each of its steps.
func TestCleanCutOff(t *testing.T) {
	for name, do := range map[string]func(s *scene){
		"archived": func(s *scene) { s.Git("update-ref", archive, s.in.Attempt.Turn().Result.Commit) },
		"folder moved": func(s *scene) {
			s.Git("update-ref", archive, s.in.Attempt.Turn().Result.Commit)
			gittest.Write(s.t, s.repo.Trash()+"/x/manifest.json", `{"mark":"`+mark+`"}`)
			if err := os.Rename(s.tree.Path, s.repo.Trash()+"/x/tree"); err != nil {
				s.t.Fatal(err)
			}
		},
		"record moved": func(s *scene) {
			s.Git("update-ref", archive, s.in.Attempt.Turn().Result.Commit)
			os.MkdirAll(s.repo.Trash()+"/x", 0o700)
			if err := os.Rename(s.tree.Path, s.repo.Trash()+"/x/tree"); err != nil {
				s.t.Fatal(err)
			}
			if err := os.Rename(s.tree.Admin, s.repo.Trash()+"/x/admin"); err != nil {
				s.t.Fatal(err)
			}
		},
		"branch deleted": func(s *scene) {
			s.clean(s.cleanIn())
		},
	} {
		s := newScene(t, map[string]string{"a.txt": "his\n"})
		s.In(s.tree.Path, "commit", "--quiet", "-am", "his own")
		own := s.In(s.tree.Path, "rev-parse", "HEAD")
		s.collect()
		check := gittest.Invariants(t, s.Dir)
		do(s)
		if c := s.clean(s.cleanIn()); c.Refused != "" || c.Archive != archive {
			t.Errorf("%s: %+v", name, c)
		}
		check()
		s.gone()
		s.Git("merge-base", "--is-ancestor", own, archive)
		if s.Git("show", archive+":a.txt") != "his" {
			t.Errorf("%s: the archive lost the work", name)
		}
	}
}

// everything describes all files below top.
func everything(t *testing.T, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(name)
		all[name] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
