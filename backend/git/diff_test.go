package git_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// TestF43F44DiffSettings: no setting of the user's changes a patch or a list.
func TestF43F44DiffSettings(t *testing.T) {
	r := gittest.New(t)
	r.Write("b.md", "one\n\ntwo\n\nthree\n")
	base := r.Commit("base")
	r.Write("b.md", "one\n\ntwo\n\nfour\n")
	tip := r.Commit("tip")
	repo := repoAt(t, r.Dir)
	read := func() string {
		var b bytes.Buffer
		if err := repo.Patch(t.Context(), base, tip, &b); err != nil {
			t.Fatal(err)
		}
		cs, err := repo.Changes(t.Context(), base, tip)
		if err != nil {
			t.Fatal(err)
		}
		stat, err := repo.Stat(t.Context(), base, tip)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s\n%+v\n%s", b.Bytes(), cs, stat)
	}
	plain := read()
	if !strings.Contains(plain, "diff --git a/b.md b/b.md") || !strings.Contains(plain, "\n-three\n+four\n") {
		t.Fatalf("the patch is wrong to begin with:\n%s", plain)
	}
	gittest.Write(t, r.Path(".git/attributes"), "*.md diff=shout\n")
	for _, setting := range []string{
		"diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.external=true", "color.ui=always", "color.diff=always",
		"diff.suppressBlankEmpty=true", "diff.renames=false", "diff.context=0", "diff.interHunkContext=9", "diff.algorithm=patience",
		"diff.orderFile=/no/such/file", "diff.relative=true", "diff.submodule=log", "diff.wordRegex=.", "diff.colorMoved=zebra",
		"diff.statGraphWidth=1", "core.abbrev=4", "core.quotePath=true", "diff.shout.textconv=tr a-z A-Z", "diff.shout.command=true",
		"core.attributesFile=" + r.Path(".git/attributes"), "core.pager=false", "diff.indentHeuristic=false", "diff.dirstat=lines",
	} {
		key, value, _ := strings.Cut(setting, "=")
		r.Git("config", key, value)
		if got := read(); got != plain {
			t.Errorf("%s: %s", setting, cmp.Diff(plain, got))
		}
	}
}

// TestF46Renames: both names of a renamed file are known, with its counts.
func TestF46Renames(t *testing.T) {
	r := gittest.New(t)
	text := strings.Repeat("a line of text\n", 20)
	odd := "with\ttab and\nnewline => {x}.md"
	for _, name := range []string{"edited.md", "moved.md", odd, "copied.md"} {
		r.Write(name, name+"\n"+text)
	}
	base := r.Commit("base")
	r.Git("mv", "edited.md", "dir-edited.md")
	r.Write("dir-edited.md", "edited.md\n"+text+"more\n")
	r.Git("mv", "moved.md", "sub-moved.md")
	r.Git("mv", odd, odd+"2")
	r.Write("copy.md", "copied.md\n"+text)
	repo := repoAt(t, r.Dir)
	tip := r.Commit("tip")
	cs, err := repo.Changes(t.Context(), base, tip)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cs {
		got = append(got, fmt.Sprintf("%s %s <- %s +%d -%d", c.Status, c.Path, c.From, c.Added, c.Deleted))
	}
	want := []string{
		"added copy.md <-  +21 -0",
		"renamed dir-edited.md <- edited.md +1 -0",
		"renamed sub-moved.md <- moved.md +0 -0",
		"renamed " + odd + "2 <- " + odd + " +0 -0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	changed(t, repo, base, tip)
}

// TestF52BinaryFiles: a patch with binary files applies, whatever happened to them.
func TestF52BinaryFiles(t *testing.T) {
	r := gittest.New(t)
	r.Write("keep.bin", "\x00\x01"+strings.Repeat("x", 5000))
	r.Write("gone.bin", "\x00\x02")
	base := r.Commit("base")
	w, _ := attempt(t, r)
	gittest.Write(t, filepath.Join(w.Path, "keep.bin"), "\x00\x01"+strings.Repeat("y", 5000))
	gittest.Write(t, filepath.Join(w.Path, "app.exe"), "\x7fELF\x00\xff\xfe")
	if err := os.Remove(filepath.Join(w.Path, "gone.bin")); err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, w, base)
	if got, want := changed(t, w.Repo, base, s.Tree), []string{"added app.exe", "deleted gone.bin", "changed keep.bin"}; !equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	cs, err := w.Repo.Changes(t.Context(), base, s.Tree)
	if err != nil || cs[0].Added != -1 || cs[0].Deleted != -1 {
		t.Errorf("counts of a binary file: %+v, %v; want -1", cs, err)
	}
}

// TestF53PatchIsBytes: what text handling does to a patch is found by verifying it.
func TestF53PatchIsBytes(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "* -text\n")
	r.Write("a.txt", "one\r\ntwo")
	base := r.Commit("base")
	r.Write("a.txt", "one\r\nthree")
	r.Write("z.txt", "z\n")
	tip := r.Commit("tip")
	repo := repoAt(t, r.Dir)
	var b bytes.Buffer
	if err := repo.Patch(t.Context(), base, tip, &b); err != nil {
		t.Fatal(err)
	}
	patch := b.Bytes()
	file := filepath.Join(gittest.Folder(t, "patches"), "diff.patch")
	for _, tt := range []struct {
		name string
		text []byte
		ok   bool
	}{
		{"as it is", patch, true},
		{"last newline trimmed", bytes.TrimSuffix(patch, []byte("\n")), false},
		{"no-newline marker dropped", bytes.ReplaceAll(patch, []byte("\\ No newline at end of file\n"), nil), false},
		{"CRLF made LF", bytes.ReplaceAll(patch, []byte("\r\n"), []byte("\n")), false},
		{"a byte flipped", bytes.Replace(patch, []byte("+three"), []byte("+threE"), 1), false},
		{"cut in the middle", patch[:len(patch)/2], false},
		{"empty", nil, false},
	} {
		gittest.Write(t, file, string(tt.text))
		err := repo.VerifyPatch(t.Context(), base, tip, file)
		if (err == nil) != tt.ok || err != nil && work.CodeOf(err) != work.Conflict {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	gittest.Write(t, file, "")
	if err := repo.VerifyPatch(t.Context(), base, base, file); err != nil {
		t.Errorf("an empty patch for an empty change: %v", err)
	}
}

// TestF56Encodings: text that is not UTF-8, and every line ending, comes through
// unchanged.
func TestF56Encodings(t *testing.T) {
	r := gittest.Encodings(t)
	w, base := attempt(t, r)
	for name, text := range map[string]string{
		"latin1.txt": "th\xe9\n", "utf16.txt": "\xff\xfeb\x00\n\x00", "dos.bat": "a\r\nc\r\n", "cr.txt": "a\rb\r", "no-end.txt": "x",
		"NUL\u2028.txt": "\u2028\x0c\n", "looks-like.patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/y b/y\n",
	} {
		gittest.Write(t, filepath.Join(w.Path, name), text)
	}
	s := snapshot(t, w, base)
	if got := changed(t, w.Repo, base, s.Tree); len(got) != 7 {
		t.Errorf("changes = %q, want 7", got)
	}
	blobs := w.Repo.Blobs(t.Context())
	for name, want := range map[string]string{"latin1.txt": "th\xe9\n", "utf16.txt": "\xff\xfeb\x00\n\x00"} {
		if got, err := blobs.Read(s.Tree+":"+name, 1<<20); string(got) != want || err != nil {
			t.Errorf("%s = %q, %v; want %q", name, got, err, want)
		}
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
}

// TestTypesAndModes: links, modes and a file that becomes a link are told apart.
func TestTypesAndModes(t *testing.T) {
	r := gittest.New(t)
	r.Write("becomes-link", "text\n")
	r.Write("script.sh", "#!/bin/sh\n")
	base := r.Commit("base")
	w, _ := attempt(t, r)
	if err := os.Remove(filepath.Join(w.Path, "becomes-link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"becomes-link", "new-link"} {
		if err := os.Symlink("/etc", filepath.Join(w.Path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(w.Path, "script.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, w, base)
	if got, want := changed(t, w.Repo, base, s.Tree), []string{"type becomes-link", "added new-link", "changed script.sh"}; !equal(got, want) {
		t.Errorf("changes = %q, want %q", got, want)
	}
	cs, err := w.Repo.Changes(t.Context(), base, s.Tree)
	if err != nil || cs[2].OldMode != "100644" || cs[2].NewMode != "100755" || cs[1].OldMode != "" || cs[1].NewMode != "120000" {
		t.Errorf("modes: %+v, %v", cs, err)
	}
}

// TestS12PatchThroughLink: a patch that would write through a symbolic link touches
// no file when it is verified.
func TestS12PatchThroughLink(t *testing.T) {
	r := gittest.LinksOut(t)
	repo := repoAt(t, r.Dir)
	base := r.Git("rev-parse", "HEAD")
	outside := gittest.Invariants(t, r.Dir)
	file := filepath.Join(gittest.Folder(t, "patches"), "evil.patch")
	for _, path := range []string{"out/pwned", "../pwned", "/tmp/offrun-pwned", ".git/pwned"} {
		gittest.Write(t, file, "diff --git a/"+path+" b/"+path+"\nnew file mode 100644\n--- /dev/null\n+++ b/"+path+"\n@@ -0,0 +1 @@\n+pwned\n")
		if err := repo.VerifyPatch(t.Context(), base, base, file); err == nil {
			t.Errorf("a patch of %s was accepted", path)
		}
	}
	outside()
	files, err := os.ReadDir(r.Other)
	if err != nil || len(files) != 1 {
		t.Errorf("outside: %v, %v", files, err)
	}
}

func TestPatchText(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.txt", "one\ntwo\n")
	r.Write("b.txt", "one\n")
	base := r.Commit("base")
	r.Write("a.txt", "  one\r\n\ntwo\n")
	r.Write("b.txt", "changed\n")
	tip := r.Commit("tip")
	repo := repoAt(t, r.Dir)
	spaceless := git.PatchOptions{IgnoreSpace: true}
	if out, err := repo.PatchText(t.Context(), base, tip, spaceless, "a.txt"); len(out) != 0 || err != nil {
		t.Errorf("ignoring space: %q, %v; want nothing", out, err)
	}
	out, err := repo.PatchText(t.Context(), base, tip, spaceless)
	if err != nil || !strings.Contains(string(out), "+changed\n") || strings.Contains(string(out), "a.txt") {
		t.Errorf("all files: %q, %v", out, err)
	}
	if out, err := repo.PatchText(t.Context(), base, tip, git.PatchOptions{}, "no*", ":(top)"); len(out) != 0 || err != nil {
		t.Errorf("paths are patterns: %q, %v", out, err)
	}
}

func TestBlobs(t *testing.T) {
	r := gittest.New(t)
	repo := repoAt(t, r.Dir)
	blobs := repo.Blobs(t.Context())
	if got, err := blobs.Read("HEAD:README.md", 6); string(got) != "hello\n" || err != nil {
		t.Errorf("Read = %q, %v", got, err)
	}
	for name, want := range map[string]work.Code{"HEAD:nope": work.NotFound, "nope nope nope": work.NotFound, "a\nb": work.Invalid} {
		if got, err := blobs.Read(name, 100); work.CodeOf(err) != want {
			t.Errorf("Read(%q) = %q, %v; want %s", name, got, err, want)
		}
	}
	if _, err := blobs.Read("HEAD:README.md", 5); work.CodeOf(err) != work.Invalid {
		t.Errorf("a big object: %v", err)
	}
	if got, err := blobs.Read("HEAD:README.md", 100); string(got) != "hello\n" || err != nil {
		t.Errorf("after that: %q, %v", got, err)
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
	if _, err := blobs.Read("HEAD:README.md", 100); err == nil {
		t.Error("Read after Close succeeded")
	}
}
