package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// mover is a repository whose main may move from one commit to the next.
type mover struct {
	*gittest.Repo
	repo git.Repo
	move git.Move
}

// newMover makes a repository in which the next commit changes changed.txt,
// deletes gone.txt, adds new/added.txt and makes a folder of thing.
func newMover(t *testing.T) mover {
	t.Helper()
	r := gittest.New(t)
	for _, name := range []string{"changed.txt", "gone.txt", "thing", "other.txt", "second.txt"} {
		r.Write(name, "old\n")
	}
	r.Write(".gitignore", "*.log\n")
	from := r.Commit("from")
	to := change(t, r, from, "aside", map[string]string{
		"changed.txt": "new\n", "gone.txt": "-", "new/added.txt": "new\n", "out.log": "new\n", "thing": "-",
	})
	to = change(t, r, to, "aside2", map[string]string{"thing/inside": "new\n"})
	to = r.Git("commit-tree", "-p", from, "-m", "to", to+"^{tree}")
	return mover{Repo: r, repo: open(t, r), move: git.Move{Branch: "main", From: from, To: to, Log: "offrun: land x"}}
}

// moved are the invariants that a move may break, in the checkout of its branch.
var moved = []string{"index", "refs/heads/main", "file changed.txt", "file gone.txt", "file new/added.txt", "file out.log", "file thing", "file thing/inside"}

func TestF98BranchMovesWithItsCheckout(t *testing.T) {
	m := newMover(t)
	check := gittest.Invariants(t, m.Dir, moved...)
	at, err := m.repo.FastForward(t.Context(), m.move)
	if err != nil || at != m.Dir {
		t.Fatalf("fast-forward: %q, %v", at, err)
	}
	check()
	gittest.Canary(t)
	if s := m.Git("status", "--porcelain", "--no-branch"); s != "" {
		t.Errorf("the checkout is not clean afterwards: %s", s)
	}
	if got := m.Git("rev-parse", "main"); got != m.move.To {
		t.Errorf("main = %s, want %s", got, m.move.To)
	}
	if log := m.Git("reflog", "-1", "--format=%gs", "HEAD"); log != "offrun: land x: Fast-forward" {
		t.Errorf("reflog says %q", log)
	}
	back := git.Move{Branch: "main", From: m.move.To, To: m.move.From, Log: "offrun: undo x"}
	if _, err := m.repo.SetBack(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	if s := m.Git("status", "--porcelain", "--no-branch"); s != "" || m.Git("rev-parse", "HEAD") != m.move.From {
		t.Errorf("not back where it was: %s %s", m.Git("rev-parse", "HEAD"), s)
	}
}

func TestF98BranchCheckedOutNowhere(t *testing.T) {
	m := newMover(t)
	m.Git("switch", "--quiet", "-c", "mine")
	m.Write("other.txt", "dirty\n")
	check := gittest.Invariants(t, m.Dir, "refs/heads/main")
	if at, err := m.repo.FastForward(t.Context(), m.move); err != nil || at != "" {
		t.Fatalf("fast-forward: %q, %v", at, err)
	}
	check()
	if got := m.Git("rev-parse", "main"); got != m.move.To {
		t.Errorf("main = %s, want %s", got, m.move.To)
	}
	check = gittest.Invariants(t, m.Dir)
	if _, err := m.repo.FastForward(t.Context(), m.move); work.CodeOf(err) != work.Conflict {
		t.Errorf("a branch that has moved: %v, want conflict", err)
	}
	check()
}

func TestF100UnrelatedChangesStay(t *testing.T) {
	for _, back := range []bool{false, true} {
		m := newMover(t)
		m.Write("other.txt", "staged\n")
		m.Write("mine", "staged\n")
		m.Git("add", "other.txt", "mine")
		m.Write("other.txt", "unstaged\n")
		m.Git("rm", "--quiet", "--cached", "second.txt")
		m.Write("untracked.txt", "u\n")
		m.Write("ignored.log", "i\n")
		if err := os.Chtimes(m.Path("changed.txt"), m.touched(), m.touched()); err != nil {
			t.Fatal(err)
		}
		state := func() []string {
			return []string{
				m.Git("ls-files", "--stage", "other.txt", "mine", "second.txt"), m.Read("other.txt"), m.Read("mine"),
				m.Read("second.txt"), m.Read("untracked.txt"), m.Read("ignored.log"),
			}
		}
		before := state()
		check := gittest.Invariants(t, m.Dir, moved...)
		if _, err := m.repo.FastForward(t.Context(), m.move); err != nil {
			t.Fatal(err)
		}
		if back {
			if err := os.Chtimes(m.Path("changed.txt"), m.touched(), m.touched()); err != nil {
				t.Fatal(err)
			}
			if _, err := m.repo.SetBack(t.Context(), git.Move{Branch: "main", From: m.move.To, To: m.move.From}); err != nil {
				t.Fatal(err)
			}
		}
		check()
		if diff := cmp.Diff(before, state()); diff != "" {
			t.Errorf("back %v: changes of the user are different: %s", back, diff)
		}
		if files := m.Git("show", "--no-patch", "--format=%T", "main"); files == m.Git("write-tree") {
			t.Error("the staged files are gone from the index")
		}
	}
}

func TestF92OverlappingChangesRefuse(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(m mover)
		list []string
	}{
		{"unstaged", func(m mover) { m.Write("changed.txt", "mine\n") }, []string{"changed.txt"}},
		{"staged", func(m mover) { m.Write("changed.txt", "mine\n"); m.Git("add", "changed.txt") }, []string{"changed.txt"}},
		{"the same change", func(m mover) { m.Write("changed.txt", "new\n") }, []string{"changed.txt"}},
		{"of a file that goes", func(m mover) { m.Write("gone.txt", "mine\n") }, []string{"gone.txt"}},
		{"deleted by hand", func(m mover) { os.Remove(m.Path("changed.txt")) }, []string{"changed.txt"}},
		{"untracked", func(m mover) { m.Write("new/added.txt", "mine\n") }, []string{"new/added.txt"}},
		{"added", func(m mover) { m.Write("new/added.txt", "mine\n"); m.Git("add", "new") }, []string{"new/added.txt"}},
		{"ignored", func(m mover) { m.Write("out.log", "mine\n") }, []string{"out.log"}},
		{"a file where a folder comes", func(m mover) { m.Write("new", "mine\n") }, []string{"new"}},
		{"a link where a folder comes", func(m mover) { os.Symlink("/tmp", m.Path("new")) }, []string{"new"}},
		{"a folder where a file comes", func(m mover) { m.Write("new/added.txt/x", "mine\n") }, []string{"new/added.txt/x"}},
		{"several", func(m mover) { m.Write("changed.txt", "mine\n"); m.Write("out.log", "mine\n") }, []string{"changed.txt", "out.log"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMover(t)
			tt.do(m)
			check := gittest.Invariants(t, m.Dir)
			for name, try := range map[string]func() error{
				"clear": func() error { return m.repo.Clear(t.Context(), m.move) },
				"move":  func() error { _, err := m.repo.FastForward(t.Context(), m.move); return err },
			} {
				e := work.Public(try())
				if diff := cmp.Diff(tt.list, e.List); e.Code != work.Conflict || e.Next == "" || diff != "" {
					t.Errorf("%s: %+v: %s", name, e, diff)
				}
			}
			check()
		})
	}
}

func TestF97CheckedOutElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, m mover, other string)
		says string // of the refusal; "" means that it moves there
	}{
		{"in another worktree", func(t *testing.T, m mover, other string) {}, ""},
		{"dirty there", func(t *testing.T, m mover, other string) { gittest.Write(t, other+"/changed.txt", "mine\n") }, "changes in"},
		{"in two", func(t *testing.T, m mover, other string) {
			m.Git("switch", "--quiet", "--ignore-other-worktrees", "main")
		}, "checked out in 2 places"},
		{"gone", func(t *testing.T, m mover, other string) { os.Rename(other, other+"-away") }, "not there"},
		{"being merged", func(t *testing.T, m mover, other string) {
			change(t, m.Repo, m.move.From, "conflicting", map[string]string{"other.txt": "x\n"})
			gittest.Write(t, other+"/second.txt", "y\n")
			m.In(other, "merge", "--no-ff", "--no-commit", "--no-gpg-sign", "--no-verify-signatures", "--no-autostash", "conflicting")
		}, "a merge is not finished"},
		{"locked index", func(t *testing.T, m mover, other string) {
			gittest.Write(t, m.In(other, "rev-parse", "--absolute-git-dir")+"/index.lock", "")
		}, "a git is at work"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMover(t)
			m.Git("switch", "--quiet", "-c", "mine")
			other := filepath.Join(gittest.Folder(t, "elsewhere"), "w")
			m.Git("worktree", "add", "--quiet", other, "main")
			tt.do(t, m, other)
			check := gittest.Invariants(t, m.Dir)
			if tt.says == "" {
				check = gittest.Invariants(t, m.Dir, "refs/heads/main")
			}
			at, err := m.repo.FastForward(t.Context(), m.move)
			check()
			if tt.says == "" {
				if err != nil || at != other || m.In(other, "status", "--porcelain", "--no-branch") != "" {
					t.Errorf("fast-forward: %q, %v", at, err)
				}
				return
			}
			if e := work.Public(err); !strings.Contains(e.Msg, tt.says) || e.Next == "" {
				t.Errorf("refusal %+v, want %q", e, tt.says)
			}
		})
	}
}

func TestForwardDuringRebase(t *testing.T) {
	m := newMover(t)
	m.Write("other.txt", "mine\n")
	mine := m.Commit("mine")
	change(t, m.Repo, m.move.From, "onto", map[string]string{"other.txt": "theirs\n"})
	if _, err := m.Try(m.Dir, "-c", "rebase.autoStash=false", "rebase", "onto"); err == nil {
		t.Fatal("the rebase was to stop at a conflict")
	}
	check := gittest.Invariants(t, m.Dir)
	to := m.Git("commit-tree", "-p", mine, "-m", "x", m.move.To+"^{tree}")
	_, err := m.repo.FastForward(t.Context(), git.Move{Branch: "main", From: mine, To: to})
	check()
	if e := work.Public(err); e.Code != work.Conflict || !strings.Contains(e.Msg, "being rebased") {
		t.Errorf("moving a branch that is being rebased: %v", err)
	}
}

func TestF10LockIsNamedWithItsAge(t *testing.T) {
	m := newMover(t)
	lock := filepath.Join(m.repo.GitDir, "index.lock")
	gittest.Write(t, lock, "")
	check := gittest.Invariants(t, m.Dir)
	_, err := m.repo.FastForward(t.Context(), m.move)
	check()
	if e := work.Public(err); e.Code != work.Busy || !strings.Contains(e.Msg, lock) || !strings.Contains(e.Next, "delete that file") {
		t.Errorf("held lock: %+v", e)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("the lock of another git is gone: %v", err)
	}
}

// An agent writes records into the shared git directory that say main were checked
// out in a folder that it cannot reach itself.
func TestS08ForgedCheckout(t *testing.T) {
	m := newMover(t)
	m.Git("switch", "--quiet", "-c", "mine")
	victim := gittest.Folder(t, "victim")
	admin := filepath.Join(m.repo.GitDir, "worktrees", "forged")
	gittest.Write(t, admin+"/gitdir", victim+"/.git\n")
	gittest.Write(t, admin+"/HEAD", "ref: refs/heads/main\n")
	gittest.Write(t, admin+"/commondir", "../..\n")
	_, err := m.repo.FastForward(t.Context(), m.move)
	if work.CodeOf(err) != work.Conflict {
		t.Errorf("forged checkout: %v, want conflict", err)
	}
	if left, _ := os.ReadDir(victim); len(left) != 0 {
		t.Errorf("files were written to %s: %v", victim, left)
	}
}

// Settings of the user must not make a fast-forward anything else.
func TestForwardIgnoresMergeSettings(t *testing.T) {
	m := newMover(t)
	m.Git("config", "branch.main.mergeOptions", "--squash --no-commit --no-ff")
	m.Git("config", "merge.autoStash", "true")
	m.Git("config", "merge.verifySignatures", "true")
	m.Write("changed.txt", "mine\n")
	check := gittest.Invariants(t, m.Dir)
	if _, err := m.repo.FastForward(t.Context(), m.move); work.CodeOf(err) != work.Conflict {
		t.Errorf("overlapping change: %v, want conflict", err)
	}
	check()
	m.Write("changed.txt", "old\n")
	if _, err := m.repo.FastForward(t.Context(), m.move); err != nil {
		t.Fatal(err)
	}
	if m.Git("rev-parse", "main") != m.move.To || m.Git("stash", "list") != "" {
		t.Errorf("main = %s, stash %q", m.Git("rev-parse", "main"), m.Git("stash", "list"))
	}
}

// git itself is killed after it has written some files and before it has written
// the index. What is left blocks nothing: the same move goes on from there.
func TestForwardGoesOnWhereGitWasKilled(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "*.last filter=deadly\n")
	r.Write("a.txt", "old\n")
	r.Write("b.txt", "old\n")
	from := r.Commit("from")
	trigger := filepath.Join(gittest.Folder(t, "trigger"), "armed")
	r.Git("config", "filter.deadly.clean", "cat")
	r.Git("config", "filter.deadly.smudge", "if test -e "+trigger+"; then kill -9 $PPID; fi; cat")
	to := change(t, r, from, "aside", map[string]string{"a.txt": "new\n", "b.txt": "-", "c.txt": "new\n", "z.last": "new\n"})
	m := mover{Repo: r, repo: open(t, r), move: git.Move{Branch: "main", From: from, To: to}}

	gittest.Write(t, trigger, "")
	if _, err := m.repo.FastForward(t.Context(), m.move); err == nil {
		t.Fatal("git was to be killed")
	}
	if err := os.Remove(trigger); err != nil {
		t.Fatal(err)
	}
	if r.Read("a.txt") != "new\n" || r.Git("rev-parse", "main") != from {
		t.Fatalf("git was killed too early or too late for this test: %q", r.Read("a.txt"))
	}
	if _, err := m.repo.FastForward(t.Context(), m.move); work.CodeOf(err) != work.Busy {
		t.Fatalf("with the lock that git left: %v, want busy", err)
	}
	if err := os.Remove(filepath.Join(m.repo.GitDir, "index.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.repo.FastForward(t.Context(), m.move); work.CodeOf(err) != work.Conflict {
		t.Fatalf("without knowing that it was cut off: %v, want conflict", err)
	}
	m.move.Again = true
	if _, err := m.repo.FastForward(t.Context(), m.move); err != nil {
		t.Fatal(err)
	}
	if s := r.Git("status", "--porcelain", "--no-branch"); s != "" || r.Git("rev-parse", "HEAD") != to {
		t.Errorf("not where it was to go: %s", s)
	}
}

// A move that fails in the middle by itself is taken back at once.
func TestForwardThatFailsIsTakenBack(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "*.last filter=broken\n")
	r.Write("a.txt", "old\n")
	from := r.Commit("from")
	to := change(t, r, from, "aside", map[string]string{"a.txt": "new\n", "c.txt": "new\n", "z.last": "new\n"})
	r.Git("config", "filter.broken.smudge", "false")
	r.Git("config", "filter.broken.required", "true")
	r.Write("mine.txt", "staged\n")
	r.Git("add", "mine.txt")
	repo := open(t, r)
	before := r.Git("ls-files", "--stage")
	check := gittest.Invariants(t, r.Dir, "index")
	_, err := repo.FastForward(t.Context(), git.Move{Branch: "main", From: from, To: to})
	if err == nil {
		t.Fatal("the filter was to fail")
	}
	check()
	if after := r.Git("ls-files", "--stage"); after != before {
		t.Errorf("index after: %s, before: %s", after, before)
	}
}

// Between the checkout and the branch, a move back can be cut off.
func TestSetBackGoesOn(t *testing.T) {
	m := newMover(t)
	if _, err := m.repo.FastForward(t.Context(), m.move); err != nil {
		t.Fatal(err)
	}
	m.Git("read-tree", "-m", "-u", m.move.To, m.move.From)
	back := git.Move{Branch: "main", From: m.move.To, To: m.move.From, Again: true}
	if _, err := m.repo.SetBack(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	if s := m.Git("status", "--porcelain", "--no-branch"); s != "" || m.Git("rev-parse", "HEAD") != m.move.From {
		t.Errorf("not back where it was: %s", s)
	}
}

// touched is a time at which nothing was written.
func (m mover) touched() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
