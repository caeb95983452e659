package git_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// open opens the repository of a test.
func open(t testing.TB, r *gittest.Repo) git.Repo {
	t.Helper()
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// change commits files on top of base, on a branch of its own, and returns the
// commit. A file whose text is "-" is deleted.
func change(t testing.TB, r *gittest.Repo, base, branch string, files map[string]string) string {
	t.Helper()
	dir := gittest.Folder(t, "aside")
	r.Git("worktree", "add", "--quiet", "-b", branch, dir+"/w", base)
	for name, text := range files {
		if text == "-" {
			r.In(dir+"/w", "rm", "--quiet", "--", name)
			continue
		}
		gittest.Write(t, dir+"/w/"+name, text)
	}
	r.In(dir+"/w", "add", "-A", "--force")
	r.In(dir+"/w", "commit", "--quiet", "-m", branch)
	id := r.In(dir+"/w", "rev-parse", "HEAD")
	r.Git("worktree", "remove", dir+"/w")
	return id
}

func lines(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		if c, ok := change[i]; ok {
			b.WriteString(c + "\n")
		} else {
			b.WriteString("line\n")
		}
	}
	return b.String()
}

const odd = "ä b\n\"quoted\".txt"

func TestMerge(t *testing.T) {
	base := map[string]string{"a.txt": lines(9, nil), odd: "one\n", "dir/c.txt": "c\n"}
	for _, tt := range []struct {
		name         string
		ours, theirs map[string]string
		conflicts    []string
		want         map[string]string
	}{
		{"apart", map[string]string{"a.txt": "ours\n"}, map[string]string{"new/b.txt": "b\n"}, nil, map[string]string{"a.txt": "ours\n", "new/b.txt": "b\n"}},
		{"both in one file", map[string]string{"a.txt": lines(9, map[int]string{0: "x"})}, map[string]string{"a.txt": lines(9, map[int]string{8: "y"})}, nil,
			map[string]string{"a.txt": lines(9, map[int]string{0: "x", 8: "y"})}},
		{"only ours", map[string]string{"a.txt": "ours\n"}, nil, nil, map[string]string{"a.txt": "ours\n"}},
		{"only theirs", nil, map[string]string{"a.txt": "theirs\n"}, nil, map[string]string{"a.txt": "theirs\n"}},
		{"the same", map[string]string{"a.txt": "same\n"}, map[string]string{"a.txt": "same\n"}, nil, map[string]string{"a.txt": "same\n"}},
		{"odd name in conflict", map[string]string{odd: "two\n", "a.txt": "ours\n"}, map[string]string{odd: "three\n", "a.txt": "theirs\n"}, []string{"a.txt", odd}, nil},
		{"deleted and changed", map[string]string{"dir/c.txt": "-"}, map[string]string{"dir/c.txt": "d\n"}, []string{"dir/c.txt"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			for name, text := range base {
				r.Write(name, text)
			}
			b := r.Commit("base")
			ours, theirs := b, b
			if tt.ours != nil {
				ours = change(t, r, b, "ours", tt.ours)
			}
			if tt.theirs != nil {
				theirs = change(t, r, b, "theirs", tt.theirs)
			}
			repo := open(t, r)
			sides := git.Sides{Base: r.Git("rev-parse", b+"^{tree}"), Ours: r.Git("rev-parse", ours+"^{tree}"), Theirs: r.Git("rev-parse", theirs+"^{tree}")}
			check := gittest.Invariants(t, r.Dir)
			objects := r.Git("count-objects", "-v")
			tried, err := repo.TryMerge(t.Context(), sides)
			if err != nil {
				t.Fatal(err)
			}
			if after := r.Git("count-objects", "-v"); after != objects {
				t.Errorf("a look left objects behind: %s, before %s", after, objects)
			}
			m, err := repo.Merge(t.Context(), sides)
			if err != nil {
				t.Fatal(err)
			}
			check()
			if diff := cmp.Diff(m, tried); diff != "" {
				t.Errorf("a look and a merge differ: %s", diff)
			}
			if diff := cmp.Diff(tt.conflicts, m.Conflicts); diff != "" {
				t.Errorf("conflicts: %s", diff)
			}
			for name, text := range tt.want {
				if got := r.Git("cat-file", "blob", m.Tree+":"+name) + "\n"; got != text {
					t.Errorf("%s = %q, want %q", name, got, text)
				}
			}
		})
	}
}

// A rewritten trunk must not get back what it dropped: what lands is the attempt's
// own change, not what lies between two branches.
func TestMergeOnRewrittenTrunk(t *testing.T) {
	r := gittest.New(t)
	first := r.Git("rev-parse", "HEAD")
	r.Write("dropped.txt", "x\n")
	base := r.Commit("to be dropped")
	result := change(t, r, base, "result", map[string]string{"result.txt": "r\n"})
	r.Git("reset", "--quiet", "--hard", first)
	r.Write("other.txt", "o\n")
	tip := r.Commit("other")

	repo := open(t, r)
	d, err := repo.Drift(t.Context(), base, "main")
	if err != nil {
		t.Fatal(err)
	}
	if d.Tip != tip || d.Behind != 1 || d.Lost != 1 {
		t.Errorf("drift = %+v, want tip %s, behind 1, lost 1", d, tip)
	}
	m, err := repo.Merge(t.Context(), git.Sides{Base: d.BaseTree, Ours: d.Tree, Theirs: r.Git("rev-parse", result+"^{tree}")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Git("ls-tree", "-r", "--name-only", m.Tree), "README.md\nother.txt\nresult.txt"; got != want {
		t.Errorf("merged tree holds %q, want %q", got, want)
	}
}

func TestMergeSHA256(t *testing.T) {
	r := gittest.Empty(t, "--object-format=sha256")
	r.Write("a", "a\n")
	base := r.Commit("base")
	ours := change(t, r, base, "ours", map[string]string{"b": "b\n"})
	theirs := change(t, r, base, "theirs", map[string]string{"c": "c\n"})
	m, err := open(t, r).Merge(t.Context(), git.Sides{Base: r.Git("rev-parse", base+"^{tree}"), Ours: r.Git("rev-parse", ours+"^{tree}"), Theirs: r.Git("rev-parse", theirs+"^{tree}")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Git("ls-tree", "-r", "--name-only", m.Tree), "a\nb\nc"; got != want {
		t.Errorf("merged tree holds %q, want %q", got, want)
	}
}

func TestDrift(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	repo := open(t, r)
	want := git.Drift{Base: base, Tip: base, Tree: r.Git("rev-parse", base+"^{tree}"), BaseTree: r.Git("rev-parse", base+"^{tree}")}
	for range 3 {
		got, err := repo.Drift(t.Context(), base, "main")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("drift: %v %s", err, diff)
		}
		glance, err := repo.Glance(t.Context(), base, "main")
		if err != nil || glance.Tip != want.Tip || glance.Behind != want.Behind || glance.Lost != 0 {
			t.Errorf("glance = %+v, %v, want %+v", glance, err, want)
		}
		r.Write("n", want.Tip)
		want.Tip = r.Commit("more")
		want.Tree = r.Git("rev-parse", "HEAD^{tree}")
		want.Behind++
	}
	r.Git("branch", "old", base)
	if got, err := repo.Drift(t.Context(), want.Tip, "old"); err != nil || got.Tip != base || got.Lost != 3 {
		t.Errorf("drift of a branch that was set back = %+v, %v", got, err)
	}
	if _, err := repo.Drift(t.Context(), base, "nowhere"); work.CodeOf(err) != work.NotFound {
		t.Errorf("drift of a branch that is not there: %v, want not_found", err)
	}
}

// A glance and a drift must lead to the same merge, whatever shape history has, and
// wherever git keeps it.
func TestGlance(t *testing.T) {
	for name, do := range map[string]func(r *gittest.Repo, base string){
		"moved": func(r *gittest.Repo, base string) { r.Write("x", "x\n"); r.Commit("x") },
		"merged": func(r *gittest.Repo, base string) {
			change(t, r, base, "side", map[string]string{"side": "s\n"})
			r.Write("x", "x\n")
			r.Commit("x")
			r.Git("merge", "--quiet", "--no-edit", "--no-ff", "--no-verify-signatures", "--no-autostash", "--no-gpg-sign", "side")
		},
		"an older side": func(r *gittest.Repo, base string) {
			change(t, r, base+"^", "side", map[string]string{"side": "s\n"})
			r.Git("merge", "--quiet", "--no-edit", "--no-ff", "--no-verify-signatures", "--no-autostash", "--no-gpg-sign", "side")
		},
		"packed": func(r *gittest.Repo, base string) {
			r.Write("x", "x\n")
			r.Commit("x")
			r.Git("pack-refs", "--all")
			r.Git("repack", "-a", "-d", "--quiet")
		},
		"rewritten": func(r *gittest.Repo, base string) {
			r.Git("reset", "--quiet", "--hard", base+"^")
			r.Write("x", "x\n")
			r.Commit("x")
		},
		"another root": func(r *gittest.Repo, base string) {
			r.Git("update-ref", "refs/heads/main", r.Git("commit-tree", "-m", "root", base+"^{tree}"))
		},
		"set back": func(r *gittest.Repo, base string) { r.Git("reset", "--quiet", "--hard", base+"^") },
	} {
		r := gittest.New(t)
		r.Write("base", "b\n")
		base := r.Commit("base")
		result := r.Git("rev-parse", change(t, r, base, "result", map[string]string{"result": "r\n"})+"^{tree}")
		do(r, base)
		repo := open(t, r)
		drift, err := repo.Drift(t.Context(), base, "main")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		glance, err := repo.Glance(t.Context(), base, "main")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := repo.TryMerge(t.Context(), drift.Sides(result))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := repo.TryMerge(t.Context(), glance.Sides(result))
		if diff := cmp.Diff(want, got); err != nil || diff != "" || glance.Behind != drift.Behind || glance.Lost != drift.Lost {
			t.Errorf("%s: glance %+v, drift %+v: %v %s", name, glance, drift, err, diff)
		}
	}
}
