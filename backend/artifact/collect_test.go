package artifact

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

const runID work.RunID = "20260301-120000"

// A desk is a repository with one worktree in which the test plays the agent.
type desk struct {
	*gittest.Repo
	t  *testing.T
	in In
}

// newDesk makes a worktree of r at its HEAD, and the folder of the first turn with
// what the agent is supposed to have printed.
func newDesk(t *testing.T, r *gittest.Repo) *desk {
	t.Helper()
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	base := r.Git("rev-parse", "HEAD")
	branch := "run/card-claude-" + string(runID)
	w, err := repo.AddWorktree(t.Context(), git.WorktreeOptions{
		Path: filepath.Join(r.Dir, ".worktrees", "card-claude"), Branch: branch, Commit: base, Mark: "offrun test",
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{Repo: r, t: t, in: In{
		Repo: repo, Worktree: w, Base: base, Branch: branch, Run: runID, Attempt: "claude", Turn: 1,
		Dir: filepath.Join(r.Dir, "runs", string(runID), "claude", "turns", "1"),
	}}
	put(t, filepath.Join(d.in.Dir, Log), "{}\n")
	return d
}

// leaves writes a file of the worktree.
func (d *desk) leaves(name, text string) {
	d.t.Helper()
	put(d.t, filepath.Join(d.in.Worktree.Path, name), text)
}

// git runs git as the agent would.
func (d *desk) git(args ...string) string {
	d.t.Helper()
	return d.In(d.in.Worktree.Path, args...)
}

func (d *desk) collect() work.Result {
	d.t.Helper()
	r, err := Collect(d.t.Context(), d.in)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// run is the run as it is stored after its only turn.
func (d *desk) run(r work.Result) work.Run {
	return work.Run{ID: runID, Base: d.in.Base, Attempts: []work.Attempt{
		{Run: runID, Name: "claude", Turns: []work.Turn{{N: 1, Result: &r}}},
	}}
}

// sound fails the test if the collected artifacts do not prove r.
func (d *desk) sound(r work.Result) {
	d.t.Helper()
	for _, f := range Verify(d.t.Context(), d.in.Repo, d.run(r)) {
		d.t.Errorf("%s: %s", f.File, f.Text)
	}
}

func changed(r work.Result) map[string]string {
	all := map[string]string{}
	for _, c := range r.Changes {
		all[c.Path] = c.Status
	}
	return all
}

// Work counts in whatever state the agent left it: committed (F49), staged,
// unstaged, never added (F48), binary (F52), in any encoding (F56), under odd
// names; and the user's part of the repository stays as it was.
func TestF48F49F52F56Collect(t *testing.T) {
	gittest.Home(t)
	r := gittest.New(t)
	r.Write("old.txt", strings.Repeat("line\n", 50))
	r.Write("latin1.txt", "caf\xe9\r\nx\n")
	r.Write("gone.txt", "x\n")
	r.Commit("second")
	d := newDesk(t, r)
	check := gittest.Invariants(t, r.Dir)

	d.leaves("committed.txt", "1\n")
	d.git("add", "-A")
	d.git("commit", "--quiet", "-m", "the agent's own")
	d.leaves("staged.txt", "2")
	d.git("add", "staged.txt")
	d.leaves("README.md", "changed\n")
	d.leaves("pkg/new/a.go", "package new\n")
	d.leaves("pic.bin", "\x00\x01\xff")
	d.leaves("latin1.txt", "caf\xe8\r\nx\n")
	d.leaves("new\nline \"q\".txt", "odd\n")
	d.git("mv", "old.txt", "moved.txt")
	d.leaves("NOTES.md", "# Notes\n")
	d.leaves(".offrun/task.md", "task\n")
	if err := os.Remove(filepath.Join(d.in.Worktree.Path, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	index := d.git("rev-parse", "--absolute-git-dir") + "/index"
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	got := d.collect()
	after, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the agent's index is not what it was")
	}
	want := map[string]string{
		"committed.txt": "added", "staged.txt": "added", "README.md": "changed", "pkg/new/a.go": "added", "pic.bin": "added",
		"latin1.txt": "changed", "new\nline \"q\".txt": "added", "moved.txt": "renamed", "gone.txt": "deleted",
	}
	if d := cmp.Diff(want, changed(got)); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if got.Files != 9 || got.Added != 6 || got.Deleted != 3 || got.Empty != "" || len(got.Notices) != 0 {
		t.Errorf("files %d, added %d, deleted %d, empty %q, notices %q", got.Files, got.Added, got.Deleted, got.Empty, got.Notices)
	}
	if got.Head != d.git("rev-parse", "HEAD") || got.Branch != d.in.Branch {
		t.Errorf("head %s, branch %q", got.Head, got.Branch)
	}
	notes, err := os.ReadFile(filepath.Join(d.in.Dir, Notes))
	if !got.HasNotes || string(notes) != "# Notes\n" {
		t.Errorf("notes %q, %v", notes, err)
	}
	stat, err := os.ReadFile(filepath.Join(d.in.Dir, Stat))
	if err != nil || !strings.Contains(string(stat), "9 files changed") {
		t.Errorf("%s: %s, %v", Stat, stat, err)
	}
	d.sound(got)
	check()
	gittest.Canary(t)
}

// F43, F44: what the user has configured for his own eyes, prefixes, colours and
// programs, changes neither patch nor table.
func TestF43F44Configured(t *testing.T) {
	left := func(configure func(r *gittest.Repo)) map[string]string {
		r := gittest.New(t)
		configure(r)
		d := newDesk(t, r)
		d.leaves("README.md", "hello\nthere  \n")
		d.leaves("b.md", "new\n")
		d.sound(d.collect())
		return files(t, d.in.Dir)
	}
	plain := left(func(*gittest.Repo) {})
	canary := filepath.Join(t.TempDir(), "canary")
	t.Setenv("GIT_EXTERNAL_DIFF", "touch "+canary)
	configured := left(func(r *gittest.Repo) {
		for _, kv := range []string{
			"diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.external=touch " + canary, "diff.shout.textconv=touch " + canary,
			"diff.context=0", "diff.algorithm=patience", "diff.renames=false", "diff.statGraphWidth=3", "diff.suppressBlankEmpty=true",
			"color.ui=always", "color.diff=always", "core.quotePath=false", "core.abbrev=5", "apply.whitespace=fix", "core.whitespace=error",
		} {
			key, value, _ := strings.Cut(kv, "=")
			r.Git("config", key, value)
		}
		put(t, filepath.Join(r.Dir, ".git", "info", "attributes"), "*.md diff=shout\n")
	})
	if d := cmp.Diff(plain, configured); d != "" {
		t.Errorf("(-plain +configured):\n%s", d)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program of the configuration ran")
	}
	if !strings.Contains(plain[Patch], "--- a/README.md\n+++ b/README.md\n@@ -1 +1,2 @@\n hello\n+there  \n") {
		t.Errorf("patch:\n%s", plain[Patch])
	}
}

// F51: what lands on trunk meanwhile is not the attempt's.
func TestF51TrunkMoves(t *testing.T) {
	d := newDesk(t, gittest.New(t))
	d.leaves("mine.txt", "x\n")
	d.Write("theirs.txt", "x\n")
	d.Commit("landed meanwhile")
	got := d.collect()
	if diff := cmp.Diff(map[string]string{"mine.txt": "added"}, changed(got)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	d.sound(got)
}

// R8: an empty result explains itself.
func TestEmpty(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent func(d *desk)
		want  string
	}{
		{"nothing", func(*desk) {}, "nothing changed"},
		{"a question", func(d *desk) { d.in.Asked = "Which one?" }, "asked a question and stopped: Which one?"},
		{"elsewhere", func(d *desk) { d.in.Elsewhere = true }, "nothing changed in its worktree, but files outside of it changed while it ran"},
		{"ignored only", func(d *desk) {
			d.leaves("a.log", "x")
			d.leaves("tmp/b", "x")
			d.leaves(".env", "brought along")
			d.in.Brought = []string{"copied .env", "cloned node_modules/"}
		}, "only ignored files changed: a.log, tmp/"},
		{"notes only", func(d *desk) { d.leaves("NOTES.md", "could not do it\n") }, "it only wrote NOTES.md"},
		{"commits that cancel out", func(d *desk) {
			d.leaves("x", "x")
			d.git("add", "-A")
			d.git("commit", "-q", "-m", "x")
			d.git("revert", "--no-edit", "HEAD")
		}, "it made commits that together change nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Write(".gitignore", "*.log\ntmp/\n.env\n")
			r.Commit("ignore")
			d := newDesk(t, r)
			tt.agent(d)
			got := d.collect()
			if got.Files != 0 || got.Empty != tt.want {
				t.Errorf("%d files, empty %q, want %q", got.Files, got.Empty, tt.want)
			}
			d.sound(got)
		})
	}
}

// What is odd about a worktree is said, and never stops collection.
func TestNotices(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent func(d *desk)
		want  []string
	}{
		{"F37 another branch", func(d *desk) { d.git("checkout", "-q", "-b", "mine") }, []string{"switched to the branch mine"}},
		{"F37 no branch", func(d *desk) { d.git("checkout", "-q", "--detach") }, []string{"left its branch: HEAD is detached"}},
		{"F32 a repository of its own", func(d *desk) {
			d.In(d.Dir, "init", "-q", filepath.Join(d.in.Worktree.Path, "sub"))
			d.leaves("sub/x", "x")
		}, []string{"made a repository of its own in sub: its files are part of the result, its history is not"}},
		{"a merge in the middle", func(d *desk) {
			d.git("checkout", "-q", "-b", "other")
			d.leaves("README.md", "other\n")
			d.git("commit", "-q", "-a", "-m", "other")
			d.git("checkout", "-q", d.in.Branch)
			d.leaves("README.md", "ours\n")
			d.git("commit", "-q", "-a", "-m", "ours")
			if _, err := d.Try(d.in.Worktree.Path, "-c", "merge.verifySignatures=false", "merge", "other"); err == nil {
				d.t.Fatal("the merge should conflict")
			}
		}, []string{"left a merge unfinished", "left merge conflicts: files may hold conflict markers"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, gittest.New(t))
			tt.agent(d)
			d.leaves("x", "x")
			got := d.collect()
			if diff := cmp.Diff(tt.want, got.Notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if got.Files == 0 {
				t.Error("its work is lost")
			}
			d.sound(got)
		})
	}
}

// NOTES.md is an artifact wherever it comes from, and only part of the result if
// the project says so.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		base    string // NOTES.md of the base, if any
		left    string
		setting string
		files   int
		want    string
	}{
		{"kept", "", "new", "keep", 0, "new"},
		{"landed", "", "new", "land", 1, "new"},
		{"kept beside one of the base", "old", "new", "keep", 0, "new"},
		{"of the base only", "old", "old", "keep", 0, ""},
		{"taken away", "old", "", "keep", 0, ""},
		{"too big", "", strings.Repeat("x", maxNotesFile+1), "keep", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			if tt.base != "" {
				r.Write("NOTES.md", tt.base)
				r.Commit("notes")
			}
			d := newDesk(t, r)
			d.in.Notes = tt.setting
			put(t, filepath.Join(d.in.Dir, Notes), "left by a collection that was cut off")
			if tt.left == "" {
				os.Remove(filepath.Join(d.in.Worktree.Path, Notes))
			} else {
				d.leaves("NOTES.md", tt.left)
			}
			got := d.collect()
			if got.Files != tt.files || got.HasNotes != (tt.want != "") {
				t.Errorf("%d files, has notes %v", got.Files, got.HasNotes)
			}
			text, err := os.ReadFile(filepath.Join(d.in.Dir, Notes))
			if string(text) != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("notes %.20q, %v", text, err)
			}
			d.sound(got)
		})
	}
	t.Run("a link", func(t *testing.T) {
		d := newDesk(t, gittest.New(t))
		if err := os.Symlink("/etc/passwd", filepath.Join(d.in.Worktree.Path, Notes)); err != nil {
			t.Fatal(err)
		}
		if got := d.collect(); got.HasNotes {
			t.Error("a symlink was taken for notes")
		}
	})
}

// One ref keeps both trees and the agent's commits through everything git does to
// tidy up; collecting again after an interruption gives the same.
func TestKept(t *testing.T) {
	d := newDesk(t, gittest.New(t))
	d.leaves("x", "x")
	d.git("add", "-A")
	d.git("commit", "-q", "-m", "x")
	d.leaves("y", "y")
	d.leaves("NOTES.md", "notes")
	first := d.collect()
	second := d.collect()
	first.Commit = second.Commit // which has its own date
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("collected again (-first +second):\n%s", diff)
	}
	d.git("checkout", "-q", "--detach", d.in.Base)
	d.Git("branch", "-D", d.in.Branch)
	d.Git("reflog", "expire", "--expire=now", "--all")
	d.git("reflog", "expire", "--expire=now", "--all")
	d.Git("gc", "--quiet", "--prune=now")
	for _, id := range []string{first.FullTree, first.Tree, first.Commit, first.Head} {
		if _, err := d.Try(d.Dir, "cat-file", "-e", id); err != nil {
			t.Errorf("%s is gone: %v", id, err)
		}
	}
	if got := d.Git("rev-parse", first.Ref+"^{tree}"); got != first.FullTree {
		t.Errorf("the ref keeps %s, not %s", got, first.FullTree)
	}
	d.sound(first)
}

// While the agent works, counting leaves no trace, and what is counted is not
// taken for stored at the end.
func TestCounter(t *testing.T) {
	d := newDesk(t, gittest.New(t))
	check := gittest.Invariants(t, d.Dir)
	c := NewCounter(d.in.Worktree, d.in.Base, filepath.Join(d.in.Dir, "live"))
	objects := func() string { return d.Git("count-objects") }
	before := objects()
	for i, name := range []string{"a", "b/c", "NOTES.md"} {
		d.leaves(name, name)
		got, err := c.Files(t.Context())
		if want := min(i+1, 2); err != nil || got != want {
			t.Errorf("%d files with %s, %v; want %d", got, name, err, want)
		}
	}
	if after := objects(); after != before {
		t.Errorf("%s of the repository, before %s", after, before)
	}
	check()
	got := d.collect()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(d.in.Dir, "live")); err == nil {
		t.Error("the counter's files are still there")
	}
	d.Git("fsck", "--strict", "--no-dangling")
	d.sound(got)
}
