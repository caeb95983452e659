package diff

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// odd is a tree of files before and after, each for one trap in patches. A nil
// side means that the file is not there.
type odd struct{ before, after string }

const gone = "\x00gone"

func oddFiles() map[string]odd {
	long := strings.Repeat("word ", 200_000)
	lines := func(n int, eol string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d%s", i, eol)
		}
		return b.String()
	}
	files := map[string]odd{
		"new.txt":           {gone, "a\nb\n"},
		"new-empty.txt":     {gone, ""},
		"deleted.txt":       {"a\nb\n", gone},
		"deleted-empty.txt": {"", gone},
		"emptied.txt":       {"a\n", ""},
		"filled.txt":        {"", "a\n"},
		"eol-lost.txt":      {"a\nb\n", "a\nb"},
		"eol-gained.txt":    {"a\nb", "a\nb\n"},
		"eol-never.txt":     {"a\nb", "a\nc"},
		"eol-context.txt":   {"a\nb\nc", "x\nb\nc"},
		"crlf.txt":          {lines(9, "\r\n"), strings.Replace(lines(9, "\r\n"), "4\r", "four\r", 1)},
		"crlf-lost.txt":     {lines(9, "\r\n"), lines(9, "\n")},
		"latin1.txt":        {"caf\xe9\nx\n", "caf\xe8\nx\n"},
		"utf16.txt":         {"\xff\xfea\x00\n\x00", "\xff\xfeb\x00\n\x00"},
		"separators.txt":    {"a\fb\u2028c\u0085d\ve\n", "a\fb\u2028c\u0085d\vf\n"},
		"one-line.txt":      {long, long + "end"},
		"far.txt":           {lines(500, "\n"), strings.NewReplacer("line 3\n", "", "line 250\n", "x\ny\n", "line 499\n", "z").Replace(lines(500, "\n"))},
		"patch.txt":         {"--- a/fake\n+++ b/fake\n@@ -1 +1 @@\n-x\n", "diff --git a/x b/x\n--- b/fake\n@@ -1 +1 @@\n+y\n"},
		"signs.txt":         {"-- a\n++ b\n\\ No newline at end of file\n", "++ b\n-- c\n\\ No newline at end of file\nGIT binary patch\n"},
		"binary.bin":        {"a\x00b", "a\x00c"},
		"binary-new.bin":    {gone, "\x00diff --git \n\x01\x02"},
		"spaces.txt":        {"a b\n\n\tc\n", "a  b\n \n    c\n"},
	}
	for i, name := range []string{
		"with space", "trailing ", "\ttab", "new\nline", `quo"te`, `back\slash`, "naïve 修复 👩‍👧",
		"a b/c b/d", "-dash", "b/b/b", "@@ -1 +1 @@", "/dev/null b", "caf\xe9",
	} {
		name = strings.TrimPrefix(name, "/")
		files[name] = odd{fmt.Sprintf("%d\nb\n", i), fmt.Sprintf("%d\nc\n", i)}
	}
	return files
}

// A repo is a git repository for one test; git is the real one, with no
// configuration but the test's own.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git("init", "--quiet", "-b", "main")
	return r
}

func (r repo) git(args ...string) []byte {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, stderr.Bytes())
	}
	return out
}

// tree makes the files of r be these, and returns them as a tree of git.
func (r repo) tree(files map[string]string) string {
	r.t.Helper()
	r.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", ".")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			r.t.Fatal(err)
		}
		r.git("add", "-f", "--", ":(literal)"+name)
	}
	return strings.TrimSpace(string(r.git("write-tree")))
}

// quoted is an option of patch: non-ASCII paths are written in octal.
const quoted = "quoted"

// patch is the diff of two trees with the options that collection uses.
func (r repo) patch(before, after string, options ...string) []byte {
	r.t.Helper()
	args := []string{"diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv",
		"--no-color", "--src-prefix=a/", "--dst-prefix=b/", "-M", "--full-index"}
	if slices.Contains(options, quoted) {
		options = slices.DeleteFunc(slices.Clone(options), func(o string) bool { return o == quoted })
	} else {
		args = append([]string{"-c", "core.quotePath=false"}, args...)
	}
	return r.git(append(append(args, options...), before, after)...)
}

// apply rebuilds the file after a change from the file before it.
func (f File) apply(before string) (string, error) {
	old := strings.SplitAfter(before, "\n")
	var out strings.Builder
	at := 0
	for _, h := range f.Hunks {
		start := max(h.OldStart-1, 0)
		if h.OldLines == 0 {
			start = h.OldStart // an insertion names the line that it follows
		}
		for ; at < start; at++ {
			out.WriteString(old[at])
		}
		for _, l := range h.Lines {
			text := l.Text + "\n"
			if l.NoEOL {
				text = l.Text
			}
			if l.Op != Added {
				if at >= len(old) || old[at] != text {
					return "", fmt.Errorf("line %d does not match %q", at+1, text)
				}
				at++
			}
			if l.Op != Deleted {
				out.WriteString(text)
			}
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String(), nil
}
