package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// tree makes files in a folder and returns it.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range files {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestFiles(t *testing.T) {
	home := tree(t, "a [b]/id-12345.jsonl", "c/id-12345.jsonl", "d/id-12345/x.jsonl", "d/id-12345/sub/y", "d/id-12345/in.lock", "d/id-12345/auth.json")
	for _, tt := range []struct {
		patterns []string
		want     []string
	}{
		{[]string{"c/{session}.jsonl", "*/{session}.jsonl"}, []string{"c/id-12345.jsonl"}},
		{[]string{"none/{session}.jsonl", "*/{session}.jsonl"}, []string{"a [b]/id-12345.jsonl", "c/id-12345.jsonl"}},
		{[]string{"d/{session}/**"}, []string{"d/id-12345/sub/y", "d/id-12345/x.jsonl"}},
	} {
		got, err := Files(home, "id-12345", tt.patterns...)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", tt.patterns, err, diff)
		}
	}
}

// S18, F79: an id, a link or a folder that leads elsewhere finds nothing, and a
// file that may hold a login never travels.
func TestF79FilesStayInside(t *testing.T) {
	home := tree(t, "p/id-12345.jsonl", ".credentials.json", "p/auth.json/id-12345.jsonl")
	elsewhere := tree(t, "id-67890.jsonl", "secret-12345")
	if err := os.Symlink(elsewhere, filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "id-67890.jsonl"), filepath.Join(home, "p", "id-67890.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "../id-12345", "*", "id-1234?", "id-12345/..", "-d-12345", "id-67890"} {
		for _, pattern := range []string{"*/{session}.jsonl", "{session}", "link/{session}.jsonl"} {
			if files, err := Files(home, id, pattern); err == nil {
				t.Errorf("%q by %q: %q", id, pattern, files)
			}
		}
	}
	for _, name := range credentials {
		home := tree(t, "s/id-12345/"+name)
		if files, err := Files(home, "id-12345", "s/{session}/**"); work.CodeOf(err) != work.NotFound {
			t.Errorf("%s travels: %q, %v", name, files, err)
		}
	}
}

func TestFilesOfNoFolder(t *testing.T) {
	if _, err := Files(filepath.Join(t.TempDir(), "none"), "id-12345", "*"); work.CodeOf(err) != work.NotFound {
		t.Errorf("got %v, want not found", err)
	}
}

func TestSlug(t *testing.T) {
	if got := Slug("/home/u/my_repo/.worktrees/a-1"); got != "-home-u-my-repo--worktrees-a-1" {
		t.Errorf("got %s", got)
	}
}
