package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Shape is one animal of the zoo: a kind of repository that something once
// stumbled over. Its name begins with the fault's id, where it has one.
type Shape struct {
	Name   string
	Unborn bool // has no commit
	Slow   bool // takes seconds to build; left out with -short
	Build  func(t testing.TB) *Repo
}

// Zoo lists all shapes. Build skips the test where this machine or its git cannot
// have the shape, and says why.
func Zoo() []Shape {
	return []Shape{
		{Name: "F01-unborn", Unborn: true, Build: func(t testing.TB) *Repo { return Empty(t) }},
		{Name: "F04-bare-with-pointer", Build: BareWithPointer},
		{Name: "F05-half-made-worktree", Build: HalfMade},
		{Name: "F16-failing-hooks", Build: func(t testing.TB) *Repo { return withHooks(t, "exit 1") }},
		{Name: "F16-slow-hooks", Build: func(t testing.TB) *Repo { return withHooks(t, "sleep 600") }},
		{Name: "F16-prompting-hooks", Build: func(t testing.TB) *Repo { return withHooks(t, "read answer < /dev/tty") }},
		{Name: "F17-hook-writes-into-git-folder", Build: func(t testing.TB) *Repo { return withHooks(t, "echo x > .git/stamp") }},
		{Name: "F18-filter-missing", Build: FilterMissing},
		{Name: "F19-blobless-offline", Build: Blobless},
		{Name: "F20-submodule", Build: Submodule},
		{Name: "F20-submodule-dirty", Build: dirtySubmodule},
		{Name: "F20-submodule-of-itself", Build: selfSubmodule},
		{Name: "F23-branch-differs-by-case", Build: func(t testing.TB) *Repo { return withBranches(t, "Alice/one", "RUN/Card-Claude-1") }},
		{Name: "F23-branch-where-a-folder-should-be", Build: func(t testing.TB) *Repo { return withBranches(t, "run") }},
		{Name: "F24-paths-differ-by-case", Build: CaseClash},
		{Name: "F24-dirty-from-birth", Build: DirtyFromBirth},
		{Name: "F27-odd-names", Build: OddNames},
		{Name: "F32-embedded-repository", Build: Embedded},
		{Name: "F36-signing-with-dead-gpg", Build: DeadSigning},
		{Name: "F38-locked-worktree", Build: func(t testing.TB) *Repo { return lockedWorktree(t, true) }},
		{Name: "F38-dead-lock", Build: func(t testing.TB) *Repo { return lockedWorktree(t, false) }},
		{Name: "F43-line-of-6-MB", Build: longLine},
		{Name: "F56-latin1-utf16-crlf", Build: Encodings},
		{Name: "F97-trunk-checked-out-elsewhere", Build: TrunkElsewhere},
		{Name: "S10-hooks-in-the-tree", Build: HooksInTree},
		{Name: "S12-links-out-of-the-tree", Build: LinksOut},
		{Name: "S13-embedded-bare-repository", Build: EmbeddedBare},
		{Name: "P4-shallow", Build: Shallow},
		{Name: "P4-sparse", Build: Sparse},
		{Name: "P4-sha256", Build: func(t testing.TB) *Repo { return first(Empty(t, "--object-format=sha256")) }},
		{Name: "P4-reftable", Build: Reftable},
		{Name: "P4-detached", Build: detached},
		{Name: "P4-separate-git-folder", Build: separate},
		{Name: "P4-autocrlf", Build: autocrlf},
		{Name: "P4-read-only-files", Build: readOnly},
		{Name: "P4-dirty-main", Build: Dirty},
		{Name: "P4-main-on-other-branch", Build: otherBranch},
		{Name: "P4-ten-thousand-files", Slow: true, Build: func(t testing.TB) *Repo { return Big(t, 10000) }},
	}
}

// ForAll runs test for every shape.
func ForAll(t *testing.T, test func(t *testing.T, s Shape, r *Repo)) {
	for _, s := range Zoo() {
		t.Run(s.Name, func(t *testing.T) {
			if s.Slow && testing.Short() {
				t.Skip("slow to build")
			}
			test(t, s, s.Build(t))
		})
	}
}

func first(r *Repo) *Repo {
	r.Write("README.md", "hello\n")
	r.Write("src/main.c", "int main(void) { return 0; }\n")
	r.Commit("first")
	return r
}

// BareWithPointer is a bare repository in .bare, a .git file that names it, and the
// checkout as a linked worktree beside them. Other is the folder that holds all.
func BareWithPointer(t testing.TB) *Repo {
	from := New(t)
	top := Folder(t, "all")
	from.In(top, "clone", "--quiet", "--bare", from.Dir, ".bare")
	Write(t, filepath.Join(top, ".git"), "gitdir: ./.bare\n")
	from.In(top, "worktree", "add", "--quiet", "main", "main")
	r := At(t, filepath.Join(top, "main"))
	r.Other = top
	return r
}

// HalfMade is left when git worktree add is killed between registration and
// checkout. Other is the folder that should have become the worktree.
func HalfMade(t testing.TB) *Repo {
	r := New(t)
	r.Other = r.Path(".worktrees/half")
	r.Git("worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", "offrun install-1 half", "-b", "run/half", r.Other)
	if err := os.Remove(r.Path(".git/worktrees/half/commondir")); err != nil {
		t.Fatal(err)
	}
	return r
}

func withHooks(t testing.TB, body string) *Repo {
	r := New(t)
	for _, hook := range []string{"pre-commit", "post-checkout", "post-commit", "commit-msg", "reference-transaction", "post-index-change", "pre-merge-commit", "post-merge"} {
		Script(t, r.Path(".git/hooks/"+hook), "echo "+hook+" >> '"+r.Path(".git/canary")+"'\n"+body+"\n")
	}
	return r
}

// FilterMissing has a file with a required filter, like those of LFS, whose program
// is not there.
func FilterMissing(t testing.TB) *Repo {
	r := New(t)
	r.Write(".gitattributes", "*.bin filter=big -text\n")
	r.Write("a.bin", "pointer\n")
	r.Commit("with filter")
	r.Git("config", "filter.big.clean", "no-such-filter clean %f")
	r.Git("config", "filter.big.smudge", "no-such-filter smudge %f")
	r.Git("config", "filter.big.required", "true")
	return r
}

// Blobless is a partial clone whose remote is gone: the files of its first commit
// were never fetched.
func Blobless(t testing.TB) *Repo {
	from := first(Empty(t))
	from.Git("config", "uploadpack.allowFilter", "true")
	from.Write("src/main.c", "int main(void) { return 1; }\n")
	from.Commit("second")
	r := At(t, Folder(t, "clone"))
	r.Git("clone", "--quiet", "--filter=blob:none", "file://"+from.Dir, ".")
	r.Git("remote", "set-url", "origin", "file://"+from.Dir+"-gone")
	return r
}

// Submodule has a submodule lib, checked out. Other is its repository.
func Submodule(t testing.TB) *Repo {
	lib := New(t)
	r := New(t)
	r.Git("submodule", "--quiet", "add", lib.Dir, "lib")
	r.Commit("with submodule")
	r.Other = lib.Dir
	return r
}

func dirtySubmodule(t testing.TB) *Repo {
	r := Submodule(t)
	r.Write("lib/README.md", "changed\n")
	return r
}

func selfSubmodule(t testing.TB) *Repo {
	r := New(t)
	r.Git("submodule", "--quiet", "add", "./.", "self")
	r.Commit("with itself")
	return r
}

func withBranches(t testing.TB, names ...string) *Repo {
	r := New(t)
	for _, name := range names {
		r.Git("branch", name)
	}
	return r
}

// CaseClash tracks two paths that are one on a disk that ignores case.
func CaseClash(t testing.TB) *Repo {
	r := New(t)
	r.CommitTree("main", "clash", map[string]string{"README.md": "hello\n", "Tool": "big\n", "tool": "small\n"})
	r.Git("reset", "--quiet", "--hard")
	return r
}

// DirtyFromBirth has files whose line endings are not what .gitattributes says: git
// takes them for changed as soon as it looks at them.
func DirtyFromBirth(t testing.TB) *Repo {
	r := New(t)
	r.CommitTree("main", "crlf", map[string]string{"README.md": "hello\n", ".gitattributes": "*.txt text eol=lf\n", "dos.txt": "one\r\ntwo\r\n"})
	r.Git("reset", "--quiet", "--hard")
	return r
}

// Odd are file names that have broken programs. The last two are one name in two
// Unicode forms.
var Odd = []string{
	"plain.txt", "with space.txt", " leading", "trailing ", "tab\there", "new\nline", `quote"d`, "it's", `back\slash`,
	"-dash", "--all", "star*", "[a]", ":colon", ":(top)magic", "#hash", "ä.txt", "日本語.md", "🦩", "a b/c d/🦩",
	"nbsp\u00a0", "rtl\u202etxt.exe", "caf\u00e9.txt", "cafe\u0301.nfd",
}

// OddNames tracks files with every name of Odd, on a branch with an odd name too.
func OddNames(t testing.TB) *Repo {
	r := New(t)
	for _, name := range Odd {
		r.Write(name, name+"\n")
	}
	r.Commit("odd names")
	r.Git("branch", "feature/日本語-🦩")
	return r
}

// Embedded has an untracked repository with a commit in its folder.
func Embedded(t testing.TB) *Repo {
	r := New(t)
	r.Git("init", "--quiet", "inner")
	r.Write("inner/a.txt", "inner\n")
	r.In(r.Path("inner"), "add", "-A")
	r.In(r.Path("inner"), "commit", "--quiet", "-m", "inner")
	return r
}

// DeadSigning signs every commit with a program that fails.
func DeadSigning(t testing.TB) *Repo {
	r := New(t)
	Script(t, r.Path(".git/gpg"), "exit 1\n")
	r.Git("config", "commit.gpgSign", "true")
	r.Git("config", "gpg.program", r.Path(".git/gpg"))
	return r
}

func lockedWorktree(t testing.TB, there bool) *Repo {
	r := New(t)
	r.Other = r.Path(".worktrees/locked")
	r.Git("worktree", "add", "--quiet", "--lock", "--reason", "somebody else", "-b", "theirs", r.Other)
	if !there {
		if err := os.RemoveAll(r.Other); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func longLine(t testing.TB) *Repo {
	r := New(t)
	r.Write("bundle.js", strings.Repeat("var a=1;", 6<<20/8)+"\n")
	r.Commit("minified")
	return r
}

// Encodings has text that is not UTF-8, and line endings that are not line feeds.
func Encodings(t testing.TB) *Repo {
	r := New(t)
	r.CommitTree("main", "encodings", map[string]string{
		"README.md": "hello\n", ".gitattributes": "* -text\n", "latin1.txt": "caf\xe9\n", "utf16.txt": "\xff\xfea\x00\n\x00", "dos.bat": "a\r\nb\r\n", "binary.bin": "\x00\x01\x02"})
	r.Git("reset", "--quiet", "--hard")
	return r
}

// TrunkElsewhere has main checked out in a linked worktree, Other, while the main
// checkout is on the branch work.
func TrunkElsewhere(t testing.TB) *Repo {
	r := New(t)
	r.Git("switch", "--quiet", "-c", "work")
	r.Other = filepath.Join(Folder(t, "elsewhere"), "main")
	r.Git("worktree", "add", "--quiet", r.Other, "main")
	return r
}

// HooksInTree keeps its hooks under version control, as husky does.
func HooksInTree(t testing.TB) *Repo {
	r := New(t)
	Script(t, r.Path(".githooks/pre-commit"), "exit 1\n")
	r.Commit("hooks")
	r.Git("config", "core.hooksPath", ".githooks")
	return r
}

// LinksOut tracks symbolic links that lead out of the tree. Other is where to.
func LinksOut(t testing.TB) *Repo {
	r := New(t)
	r.Other = Folder(t, "outside")
	Write(t, filepath.Join(r.Other, "secret"), "secret\n")
	r.CommitTree("main", "links", map[string]string{"README.md": "hello\n", "out@": r.Other, "up@": "../../..", "dangling@": "/no/such/file"})
	r.Git("reset", "--quiet", "--hard")
	return r
}

// EmbeddedBare tracks a folder that looks like a bare repository and whose
// configuration would run a program.
func EmbeddedBare(t testing.TB) *Repo {
	r := New(t)
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/keep": "", "refs/keep": "",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = touch '" + r.Path(".git/canary") + "'\n",
	} {
		r.Write("trap/"+name, text)
	}
	r.Commit("trap")
	return r
}

// Shallow is a clone without its history.
func Shallow(t testing.TB) *Repo {
	from := New(t)
	from.Write("README.md", "hello again\n")
	from.Commit("second")
	r := At(t, Folder(t, "clone"))
	r.Git("clone", "--quiet", "--depth=1", "file://"+from.Dir, ".")
	return r
}

// Sparse has only the folder in checked out, not the folder out.
func Sparse(t testing.TB) *Repo {
	r := New(t)
	r.Write("in/a.txt", "in\n")
	r.Write("out/b.txt", "out\n")
	r.Commit("two folders")
	r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	return r
}

// Reftable keeps its refs in another form; git before 2.45 cannot.
func Reftable(t testing.TB) *Repo {
	Home(t)
	r := At(t, Folder(t, "project"))
	if out, err := r.Try(r.Dir, "init", "--quiet", "-b", "main", "--ref-format=reftable"); err != nil {
		t.Skipf("this git has no reftable: %s", out)
	}
	return first(r)
}

func detached(t testing.TB) *Repo {
	r := first(Empty(t))
	r.Git("switch", "--quiet", "--detach")
	return r
}

func separate(t testing.TB) *Repo {
	Home(t)
	r := At(t, Folder(t, "project"))
	r.Git("init", "--quiet", "-b", "main", "--separate-git-dir", filepath.Join(Folder(t, "elsewhere"), "store"))
	return first(r)
}

func autocrlf(t testing.TB) *Repo {
	r := first(Empty(t))
	r.Git("config", "core.autocrlf", "true")
	r.Git("rm", "--cached", "-r", "--quiet", ".")
	r.Git("reset", "--quiet", "--hard")
	return r
}

func readOnly(t testing.TB) *Repo {
	r := first(Empty(t))
	for _, name := range []string{"README.md", "src/main.c"} {
		if err := os.Chmod(r.Path(name), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Dirty has staged, unstaged and untracked changes, and a stash.
func Dirty(t testing.TB) *Repo {
	r := first(Empty(t))
	r.Write("README.md", "stashed\n")
	r.Git("stash", "--quiet")
	r.Write("staged.txt", "staged\n")
	r.Git("add", "staged.txt")
	r.Write("src/main.c", "int main(void) { return 2; }\n")
	r.Write("new/untracked.txt", "untracked\n")
	return r
}

func otherBranch(t testing.TB) *Repo {
	r := first(Empty(t))
	r.Git("switch", "--quiet", "-c", "feature/x")
	return r
}

// Big has a README and n small files in folders of a hundred.
func Big(t testing.TB, n int) *Repo {
	r := Empty(t)
	r.Write("README.md", "hello\n")
	for i := range n {
		r.Write(fmt.Sprintf("pkg%03d/file%05d.txt", i/100, i), fmt.Sprintf("file %d\n", i))
	}
	r.Commit("many files")
	return r
}
