package land_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/land"
	"offrun/backend/work"
)

const mark = "offrun 7f3a"

// A scene is a repository with a run and one attempt that has done its work.
type scene struct {
	*gittest.Repo
	t    testing.TB
	repo git.Repo
	tree git.Worktree
	in   land.In
}

// newScene makes an attempt that changed files, path → text, in its worktree.
func newScene(t testing.TB, files map[string]string) *scene {
	t.Helper()
	r := gittest.New(t)
	r.Git("config", "commit.gpgSign", "false") // in the weird home it is on, and does not work
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "mine.txt"} {
		r.Write(name, "1\n2\n3\n4\n5\n")
	}
	r.Write(".gitignore", "*.log\n.env\n")
	base := r.Commit("base")
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Exclude(t.Context(), ".worktrees/"); err != nil {
		t.Fatal(err)
	}
	const branch = "run/login-claude-20261129-101010"
	w, err := repo.AddWorktree(t.Context(), git.WorktreeOptions{
		Path: filepath.Join(repo.Dir, ".worktrees", "login-claude-20261129-101010"), Branch: branch, Commit: base, Mark: mark,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		gittest.Write(t, filepath.Join(w.Path, name), text)
	}
	s := &scene{Repo: r, t: t, repo: repo, tree: w}
	s.in = land.In{
		Run: &work.Run{ID: "20261129-101010", Base: base, Trunk: "main", Card: work.Card{ID: "login", File: "tasks/login.md", Title: "Fix the login", Goal: "No time-outs."}},
		Attempt: &work.Attempt{
			Run: "20261129-101010", Name: "claude", Agent: "claude", Dir: w.Path, GitDir: w.Admin, Branch: branch,
		},
		Mark: mark,
	}
	s.collect()
	return s
}

// collect ends the attempt's turn with what now is in the worktree.
func (s *scene) collect() {
	s.t.Helper()
	snap, err := s.tree.Snapshot(s.t.Context(), git.SnapshotOptions{Base: s.in.Run.Base})
	if err != nil {
		s.t.Fatal(err)
	}
	ref := "refs/offrun/keep/20261129-101010/claude/1"
	commit, err := s.repo.Keep(s.t.Context(), ref, snap.Full, []string{s.in.Run.Base}, "keep\n")
	if err != nil {
		s.t.Fatal(err)
	}
	changes, err := s.repo.Changes(s.t.Context(), s.in.Run.Base, snap.Tree)
	if err != nil {
		s.t.Fatal(err)
	}
	now := time.Now()
	s.in.Attempt.Turns = []work.Turn{{N: 1, EndedAt: &now, Class: work.ClassOK, Result: &work.Result{
		FullTree: snap.Full, Tree: snap.Tree, Commit: commit, Ref: ref, Head: snap.Head, Branch: snap.Branch, Files: len(changes), Ignored: snap.Ignored,
	}}}
}

func (s *scene) land() (work.Landing, error) { return land.Land(s.t.Context(), s.repo, s.in) }

// mustLand lands and records it, as the caller would.
func (s *scene) mustLand() work.Landing {
	s.t.Helper()
	l, err := s.land()
	if err != nil {
		s.t.Fatal(err)
	}
	s.in.Attempt.Landing = &l
	return l
}

// refused checks that err is what a person should see.
func refused(t *testing.T, err error, code work.Code, says string) *work.Error {
	t.Helper()
	e := work.Public(err)
	if e.Code != code || !strings.Contains(e.Msg, says) || e.Next == "" {
		t.Errorf("error %v (%s), want %s with %q and what to do next", err, e.Code, code, says)
	}
	return e
}

func TestLand(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1\nzwei\n3\n4\n5\n", "new/d.txt": "d\n", "NOTES.md": "notes\n"})
	check := gittest.Invariants(t, s.Dir)
	p, err := land.Preview(t.Context(), s.repo, s.in)
	if err != nil {
		t.Fatal(err)
	}
	if err := land.Ready(t.Context(), s.repo, s.in); err != nil {
		t.Error(err)
	}
	check()

	check = gittest.Invariants(t, s.Dir, "index", "refs/heads/main", "file a.txt", "file new/d.txt")
	l := s.mustLand()
	check()
	gittest.Canary(t)
	want := work.Landing{
		Trunk: "main", Parent: s.in.Run.Base, Tree: p.Tree, Message: p.Message, Files: 2, Added: 2, Deleted: 1,
		Checkout: s.Dir, Run: "20261129-101010", Attempt: "claude", At: l.At, Commit: l.Commit,
	}
	if diff := cmp.Diff(want, l); diff != "" || l.At == nil {
		t.Error(diff)
	}
	if got, want := s.Git("show", "--no-patch", "--no-show-signature", "--format=%H %P %an%n%B", "main"), l.Commit+" "+s.in.Run.Base+" Test User\nFix the login\n\nNo time-outs.\n\nOffrun-Card: tasks/login.md\nOffrun-Attempt: 20261129-101010/claude\n"; got != want {
		t.Errorf("commit is %q, want %q", got, want)
	}
	if s.Read("a.txt") != "1\nzwei\n3\n4\n5\n" || s.Git("status", "--porcelain", "--no-branch") != "" {
		t.Error("the checkout did not move along")
	}
	_, err = s.land()
	refused(t, err, work.Conflict, "landed already")
	s.in.Attempt.Landing = nil
	again, err := s.land() // nobody wrote it down
	if diff := cmp.Diff(l.Commit, again.Commit); err != nil || diff != "" || again.Files != 2 {
		t.Errorf("landing once more: %+v, %v", again, err)
	}
	s.Git("fsck", "--strict", "--full")
}

// Trunk moved meanwhile; what it got must stay (F08), and what lands is only the
// attempt's own change (F51).
func TestF08LandOnMovedTrunk(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1\n2\n3\n4\nfive\n"})
	s.Write("a.txt", "one\n2\n3\n4\n5\n")
	s.Write("b.txt", "fixed meanwhile\n")
	tip := s.Commit("meanwhile")
	l := s.mustLand()
	if l.Behind != 1 || l.Parent != tip || l.Files != 1 {
		t.Errorf("landing = %+v, want 1 behind, 1 file, on %s", l, tip)
	}
	if got, want := s.Read("a.txt")+s.Read("b.txt"), "one\n2\n3\n4\nfive\nfixed meanwhile\n"; got != want {
		t.Errorf("files are %q, want %q", got, want)
	}
}

func TestLandConflicts(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1\nhis\n3\n4\n5\n", "b.txt": "his\n", "c.txt": "his\n"})
	s.Write("a.txt", "1\nmine\n3\n4\n5\n")
	s.Write("b.txt", "mine\n")
	s.Commit("meanwhile")
	check := gittest.Invariants(t, s.Dir)
	p, err := land.Preview(t.Context(), s.repo, s.in)
	e := refused(t, err, work.Conflict, "conflicts in 2 files")
	if diff := cmp.Diff([]string{"a.txt", "b.txt"}, e.List); diff != "" || p.Behind != 1 {
		t.Errorf("preview %+v: %s", p, diff)
	}
	_, err = s.land()
	e = refused(t, err, work.Conflict, "conflicts in 2 files")
	if diff := cmp.Diff([]string{"a.txt", "b.txt"}, e.List); diff != "" {
		t.Error(diff)
	}
	check()
	s.noTrace()
}

// noTrace checks that no landing is on record.
func (s *scene) noTrace() {
	s.t.Helper()
	if refs := s.Git("for-each-ref", "refs/offrun/landed"); refs != "" {
		s.t.Errorf("a landing is on record: %s", refs)
	}
}

// The user's staged file is not part of the landing commit (F100); overlapping
// changes refuse (F92), and the commit that was made for it is forgotten.
func TestF100F92LandBesideTheUsersChanges(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "1\n2\n3\n4\nfive\n"})
	s.Write("staged.txt", "mine\n")
	s.Git("add", "staged.txt")
	s.Write("mine.txt", "unstaged\n")
	l := s.mustLand()
	if got := s.Git("show", "--format=", "--name-only", l.Commit); got != "a.txt" {
		t.Errorf("the commit holds %q", got)
	}
	if got, want := s.Git("status", "--porcelain=v1", "--no-branch"), " M mine.txt\nA  staged.txt"; got != want {
		t.Errorf("status is %q, want %q", got, want)
	}

	s = newScene(t, map[string]string{"a.txt": "his\n"})
	s.Write("a.txt", "mine\n")
	check := gittest.Invariants(t, s.Dir)
	for _, err := range []error{land.Ready(t.Context(), s.repo, s.in), func() error { _, err := s.land(); return err }()} {
		if e := refused(t, err, work.Conflict, "in the way"); !cmp.Equal(e.List, []string{"a.txt"}) {
			t.Errorf("list = %q", e.List)
		}
	}
	check()
	s.noTrace()
}

func TestF37AgentLeftItsBranch(t *testing.T) {
	for _, how := range [][]string{{"switch", "--quiet", "-c", "run/other"}, {"switch", "--quiet", "--detach"}} {
		s := newScene(t, nil)
		s.In(s.tree.Path, how...)
		gittest.Write(t, s.tree.Path+"/a.txt", "his\n")
		s.In(s.tree.Path, "commit", "--quiet", "-am", "his own")
		s.collect()
		check := gittest.Invariants(t, s.Dir)
		_, err := s.land()
		refused(t, err, work.Conflict, "was to work on run/login-claude")
		check()
		s.in.Strayed = true
		if s.mustLand(); s.Read("a.txt") != "his\n" {
			t.Error("what the agent committed elsewhere did not land")
		}
	}
}

func TestLandRefusals(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name string
		do   func(s *scene)
		code work.Code
		says string
	}{
		{"still running", func(s *scene) { s.in.Attempt.Turns = []work.Turn{{N: 1, StartedAt: &now}} }, work.Busy, "still running"},
		{"no result", func(s *scene) { s.in.Attempt.Turns[0].Result = nil }, work.Invalid, "no result"},
		{"empty", func(s *scene) { s.in.Attempt.Turns[0].Result.Empty = "nothing changed" }, work.Invalid, "changed nothing: nothing changed"},
		{"trunk has it", func(s *scene) { s.Write("a.txt", "his\n"); s.Commit("the same by hand") }, work.Conflict, "has nothing that main does not have"},
		{"no trunk", func(s *scene) { s.in.Run.Trunk = "nowhere" }, work.NotFound, "nowhere"},
		{"no message", func(s *scene) { s.in.Message = " " }, work.Invalid, "message is empty"},
		{"no name", func(s *scene) { gittest.Write(t, os.Getenv("HOME")+"/.gitconfig", "") }, work.Invalid, "does not know your name"},
		{"signing fails", func(s *scene) {
			s.Git("config", "commit.gpgSign", "true")
			s.Git("config", "gpg.program", "false")
		}, work.Unavailable, "could not be signed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, map[string]string{"a.txt": "his\n"})
			tt.do(s)
			check := gittest.Invariants(t, s.Dir)
			_, err := s.land()
			refused(t, err, tt.code, tt.says)
			check()
			s.noTrace()
		})
	}
}

// A landing is cut off after each of its steps; what is there then is nothing, or
// the whole, and the same call makes it whole.
func TestLandCutOff(t *testing.T) {
	const landed = "refs/offrun/landed/20261129-101010/claude"
	for _, tt := range []struct {
		name string
		do   func(s *scene, commit string) // what had been done, with the commit of that landing
		same bool                          // that commit is what lands in the end
	}{
		{"merged", func(s *scene, commit string) {}, false},
		{"committed", func(s *scene, commit string) { s.Git("cat-file", "-e", commit) }, false},
		{"noted", func(s *scene, commit string) { s.Git("update-ref", landed, commit) }, true},
		{"moved", func(s *scene, commit string) {
			s.Git("update-ref", landed, commit)
			s.Git("-c", "merge.verifySignatures=false", "-c", "merge.autoStash=false", "merge", "--quiet", "--ff-only", commit)
		}, true},
		{"noted, and trunk moved on", func(s *scene, commit string) {
			s.Git("update-ref", landed, commit)
			s.Write("c.txt", "meanwhile\n")
			s.Commit("meanwhile")
		}, false},
		{"files moved, branch not", func(s *scene, commit string) {
			s.Git("update-ref", landed, commit)
			s.Git("read-tree", "-m", "-u", "HEAD", commit)
		}, true},
		{"some files moved", func(s *scene, commit string) {
			s.Git("update-ref", landed, commit)
			s.Write("a.txt", "his\n")
			s.Write("new/d.txt", "d\n")
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, map[string]string{"a.txt": "his\n", "b.txt": "his\n", "new/d.txt": "d\n"})
			p, err := land.Preview(t.Context(), s.repo, s.in)
			if err != nil {
				t.Fatal(err)
			}
			tree := s.in.Attempt.Turn().Result.Tree
			commit := s.Git("commit-tree", "-p", p.Parent, "-m", strings.TrimSpace(p.Message), tree)
			tt.do(s, commit)
			s.Write("mine.txt", "unstaged\n")

			_, done, err := land.Landed(t.Context(), s.repo, "main", "20261129-101010", "claude")
			if moved := s.Git("rev-parse", "main") == commit; err != nil || done != moved {
				t.Errorf("landed = %v, %v, but trunk moved = %v", done, err, moved)
			}
			l := s.mustLand()
			if (l.Commit == commit) != tt.same {
				t.Errorf("landed %s, cut off was %s, want the same: %v", l.Commit, commit, tt.same)
			}
			if got, want := s.Git("status", "--porcelain=v1", "--no-branch"), " M mine.txt"; got != want || s.Git("rev-parse", "main") != l.Commit {
				t.Errorf("status is %q, want %q; main %s", got, want, s.Git("rev-parse", "main"))
			}
			if s.Git("rev-list", "--count", s.in.Run.Base+"..main", "--", "a.txt") != "1" {
				t.Error("it landed more than once")
			}
		})
	}
}

// F97: trunk is checked out in another worktree than the main checkout.
func TestF97LandWhereTrunkIsCheckedOut(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	s.Git("switch", "--quiet", "-c", "mine")
	other := filepath.Join(gittest.Folder(t, "elsewhere"), "w")
	s.Git("worktree", "add", "--quiet", other, "main")
	check := gittest.Invariants(t, s.Dir, "refs/heads/main")
	if l := s.mustLand(); l.Checkout != other {
		t.Errorf("checkout = %q, want %q", l.Checkout, other)
	}
	check()
}

// F98: trunk is checked out nowhere; the user's checkout is on another branch.
func TestF98LandOnBranchThatIsNotCheckedOut(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	s.Git("switch", "--quiet", "-c", "mine")
	s.Write("a.txt", "mine\n")
	check := gittest.Invariants(t, s.Dir, "refs/heads/main")
	if l := s.mustLand(); l.Checkout != "" {
		t.Errorf("checkout = %q, want none", l.Checkout)
	}
	check()
}

func TestF103Gates(t *testing.T) {
	for _, tt := range []struct {
		gates []string
		want  []work.Gate
	}{
		{[]string{"test -f a.txt", "grep -q his a.txt && git init -q lib && touch x"}, []work.Gate{{Command: "test -f a.txt", Status: work.Pass, Exit: 0}, {Command: "grep -q his a.txt && git init -q lib && touch x", Status: work.Pass, Exit: 0}}},
		{[]string{"exit 3", "true"}, []work.Gate{{Command: "exit 3", Status: work.Fail, Exit: 3}}},
		{[]string{"no-such-program-here"}, []work.Gate{{Command: "no-such-program-here", Status: work.DidNotRun, Exit: 127}}}, // S20
		{[]string{"sleep 600"}, []work.Gate{{Command: "sleep 600", Status: work.Fail, Exit: -1}}},
	} {
		s := newScene(t, map[string]string{"a.txt": "his\n"})
		s.in.Run.Settings.Gates = tt.gates
		s.in.Run.Settings.Limits.Acceptance = 20
		if tt.want[0].Exit < 0 {
			s.in.Run.Settings.Limits.Acceptance = 0.3
		}
		s.in.Log = filepath.Join(t.TempDir(), "gates.log")
		prepared := ""
		s.in.Prepare = func(_ context.Context, dir string) error { prepared = dir; return nil }
		if p, err := land.Preview(t.Context(), s.repo, s.in); err != nil || len(p.Gates) != len(tt.gates) || p.Gates[0] != (work.Gate{Command: tt.gates[0], Status: work.DidNotRun, Exit: -1}) {
			t.Errorf("preview: %v, gates %+v; want %q, none of them run", err, p.Gates, tt.gates)
		}
		check := gittest.Invariants(t, s.Dir, "index", "refs/heads/main", "file a.txt")
		passes := tt.want[len(tt.want)-1].Status == work.Pass
		l, err := s.land()
		check()
		if diff := cmp.Diff(tt.want, l.Gates); diff != "" || (err == nil) != passes {
			t.Errorf("gates %q: %v: %s", tt.gates, err, diff)
		}
		if !passes {
			if e := refused(t, err, work.Conflict, "a gate did not let it through"); !strings.Contains(e.Next, s.in.Log) {
				t.Errorf("next %q does not name %s", e.Next, s.in.Log)
			}
			if s.Git("rev-parse", "main") != s.in.Run.Base {
				t.Error("trunk moved although a gate did not pass")
			}
		}
		if log, err := os.ReadFile(s.in.Log); !strings.Contains(string(log), "$ "+tt.gates[0]) || prepared == "" {
			t.Errorf("log %q, %v, prepared %q", log, err, prepared)
		}
		if _, err := os.Stat(prepared); !errors.Is(err, os.ErrNotExist) || strings.Contains(s.Git("worktree", "list", "--porcelain"), "gate-") {
			t.Errorf("the gates' worktree is still there: %v", err)
		}
	}
}

// F102: gates see the merged tree and nothing of the user's changes; a hook runs
// nowhere.
func TestF102GatesRunOnTheMergedTree(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	gittest.Script(t, s.repo.GitDir+"/hooks/pre-commit", "touch "+s.Dir+"/hooked; exit 1\n")
	gittest.Script(t, s.repo.GitDir+"/hooks/post-merge", "touch "+s.Dir+"/hooked\n")
	s.Write("b.txt", "meanwhile\n")
	s.Commit("meanwhile")
	s.Write("mine.txt", "dirty\n")
	s.Git("stash", "push", "--quiet")
	s.Write("mine.txt", "dirty again\n")
	s.in.Run.Settings.Gates = []string{"grep -q his a.txt && grep -q meanwhile b.txt && grep -q 5 mine.txt"}
	check := gittest.Invariants(t, s.Dir, "index", "refs/heads/main", "file a.txt")
	s.mustLand()
	check()
}

// A landing that was killed while a gate ran leaves its worktree behind; the next
// one takes it away and starts afresh.
func TestLandAfterGatesWereCutOff(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	if _, err := s.repo.AddWorktree(t.Context(), git.WorktreeOptions{
		Path:   filepath.Join(s.Dir, ".worktrees", "gate-20261129-101010-claude"),
		Commit: s.in.Run.Base, Mark: mark + " gate-20261129-101010-claude",
	}); err != nil {
		t.Fatal(err)
	}
	s.in.Run.Settings.Gates = []string{"grep -q his a.txt"}
	s.mustLand()
	if left := s.Git("worktree", "list", "--porcelain"); strings.Contains(left, "gate-") {
		t.Errorf("left behind: %s", left)
	}
}
