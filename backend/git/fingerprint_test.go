package git_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestFingerprint does to a repository what an agent should not, one thing at a
// time, and asks what was noticed.
func TestFingerprint(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, r *gittest.Repo, w git.Worktree)
		want []work.Touch
	}{
		{"nothing", func(*testing.T, *gittest.Repo, git.Worktree) {}, nil},
		{"own work", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
			r.In(w.Path, "add", "-A")
			r.In(w.Path, "commit", "--quiet", "-m", "own")
			r.Write("runs/1/agent.log", "log\n")
			r.Git("status")
			r.Git("update-ref", "refs/offrun/keep/x", "HEAD")
		}, nil},
		{"F42 file in the main checkout", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			r.Write("README.md", "written by an agent\n")
			r.Write("new/x.txt", "x\n")
		}, []work.Touch{{What: "file", Name: "README.md", Change: "changed"}, {What: "file", Name: "new/x.txt", Change: "added"}}},
		{"F42 file that was dirty already", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			r.Write("dirty.txt", "changed again\n")
		}, []work.Touch{{What: "file", Name: "dirty.txt", Change: "changed"}}},
		{"F42 staged in the main checkout", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			r.Git("add", "dirty.txt")
		}, []work.Touch{{What: "file", Name: "dirty.txt", Change: "changed"}, {What: "index", Change: "changed"}}},
		{"F30 stash popped", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			r.In(w.Path, "stash", "pop", "--quiet")
		}, []work.Touch{{What: "stash", Name: "STASH", Change: "removed"}}},
		{"F30 stash pushed", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			gittest.Write(t, filepath.Join(w.Path, "README.md"), "x\n")
			r.In(w.Path, "stash", "--quiet")
		}, []work.Touch{{What: "stash", Name: "NEW", Change: "added"}}},
		{"branch moved and made", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			gittest.Write(t, filepath.Join(w.Path, "a.txt"), "a\n")
			r.In(w.Path, "add", "-A")
			r.In(w.Path, "commit", "--quiet", "-m", "own")
			r.In(w.Path, "update-ref", "refs/heads/side", "HEAD")
			r.In(w.Path, "tag", "v1")
		}, []work.Touch{{What: "refs", Name: "refs/heads/side", Change: "changed"}, {What: "refs", Name: "refs/tags/v1", Change: "added"}}},
		{"main checkout switched", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			r.Git("symbolic-ref", "HEAD", "refs/heads/side")
		}, []work.Touch{{What: "HEAD", Name: "side HEAD", Change: "changed"}, {What: "file", Name: "README.md", Change: "changed"}}},
		{"S09 program in the shared configuration", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			r.In(w.Path, "config", "core.fsmonitor", "touch /tmp/x")
			r.In(w.Path, "config", "branch.main.description", "text")
		}, []work.Touch{{What: "config", Name: "local branch.main.description", Change: "added"}, {What: "config", Name: "local core.fsmonitor", Change: "added", Danger: true}}},
		{"S09 user's own configuration", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			r.In(w.Path, "config", "--global", "alias.x", "!touch /tmp/x")
		}, []work.Touch{{What: "config", Name: "global alias.x", Change: "added", Danger: true}}},
		{"S09 configuration for one worktree", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			gittest.Write(t, filepath.Join(w.Admin, "config.worktree"), "[filter \"x\"]\n\tclean = touch /tmp/x\n")
		}, []work.Touch{{What: "config", Name: "worktree:card-fake-1 filter.x.clean", Change: "added", Danger: true}}},
		{"S09 attributes and exclude", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			gittest.Write(t, r.Path(".git/info/attributes"), "* filter=x\n")
			gittest.Write(t, r.Path(".git/info/exclude"), "hidden\n")
		}, []work.Touch{{What: "attributes", Name: ".git/info/attributes", Change: "added", Danger: true}, {What: "exclude", Name: ".git/info/exclude", Change: "changed"}}},
		{"our own line in exclude", func(t *testing.T, r *gittest.Repo, w git.Worktree) {
			if err := w.Repo.Exclude(t.Context(), "/node_modules"); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"S10 hook", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			gittest.Script(t, r.Path(".git/hooks/pre-commit"), "touch /tmp/x\n")
		}, []work.Touch{{What: "hooks", Name: "hooks/pre-commit", Change: "added", Danger: true}}},
		{"S09 configuration that cannot be read", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			gittest.Write(t, r.Path(".git/config"), "[core\n")
		}, []work.Touch{{What: "config", Name: "local unreadable", Change: "added", Danger: true}}},
		{"S08 commondir of the repository", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			gittest.Write(t, r.Path(".git/commondir"), "/tmp\n")
		}, []work.Touch{{What: "file", Name: ".git/commondir", Change: "added", Danger: true}}},
		{"S09 configuration of a submodule", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			gittest.Write(t, r.Path(".git/modules/lib/config"), "[core]\n\tfsmonitor = touch /tmp/x\n")
		}, []work.Touch{{What: "config", Name: ".git/modules/lib/config", Change: "added", Danger: true}}},
		{"replaced history", func(t *testing.T, r *gittest.Repo, _ git.Worktree) {
			r.Git("replace", "HEAD", "side")
		}, []work.Touch{{What: "refs", Name: "refs/replace/HEAD", Change: "added", Danger: true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Git("branch", "side")
			r.Write("README.md", "two\n")
			r.Commit("two")
			r.Write("stashed.txt", "stashed\n")
			r.Git("add", "-A")
			r.Git("stash", "--quiet")
			r.Write("dirty.txt", "dirty\n")
			w, base := attempt(t, r)
			names := strings.NewReplacer(base, "HEAD", r.Git("rev-parse", "stash"), "STASH", r.Git("rev-parse", "side"), "HEAD")
			before := fingerprint(t, w.Repo)
			tt.do(t, r, w)
			var got []work.Touch
			if strings.Contains(tt.name, "cannot be read") || strings.Contains(tt.name, "commondir") {
				after, err := w.Repo.SharedFingerprint(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, touch := range before.Changed(after) {
					if touch.Change == "added" { // all that can no longer be read counts as removed
						got = append(got, touch)
					}
				}
			} else {
				got = before.Changed(fingerprint(t, w.Repo))
			}
			for i := range got {
				got[i].Name = names.Replace(got[i].Name)
				if got[i].What == "stash" && got[i].Change == "added" {
					got[i].Name = "NEW"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fingerprint takes one and sends it through JSON, as it is stored.
func fingerprint(t *testing.T, r git.Repo) git.Fingerprint {
	t.Helper()
	f, err := r.Fingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var back git.Fingerprint
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("JSON: %s", diff)
	}
	return back
}

// TestFingerprintKeepsNoSecrets: values of the configuration are not in it.
func TestFingerprintKeepsNoSecrets(t *testing.T) {
	r := gittest.New(t)
	r.Git("config", "remote.origin.url", "https://user:hunter2@example.org/x.git")
	b, err := json.Marshal(fingerprint(t, repoAt(t, r.Dir)))
	if err != nil || strings.Contains(string(b), "hunter2") {
		t.Errorf("%s, %v", b, err)
	}
}

// TestS09NoProgramRuns: programs that an agent put into the shared configuration do
// not run when we look whether they are there, nor when we compare trees.
func TestS09NoProgramRuns(t *testing.T) {
	r := gittest.New(t)
	w, base := attempt(t, r)
	before := fingerprint(t, w.Repo)
	canary := r.Path(".git/canary")
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand",
		"diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
		"credential.helper", "gpg.program", "alias.rev-parse", "pager.config", "interactive.diffFilter"} {
		r.In(w.Path, "config", key, "touch '"+canary+"'; cat")
	}
	r.In(w.Path, "config", "core.hooksPath", filepath.Join(w.Path, "hooks"))
	gittest.Script(t, filepath.Join(w.Path, "hooks/reference-transaction"), "touch '"+canary+"'\n")
	gittest.Write(t, r.Path(".git/info/attributes"), "* filter=evil diff=evil\n")
	after, err := w.Repo.SharedFingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	touched := before.Changed(after)
	if !git.Dangerous(touched) || len(touched) < 18 {
		t.Errorf("touched = %+v", touched)
	}
	changed(t, w.Repo, base, base)
	if _, err := w.Repo.Keep(t.Context(), "refs/offrun/keep/x/y/1", base+"^{tree}", nil, "x\n"); err != nil {
		t.Fatal(err)
	}
	if exists(canary) {
		t.Error("a program of the configuration ran")
	}
}

// TestS10HookInTree: an agent's version of a hook that is under version control never
// runs, and counts as an ordinary change of its worktree.
func TestS10HookInTree(t *testing.T) {
	r := gittest.HooksInTree(t)
	w, base := attempt(t, r)
	before := fingerprint(t, w.Repo)
	canary := r.Path(".git/canary")
	for _, hook := range []string{"pre-commit", "post-checkout", "reference-transaction", "post-index-change"} {
		gittest.Script(t, filepath.Join(w.Path, ".githooks", hook), "touch '"+canary+"'\n")
	}
	s := snapshot(t, w, base)
	if _, err := w.Repo.Keep(t.Context(), "refs/offrun/keep/x/y/1", s.Full, []string{base}, "x\n"); err != nil {
		t.Fatal(err)
	}
	if got := changed(t, w.Repo, base, s.Tree); len(got) != 4 {
		t.Errorf("changes = %q, want 4", got)
	}
	if touched := before.Changed(fingerprint(t, w.Repo)); touched != nil {
		t.Errorf("touched = %+v", touched)
	}
	// A hook in the main checkout's folder that is not under version control.
	gittest.Script(t, r.Path(".githooks/post-merge"), "touch '"+canary+"'\n")
	if touched := before.Changed(fingerprint(t, w.Repo)); !git.Dangerous(touched) {
		t.Errorf("touched = %+v, want a dangerous one", touched)
	}
	if exists(canary) {
		t.Error("a hook ran")
	}
}

// TestRestoreShared: configuration, hooks and info files come back as they were, and
// our own lines stay.
func TestRestoreShared(t *testing.T) {
	r := gittest.New(t)
	gittest.Script(t, r.Path(".git/hooks/pre-push"), "exit 0\n")
	if err := os.Symlink("pre-push", r.Path(".git/hooks/pre-rebase")); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, r.Path(".git/info/exclude"), "mine\n")
	w, _ := attempt(t, r)
	untouched := gittest.Invariants(t, r.Dir)
	dir := filepath.Join(gittest.Folder(t, "copies"), "shared")
	if err := w.Repo.SaveShared(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "config")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy's mode: %v, %v", info, err)
	}
	r.Git("config", "core.fsmonitor", "touch /tmp/x")
	r.Git("config", "user.name", "Somebody Else")
	gittest.Script(t, r.Path(".git/hooks/pre-push"), "exit 1\n")
	gittest.Script(t, r.Path(".git/hooks/pre-commit"), "exit 1\n")
	if err := os.Remove(r.Path(".git/hooks/pre-rebase")); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, r.Path(".git/info/attributes"), "* filter=x\n")
	if err := w.Repo.Exclude(t.Context(), "/later"); err != nil {
		t.Fatal(err)
	}
	lock := r.Path(".git/config.lock")
	gittest.Write(t, lock, "")
	if err := w.Repo.RestoreShared(t.Context(), dir); work.CodeOf(err) != work.Busy {
		t.Errorf("with config.lock: %v, want busy", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := w.Repo.RestoreShared(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	untouched()
	if b, err := os.ReadFile(r.Path(".git/info/exclude")); err != nil || !strings.Contains(string(b), "/later\n") || !strings.Contains(string(b), "mine\n") {
		t.Errorf("exclude = %q, %v", b, err)
	}
	if exists(lock) {
		t.Error("config.lock was left")
	}
	if err := w.Repo.RestoreShared(t.Context(), gittest.Folder(t, "empty")); work.CodeOf(err) != work.NotFound {
		t.Errorf("without a copy: %v", err)
	}
}
