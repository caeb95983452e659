package diff

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
)

// Real patches of every odd file give back the file, byte for byte.
func TestF56ParseRebuilds(t *testing.T) {
	r := newRepo(t)
	before, after, binary := map[string]string{}, map[string]string{}, 0
	for name, f := range oddFiles() {
		if f.before != gone {
			before[name] = f.before
		}
		if f.after != gone {
			after[name] = f.after
		}
	}
	treeBefore, treeAfter := r.tree(before), r.tree(after)
	for _, options := range [][]string{nil, {"--binary"}, {quoted, "-U0"}, {"--histogram", "-U10"}} {
		files, err := Parse(bytes.NewReader(r.patch(treeBefore, treeAfter, append(options, "--no-renames")...)))
		if err != nil {
			t.Fatalf("%v: %v", options, err)
		}
		if len(files) != len(oddFiles()) {
			t.Errorf("%v: %d files, want %d", options, len(files), len(oddFiles()))
		}
		for _, f := range files {
			if f.Binary {
				binary++
				continue
			}
			if got, err := f.apply(before[f.Path]); err != nil || got != after[f.Path] {
				t.Errorf("%v: %q: %v\n%s", options, f.Path, err, gocmp.Diff(after[f.Path], got))
			}
		}
	}
	if binary != 4*3 {
		t.Errorf("%d binary files, want 3 of each of 4 patches", binary)
	}
}

func TestParseHeaders(t *testing.T) {
	r := newRepo(t)
	text := strings.Repeat("some line of text\n", 20)
	before := r.tree(map[string]string{"moved.txt": text, "edited.txt": text + "1\n", "mode.sh": "x\n", "both.sh": "x\n", "link": "target\n", "pic.bin": "a\x00" + text, `q"\.txt`: "q\n" + text})
	r.git("rm", "-q", "--cached", ".", "-r")
	after := func() string {
		r.tree(map[string]string{"dir/moved.txt": text, "dir/edited.txt": text + "2\n", "mode.sh": "x\n", "both.sh": "y\n", "dir/pic.bin": "a\x00" + text, `dir/q"\.txt`: "r\n" + text})
		r.git("update-index", "--chmod=+x", "mode.sh", "both.sh")
		blob := strings.TrimSpace(string(r.git("hash-object", "-w", "mode.sh")))
		r.git("update-index", "--add", "--cacheinfo", "120000,"+blob+",link")
		r.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
		return strings.TrimSpace(string(r.git("write-tree")))
	}()
	files, err := Parse(bytes.NewReader(r.patch(before, after, "--binary", "-C")))
	if err != nil {
		t.Fatal(err)
	}
	type facts struct{ Path, From, Status, OldMode, NewMode string }
	var got []facts
	for _, f := range files {
		got = append(got, facts{f.Path, f.From, f.Status, f.OldMode, f.NewMode})
	}
	slices.SortStableFunc(got, func(a, b facts) int { return cmp.Compare(a.Path, b.Path) })
	want := []facts{
		{"both.sh", "", "changed", "100644", "100755"},
		{"dir/edited.txt", "edited.txt", "renamed", "100644", "100644"},
		{"dir/moved.txt", "moved.txt", "renamed", "", ""},
		{"dir/pic.bin", "pic.bin", "renamed", "", ""},
		{`dir/q"\.txt`, `q"\.txt`, "renamed", "100644", "100644"},
		{"link", "", "deleted", "100644", ""},
		{"link", "", "added", "", "120000"},
		{"mode.sh", "", "changed", "100644", "100755"},
		{"sub", "", "added", "", "160000"},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("headers (-want +got):\n%s", d)
	}
}

// What is damaged or not ours ends with an error, and never with half the files.
func TestF53ParseRefuses(t *testing.T) {
	whole, err := os.ReadFile("testdata/mixed.patch")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		if !bytes.Contains(whole, []byte(old)) {
			t.Fatalf("%q is not in the patch", old)
		}
		return strings.Replace(string(whole), old, new, 1)
	}
	for name, patch := range map[string]string{
		"text":                     "hello\n",
		"mail":                     "From 1234\nSubject: x\n\n" + string(whole),
		"combined":                 "diff --cc a.txt\nindex 1,2..3\n--- a/a.txt\n+++ b/a.txt\n@@@ -1,1 -1,1 +1,1 @@@\n--a\n++b\n",
		"combined later":           string(whole) + "diff --cc a.txt\n",
		"F53 last newline trimmed": strings.TrimSuffix(string(whole), "\n"),
		"F53 context trimmed":      edit("\n \n", "\n"),
		"line dropped":             edit("+\tfmt.Println(greeting)\n", ""),
		"line added":               edit("+\tfmt.Println(greeting)\n", "+\tfmt.Println(greeting)\n+\n"),
		"junk after hunk":          edit("\\ No newline at end of file\ndiff", "\\ No newline at end of file\njunk\ndiff"),
		"hunk without header":      edit("@@ -3,7 +3,7 @@", "@@ -3,7 +3,7"),
		"no prefix":                "diff --git a.txt b.txt\nindex 1111111..2222222 100644\n--- a.txt\n+++ b.txt\n",
		"two under one header":     "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nX\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
	} {
		if files, err := Parse(strings.NewReader(patch)); err == nil || files != nil {
			t.Errorf("%s: %d files, error %v; want an error alone", name, len(files), err)
		}
	}
	for cut := range len(whole) { // a patch that ends early is complete only where a file ends
		files, err := Parse(bytes.NewReader(whole[:cut]))
		atEnd := cut == 0 || whole[cut-1] == '\n' && bytes.HasPrefix(whole[cut:], []byte("diff --git "))
		if atEnd && err != nil {
			t.Errorf("cut at %d, the end of a file: %v", cut, err)
		}
		if err != nil && files != nil {
			t.Errorf("cut at %d: files and an error", cut)
		}
	}
}

func TestParseReadError(t *testing.T) {
	broken := errors.New("broken disk")
	head := strings.NewReader("diff --git a/x b/x\nold mode 100644\n")
	if _, err := Parse(io.MultiReader(head, iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestEachStops(t *testing.T) {
	whole, err := os.ReadFile("testdata/mixed.patch")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range Each(bytes.NewReader(whole)) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d files after a break, want 1", n)
	}
}
