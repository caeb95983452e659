package card

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// project makes a folder with the files.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	dir := project(t, map[string]string{
		"tasks/Fix Login.md": "# Task: a\n", "tasks/sub/b.md": "# Task: b\n", "notes/c.md": "# Task: c\n",
	})
	for _, tt := range []struct{ name, title, file string }{
		{"tasks/Fix Login.md", "a", "tasks/Fix Login.md"},
		{"./tasks/../tasks/Fix Login.md", "a", "tasks/Fix Login.md"},
		{"Fix Login.md", "a", "tasks/Fix Login.md"},
		{"Fix Login", "a", "tasks/Fix Login.md"},
		{"fix-login", "a", "tasks/Fix Login.md"},
		{"b", "b", "tasks/sub/b.md"},
		{"notes/c.md", "c", "notes/c.md"},
		{filepath.Join(dir, "tasks", "sub", "b.md"), "b", "tasks/sub/b.md"},
	} {
		c, err := Load(dir, tt.name)
		if err != nil || c.Title != tt.title || c.File != tt.file {
			t.Errorf("Load(%q) = %q in %q, %v", tt.name, c.Title, c.File, err)
		}
	}
}

// A file that is no card gets a clear answer.
func TestLoadRefused(t *testing.T) {
	outside := project(t, map[string]string{"secret.md": "# Task: secret\n"})
	dir := project(t, map[string]string{
		"tasks/empty.md":  "",
		"tasks/blank.md":  bom + " \r\n\t\n",
		"tasks/front.md":  "---\nkind: bug\n---\n\n",
		"tasks/binary.md": "# Task: x\n\x00\x01",
		"tasks/latin1.md": "# Task: caf\xe9\n",
		"tasks/utf16.md":  "\xff\xfe#\x00 \x00x\x00",
		"tasks/huge.md":   "# Task: x\n" + string(bytes.Repeat([]byte("text\n"), 2<<20)),
		"tasks/dir.md/x":  "",
	})
	if err := os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(dir, "tasks", "link.md")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		code work.Code
		msg  string
	}{
		{"tasks/none.md", work.NotFound, `card "tasks/none.md" is not there`},
		{"none", work.NotFound, `card "none" is not there`},
		{"", work.Invalid, "is not a file"},
		{"tasks/empty.md", work.Invalid, "card tasks/empty.md is empty"},
		{"tasks/blank.md", work.Invalid, "is empty"},
		{"tasks/front.md", work.Invalid, "is empty"},
		{"tasks/binary.md", work.Invalid, "is not text"},
		{"tasks/latin1.md", work.Invalid, "is not UTF-8"},
		{"tasks/utf16.md", work.Invalid, "is not text"},
		{"tasks/huge.md", work.Invalid, "too large: 10.0 MB; at most 1 MB"},
		{"tasks/dir.md", work.Invalid, "is not a file"},
		{"tasks/link.md", work.Invalid, "cannot be read"},
		{"../" + filepath.Base(outside) + "/secret.md", work.Invalid, "cannot be read"},
		{filepath.Join(outside, "secret.md"), work.Invalid, "lies outside of the project"},
	} {
		c, err := Load(dir, tt.name)
		if err == nil || work.CodeOf(err) != tt.code || !strings.Contains(work.Public(err).Msg, tt.msg) || work.Public(err).Next == "" {
			t.Errorf("Load(%q) = %q, %v; want %s %q with a next step", tt.name, c.Title, err, tt.code, tt.msg)
		}
	}
	if _, err := Load(filepath.Join(dir, "gone"), "x"); work.CodeOf(err) != work.NotFound {
		t.Errorf("no project: %v", err)
	}
}

func TestList(t *testing.T) {
	dir := project(t, map[string]string{
		"tasks/b.md": "# Task: b\n", "tasks/a b.md": "# Task: 1\n", "tasks/a_b.md": "# Task: 2\n", "tasks/sub/c.MD": "# Task: c\n",
		"tasks/_template.md": "x", "tasks/.hidden.md": "x", "tasks/.git/x.md": "x", "tasks/readme.txt": "x", "tasks/bad.md": "\x00",
	})
	cards, bad := List(dir)
	var ids []work.CardID
	for _, c := range cards {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]work.CardID{"a-b", "b", "c"}, ids); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if len(bad) != 2 || !strings.Contains(bad[0].Error(), "tasks/a b.md and tasks/a_b.md have the same id a-b") ||
		!strings.Contains(bad[1].Error(), "tasks/bad.md") {
		t.Errorf("errors %v", bad)
	}
	if cards, bad := List(t.TempDir()); cards != nil || bad != nil {
		t.Errorf("no tasks: %v, %v", cards, bad)
	}
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ title, kind, file, heading string }{
		{"Fix  login", "bug", "tasks/fix-login.md", "## Goal"},
		{"Fix login", "", "tasks/fix-login-2.md", "## Goal"},
		{"修复登录", "重构", "tasks/修复登录.md", "## 目标"},
	} {
		file, err := New(dir, tt.title, tt.kind)
		if err != nil || file != tt.file {
			t.Fatalf("New(%q) = %q, %v; want %q", tt.title, file, err, tt.file)
		}
		c, err := Load(dir, file)
		if err != nil || c.Title != strings.Join(strings.Fields(tt.title), " ") || !strings.Contains(c.Text, tt.heading) {
			t.Errorf("card %+v, %v", c, err)
		}
		if want := map[string]string{"bug": "bug", "重构": "refactor"}[tt.kind]; c.Kind != want {
			t.Errorf("kind %q, want %q", c.Kind, want)
		}
		if c.Commands != nil || c.Allowed != nil || !cmp.Equal(c.Files, []string{"NOTES.md"}) {
			t.Errorf("the template's hints were read: %q %q %q", c.Commands, c.Allowed, c.Files)
		}
	}
}

func TestNewFromTemplate(t *testing.T) {
	template := "---\r\nteam: web\r\nkind: docs\r\n---\r\n# Task: \r\n\r\nGoal\r\n"
	dir := project(t, map[string]string{"tasks/_template.md": template})
	file, err := New(dir, "x", "bug")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(dir, file)
	if want := "---\r\nkind: bug\r\nteam: web\r\n---\r\n# Task: x\r\n\r\nGoal\r\n"; err != nil || c.Text != want {
		t.Errorf("card %q, %v; want %q", c.Text, err, want)
	}
}

func TestNewRefused(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ title, kind, msg string }{
		{" \n", "", "needs a title"},
		{"x", "chore", `kind "chore" is not known; allowed: bug, tests, docs, refactor, feature`},
	} {
		if _, err := New(dir, tt.title, tt.kind); work.CodeOf(err) != work.Invalid || !strings.Contains(err.Error(), tt.msg) {
			t.Errorf("New(%q, %q): %v", tt.title, tt.kind, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
