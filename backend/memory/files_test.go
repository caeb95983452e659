package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

func TestFile(t *testing.T) {
	for _, tt := range []struct {
		agent      work.AgentID
		name, want string
	}{
		{"", "", Conventions},
		{"", "conventions", Conventions},
		{"claude", "", ".offrun/agents/claude/dead-ends.md"},
		{"claude", "plan.md", ".offrun/agents/claude/plan.md"},
		{"claude", "bogus", ""},
		{"", "plan", ""},
		{"claude", "conventions", ""},
		{"claude", "../goals", ""},
		{"claude", ".hidden", ""},
		{"../x", "plan", ""},
	} {
		got, err := File(tt.agent, tt.name)
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && work.CodeOf(err) != work.Invalid {
			t.Errorf("File(%q, %q) = %q, %v; want %q", tt.agent, tt.name, got, err, tt.want)
		}
	}
}

// Who wrote a line is told from what turns have recorded, wherever the line
// stands by now.
func TestFilesTellWhoWrote(t *testing.T) {
	root := folder(t, map[string]string{deadEnds: "- by hand\n", Conventions: "- c\n"})
	turn := attempt(t, root, "claude-2", nil)
	place(t, turn)
	write(t, turn.Worktree, deadEnds, "- by hand\n- one\n```\ncode\n```\n- two\n")
	absorb(t, turn)
	write(t, root, deadEnds, "# Dead ends\n\n"+read(t, root, deadEnds))
	files, err := Files(root, "claude")
	if err != nil {
		t.Fatal(err)
	}
	want := []work.MemoryFile{
		{File: Conventions, Text: "- c\n"},
		{File: deadEnds, Agent: "claude", Text: "# Dead ends\n\n- by hand\n- one\n```\ncode\n```\n- two\n",
			Written: []work.Written{{Run: turn.Run, Attempt: "claude-2", Turn: 1, At: turn.At, Lines: []int{4, 5, 6, 7, 8}}}},
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(filepath.Join(turn.Dir, "memory", "added.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if files, err := Files(root, ""); err != nil || len(files) != 2 || files[1].Written != nil {
		t.Errorf("with a damaged record: %+v, %v", files, err)
	}
}

func TestAddAndEdit(t *testing.T) {
	root := t.TempDir()
	lock := filepath.Join(root, "lock")
	now := func() string { return read(t, root, Conventions) }
	for _, text := range []string{"Use pnpm.", "- 用 pnpm", "Use pnpm.", "## Tests", "run `make test`"} {
		if err := Add(t.Context(), root, lock, Conventions, text); err != nil {
			t.Fatal(err)
		}
	}
	want := "- Use pnpm.\n- 用 pnpm\n\n## Tests\n- run `make test`\n"
	if got := now(); got != want {
		t.Errorf("added %q, want %q", got, want)
	}
	before := now()
	if err := Edit(t.Context(), root, lock, Conventions, before, "- Use pnpm.\n- edited"); err != nil || now() != "- Use pnpm.\n- edited\n" {
		t.Errorf("edited: %v, %q", err, now())
	}
	// Another edit that began before: what it deletes goes, what was added meanwhile stays.
	if err := Edit(t.Context(), root, lock, Conventions, before, "- 用 pnpm\n"); err != nil || !strings.Contains(now(), "- edited\n") || strings.Contains(now(), "Use pnpm") {
		t.Errorf("edited: %v, %q", err, now())
	}
	write(t, root, Conventions, "- caf\xe9\n")
	if err := Add(t.Context(), root, lock, Conventions, "x"); work.CodeOf(err) != work.Conflict || now() != "- caf\xe9\n" {
		t.Errorf("no UTF-8: %v, %q", err, now())
	}
	if err := Add(t.Context(), root, lock, Conventions, " \x00"); work.CodeOf(err) != work.Invalid {
		t.Errorf("empty: %v", err)
	}
}

func TestSearch(t *testing.T) {
	root := folder(t, map[string]string{
		Conventions:                       "- Use PNPM\n",
		deadEnds:                          "# 死路\n- 直接改锁文件：校验和不符\n- the Lock file's checksum\n",
		".offrun/agents/codex/goals.md":   "- lock\n",
		".offrun/agents/No Agent/x.md":    "- lock checksum\n",
		".offrun/agents/codex/binary.bin": "lock checksum",
	})
	for _, tt := range []struct {
		words []string
		want  []string
	}{
		{[]string{"pnpm"}, []string{"- Use PNPM"}},
		{[]string{"CHECKSUM", "lock"}, []string{"- the Lock file's checksum"}},
		{[]string{"锁文件"}, []string{"- 直接改锁文件：校验和不符"}},
		{[]string{"lock"}, []string{"- the Lock file's checksum", "- lock"}},
		{[]string{"nowhere"}, nil},
	} {
		hits, err := Search(root, tt.words)
		var got []string
		for _, h := range hits {
			got = append(got, h.Text)
		}
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.words, err, diff)
		}
	}
	if _, err := Search(root, []string{" "}); work.CodeOf(err) != work.Invalid {
		t.Errorf("no words: %v", err)
	}
}

// Lines of a file that is too large to be shown whole have their own numbers.
func TestSearchInALargeFile(t *testing.T) {
	root := folder(t, map[string]string{Conventions: strings.Repeat("- filler of some length\n", 50_000) + "- needle\n"})
	hits, err := Search(root, []string{"needle"})
	if err != nil || len(hits) != 1 || hits[0].Line != 50_001 {
		t.Errorf("hits %+v, %v", hits, err)
	}
}
