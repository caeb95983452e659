package git_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

const mark = "offrun 7f3a run-1/claude"

// roomOf makes a repository with a worktree of ours.
func roomOf(t testing.TB) (*gittest.Repo, git.Worktree) {
	t.Helper()
	r := gittest.New(t)
	repo := open(t, r)
	if err := repo.Exclude(t.Context(), ".worktrees/"); err != nil {
		t.Fatal(err)
	}
	w, err := repo.AddWorktree(t.Context(), git.WorktreeOptions{
		Path: filepath.Join(repo.Dir, ".worktrees", "card-claude-1"), Branch: "run/card-claude-1",
		Commit: r.Git("rev-parse", "HEAD"), Mark: mark,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func TestRemoveWorktree(t *testing.T) {
	r, w := roomOf(t)
	gittest.Write(t, w.Path+"/untracked.txt", "work\n")
	check := gittest.Invariants(t, r.Dir)
	gone, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Repo.DeleteBranch(t.Context(), "run/card-claude-1", r.Git("rev-parse", "HEAD")); err != nil {
		t.Fatal(err)
	}
	check()
	if list := r.Git("worktree", "list", "--porcelain"); strings.Contains(list, "claude") || r.Git("branch", "--list", "run/*") != "" {
		t.Errorf("worktree or branch is still there: %s", list)
	}
	if b, err := os.ReadFile(gone.Trash + "/tree/untracked.txt"); err != nil || string(b) != "work\n" || gone.Bytes == 0 {
		t.Errorf("not in the trash: %+v, %v", gone, err)
	}
	if _, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark}); err != nil {
		t.Errorf("once more: %v", err)
	}
	if err := w.Repo.DeleteBranch(t.Context(), "run/card-claude-1", "0000000000000000000000000000000000000001"); err != nil {
		t.Errorf("F02: a branch that is gone: %v", err)
	}
	for _, owner := range []string{"", "offrun 9999"} {
		if _, err := w.Repo.EmptyTrash(t.Context(), owner); err != nil || count(t, w.Repo.Trash()) != 1 {
			t.Errorf("F95: emptying the trash of %q touched ours: %v", owner, err)
		}
	}
	if freed, err := w.Repo.EmptyTrash(t.Context(), "offrun 7f3a"); err != nil || freed == 0 || count(t, w.Repo.Trash()) != 0 {
		t.Errorf("emptying our trash: %d, %v", freed, err)
	}
	r.Git("fsck", "--strict", "--full")
}

func count(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A worktree is left alone, to the byte, unless every guard passes.
func TestF94F95OnlyWhatIsOursGoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, r *gittest.Repo, w *git.Worktree) // may change what the records say
		says string
	}{
		{"another installation's mark", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			gittest.Write(t, w.Admin+"/locked", "offrun 9999 run-1/claude\n")
		}, "another mark"},
		{"no mark", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { r.Git("worktree", "unlock", w.Path) }, "another mark"},
		{"the main checkout", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Path = w.Repo.Dir }, "does not lie in"},
		{"a folder deeper", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Path += "/sub" }, "does not lie in"},
		{"outside by dots", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Path += "/../../x" }, "does not lie in"},
		{"all worktrees", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Path = filepath.Dir(w.Path) }, "does not lie in"},
		{"the trash", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Path = w.Repo.Trash() }, "does not lie in"},
		{"the repository for its record", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Admin = w.Repo.GitDir }, "no worktree's record"},
		{"no record", func(t *testing.T, r *gittest.Repo, w *git.Worktree) { w.Admin = "" }, "no worktree's record"},
		{"another's record", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			r.Git("worktree", "add", "--quiet", "--lock", "--reason", mark, gittest.Folder(t, "x")+"/other")
			w.Admin = filepath.Join(w.Repo.GitDir, "worktrees", "other")
		}, "no record of it"},
		{"a link in its place", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			away := gittest.Folder(t, "away") + "/w"
			rename(t, w.Path, away)
			link(t, away, w.Path)
		}, "leads elsewhere"},
		{"a link above it", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			away := gittest.Folder(t, "away") + "/w"
			rename(t, filepath.Dir(w.Path), away)
			link(t, away, filepath.Dir(w.Path))
		}, "leads elsewhere"},
		{"a repository in it", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			r.In(w.Path, "init", "--quiet", "lib")
		}, "git repositories in it"},
		{"a bare repository in an ignored folder", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			gittest.Write(t, w.Path+"/.gitignore", "cache/\n")
			r.In(w.Path, "init", "--quiet", "--bare", "cache/x.git")
		}, "git repositories in it"},
		{"a repository in its place", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			os.Remove(w.Path + "/.git")
			r.In(w.Path, "init", "--quiet")
		}, "git repositories in it"},
		{"a worktree in it", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			r.In(w.Path, "worktree", "add", "--quiet", "--detach", "inner")
		}, "git repositories in it"},
		{"a submodule's commits in its record (F21)", func(t *testing.T, r *gittest.Repo, w *git.Worktree) {
			gittest.Write(t, w.Admin+"/modules/lib/HEAD", "ref: refs/heads/main\n")
		}, "git repositories in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, w := roomOf(t)
			tt.do(t, r, &w)
			before := everything(t, filepath.Dir(r.Dir))
			_, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark})
			if e := work.Public(err); e.Code != work.Conflict || !strings.Contains(e.Msg, tt.says) || e.Next == "" {
				t.Errorf("refusal: %v, want conflict with %q", err, tt.says)
			}
			if diff := cmp.Diff(before, everything(t, filepath.Dir(r.Dir))); diff != "" {
				t.Errorf("something was touched: %s", diff)
			}
		})
	}
}

// What an agent did to its pointer does not matter: the records are ours.
func TestF40RemoveWithRewrittenPointer(t *testing.T) {
	_, w := roomOf(t)
	elsewhere := gittest.New(t)
	gittest.Write(t, w.Path+"/.git", "gitdir: "+elsewhere.Dir+"/.git\n")
	check := gittest.Invariants(t, elsewhere.Dir)
	if _, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark}); err != nil {
		t.Fatal(err)
	}
	check()
}

// Nested repositories go only if the person named them.
func TestRemoveAccepted(t *testing.T) {
	r, w := roomOf(t)
	r.In(w.Path, "init", "--quiet", "lib")
	_, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark})
	list := work.Public(err).List
	if diff := cmp.Diff([]string{"lib"}, list); diff != "" {
		t.Fatal(diff)
	}
	if _, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark, Accept: list}); err != nil {
		t.Fatal(err)
	}
}

func TestF89ARefusalIsFinal(t *testing.T) {
	r, w := roomOf(t)
	no := errors.New("no")
	before := everything(t, filepath.Dir(r.Dir))
	_, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark, Before: func(git.Survey) error { return no }})
	if !errors.Is(err, no) {
		t.Errorf("error = %v", err)
	}
	if diff := cmp.Diff(before, everything(t, filepath.Dir(r.Dir))); diff != "" {
		t.Errorf("something was touched: %s", diff)
	}
}

// A removal that is cut off after any of its steps is finished by the next.
func TestRemoveGoesOn(t *testing.T) {
	for _, step := range []string{"entry made", "folder moved", "record moved"} {
		r, w := roomOf(t)
		check := gittest.Invariants(t, r.Dir)
		entry := filepath.Join(w.Repo.Trash(), "card-claude-1-123")
		gittest.Write(t, entry+"/manifest.json", `{"mark":"`+mark+`"}`)
		if step != "entry made" {
			rename(t, w.Path, entry+"/tree")
		}
		if step == "record moved" {
			rename(t, w.Admin, entry+"/admin")
		}
		if _, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark}); err != nil {
			t.Errorf("%s: %v", step, err)
		}
		if _, err := w.Repo.EmptyTrash(t.Context(), mark); err != nil || count(t, w.Repo.Trash()) != 0 {
			t.Errorf("%s: the trash is not empty: %v", step, err)
		}
		check()
		r.Git("fsck", "--full")
		if list := r.Git("worktree", "list", "--porcelain"); strings.Contains(list, "claude") {
			t.Errorf("%s: %s", step, list)
		}
	}
}

// The property that matters: whatever a worktree, its record and the names we have
// of them look like, nothing but that folder and that record ever moves, and they
// only if they are what the guard promises.
func TestF94GuardProperty(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	rounds := 15
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		r, w := roomOf(t)
		top := filepath.Dir(r.Dir)
		path, admin := w.Path, w.Admin
		var did []string
		ours := true // whether all that was done leaves the worktree removable
		for range random.IntN(3) {
			name, harmless := disturb(t, random, r, &w)
			did = append(did, name)
			ours = ours && harmless
		}
		before := everything(t, top)
		_, err := w.Repo.RemoveWorktree(t.Context(), w, git.RemoveOptions{Mark: mark})
		if (err == nil) != ours {
			t.Errorf("seed %d, after %q: error %v, but ours is %v", seed, did, err, ours)
		}
		after := everything(t, top)
		for name := range maps.Keys(before) {
			full := filepath.Join(top, name)
			mayGo := err == nil && (inside(full, path) || inside(full, admin) || full == filepath.Dir(admin))
			if _, still := after[name]; !still && !mayGo {
				t.Errorf("seed %d, after %q: %s is gone (error %v)", seed, did, name, err)
			} else if still && before[name] != after[name] {
				t.Errorf("seed %d, after %q: %s is different", seed, did, name)
			}
		}
		r.Git("fsck", "--full")
	}
}

// disturb does one thing to the worktree or to what we know of it.
func disturb(t *testing.T, random *rand.Rand, r *gittest.Repo, w *git.Worktree) (name string, harmless bool) {
	type trick struct {
		name     string
		harmless bool
		do       func()
	}
	tricks := []trick{
		{"files", true, func() { gittest.Write(t, w.Path+"/a/b/c.txt", "x") }},
		{"link out", true, func() { os.Symlink(r.Dir, filepath.Join(w.Path, fmt.Sprint("link", random.Int()))) }},
		{"link to git", true, func() { os.Symlink(w.Repo.GitDir, filepath.Join(w.Path, fmt.Sprint("git", random.Int()))) }},
		{"read-only folder", true, func() { gittest.Write(t, w.Path+"/ro/x", "x"); os.Chmod(w.Path+"/ro", 0o500) }},
		{"commit", true, func() { r.Try(w.Path, "commit", "--quiet", "--allow-empty", "-m", "x") }},
		{"pointer", true, func() { os.WriteFile(w.Path+"/.git", []byte("gitdir: "+w.Repo.GitDir+"\n"), 0o644) }},
		{"nested", false, func() { gittest.Write(t, w.Path+"/n/.git", "gitdir: elsewhere\n") }},
		{"nested, other case", false, func() { gittest.Write(t, w.Path+"/n/.GIT/config", "\n") }},
		{"bare", false, func() {
			for _, f := range []string{"HEAD", "objects/x", "refs/x"} {
				gittest.Write(t, w.Path+"/deep/er/"+f, "x")
			}
		}},
		{"mark", false, func() { os.WriteFile(w.Admin+"/locked", []byte(mark+"x"), 0o644) }},
		{"gitdir", false, func() { os.WriteFile(w.Admin+"/gitdir", []byte(r.Dir+"/.git\n"), 0o644) }},
		{"path of main", false, func() { w.Path = r.Dir }},
		{"path of home", false, func() { w.Path = filepath.Dir(w.Path) }},
		{"path of git", false, func() { w.Path = w.Repo.GitDir }},
		{"unclean path", false, func() { w.Path += "/." }},
		{"admin of all", false, func() { w.Admin = filepath.Dir(w.Admin) }},
		{"admin of nobody", false, func() { w.Admin = filepath.Join(w.Repo.GitDir, "worktrees", "nobody") }},
	}
	do := tricks[random.IntN(len(tricks))]
	if _, err := os.Lstat(filepath.Join(w.Path, "README.md")); err == nil && w.Path != r.Dir {
		do.do()
		return do.name, do.harmless
	}
	return "nothing", true
}

func TestSurveySeal(t *testing.T) {
	_, w := roomOf(t)
	gittest.Write(t, w.Path+"/dir/a.txt", "one\n")
	seal := func() string {
		t.Helper()
		s, err := w.Survey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Seal
	}
	last := seal()
	if again := seal(); again != last {
		t.Error("the seal changes by itself")
	}
	info, err := os.Stat(w.Path + "/dir/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(){
		"written, times put back": func() {
			gittest.Write(t, w.Path+"/dir/a.txt", "two\n")
			os.Chtimes(w.Path+"/dir/a.txt", info.ModTime(), info.ModTime())
		},
		"added": func() { gittest.Write(t, w.Path+"/dir/b.txt", "") },
		"mode":  func() { os.Chmod(w.Path+"/README.md", 0o755) },
		"renamed": func() {
			rename(t, w.Path+"/dir/a.txt", w.Path+"/dir/c.txt")
			rename(t, w.Path+"/dir/c.txt", w.Path+"/dir/a.txt")
		},
	} {
		do()
		if now := seal(); now == last {
			t.Errorf("%s: the seal is the same", name)
		} else {
			last = now
		}
	}
}

func TestTips(t *testing.T) {
	r, w := roomOf(t)
	base := r.Git("rev-parse", "HEAD")
	tips := func() []string {
		t.Helper()
		ids, err := w.Tips(t.Context(), "run/card-claude-1")
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	if diff := cmp.Diff([]string{base}, tips()); diff != "" {
		t.Error(diff)
	}
	commit := func(name string) string {
		gittest.Write(t, w.Path+"/"+name, name)
		r.In(w.Path, "add", name)
		r.In(w.Path, "commit", "--quiet", "-m", name)
		return r.In(w.Path, "rev-parse", "HEAD")
	}
	commit("a")
	b := commit("b") // contains a
	r.In(w.Path, "reset", "--quiet", "--hard", base)
	c := commit("c")
	r.In(w.Path, "switch", "--quiet", "--detach", base)
	d := commit("d")
	r.In(w.Path, "update-ref", "refs/worktree/own", d)
	r.In(w.Path, "switch", "--quiet", "run/card-claude-1")
	want := []string{b, c, d}
	got := tips()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := w.Repo.DeleteBranch(t.Context(), "run/card-claude-1", c); work.CodeOf(err) != work.Conflict {
		t.Errorf("deleting a branch that is checked out: %v", err)
	}
	if err := w.Repo.DeleteBranch(t.Context(), "main", base); work.CodeOf(err) != work.Conflict {
		t.Errorf("deleting a branch of the user's: %v", err)
	}
}

// everything describes all files below top, git's own too.
func everything(t *testing.T, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if d.Name() == "offrun.lock" || strings.Contains(rel, ".trash") || err != nil {
			return err
		}
		all[rel] = d.Type().String()
		if d.Type() == fs.ModeSymlink {
			to, err := os.Readlink(name)
			all[rel] = "to " + to
			return err
		}
		if d.Type().IsRegular() {
			b, err := os.ReadFile(name)
			all[rel] = fmt.Sprintf("%x", sha256.Sum256(b))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
