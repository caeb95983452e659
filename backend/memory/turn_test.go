package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// attempt returns a first turn of agent claude in a worktree of its own.
func attempt(t *testing.T, root, name string, tree map[string]string) Turn {
	t.Helper()
	return Turn{
		Root: root, Worktree: folder(t, tree), Dir: filepath.Join(root, "runs", "20260101-000000", name, "turns", "1"),
		Lock: filepath.Join(root, "lock"), Run: "20260101-000000", Attempt: work.AttemptName(name), Agent: "claude", N: 1, At: time.Unix(1, 0).UTC(),
	}
}

func place(t *testing.T, turn Turn) {
	t.Helper()
	if notices, err := Place(turn); err != nil || len(notices) > 0 {
		t.Fatalf("place: %q, %v", notices, err)
	}
}

func absorb(t *testing.T, turn Turn) work.Absorbed {
	t.Helper()
	a, err := Absorb(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const deadEnds = ".offrun/agents/claude/dead-ends.md"

func TestPlaceAndAbsorb(t *testing.T) {
	root := folder(t, map[string]string{deadEnds: "- a\n", ".offrun/conventions.md": "- c\n"})
	turn := attempt(t, root, "claude", map[string]string{".offrun/agents/claude/plan.md": "- committed once\n"})
	place(t, turn)
	place(t, turn) // it was cut off
	if got := read(t, turn.Worktree, deadEnds) + read(t, turn.Worktree, Conventions); got != "- a\n- c\n" {
		t.Errorf("placed %q", got)
	}
	write(t, turn.Worktree, deadEnds, "- a\n- theirs\n")
	write(t, root, deadEnds, "- a\n- ours\n")
	for range 2 {
		if got := absorb(t, turn); got.Lines != 1 || len(got.Files) != 1 || got.Files[0] != deadEnds || len(got.Notices) > 0 {
			t.Errorf("absorbed %+v", got)
		}
		if got := read(t, root, deadEnds); got != "- a\n- ours\n- theirs\n" {
			t.Errorf("merged %q", got)
		}
	}
	// What the user has deleted since it was committed does not come back.
	if _, err := os.Stat(filepath.Join(root, ".offrun/agents/claude/plan.md")); err == nil {
		t.Error("plan.md came back")
	}
	if got := records(root); len(got) != 1 || got[0].Attempt != "claude" || strings.Join(got[0].Files[deadEnds], "") != "- theirs" {
		t.Errorf("records %+v", got)
	}
}

// In a later turn the worktree gets what others have noted meanwhile, and keeps
// what could not be absorbed.
func TestPlaceInALaterTurn(t *testing.T) {
	root := folder(t, map[string]string{deadEnds: "- a\n"})
	turn := attempt(t, root, "claude", nil)
	place(t, turn)
	write(t, turn.Worktree, deadEnds, "- a\n- not absorbed\n")
	write(t, root, deadEnds, "- a\n- of another\n")
	turn.N, turn.Dir = 2, filepath.Join(filepath.Dir(turn.Dir), "2")
	place(t, turn)
	if got := read(t, turn.Worktree, deadEnds); got != "- a\n- of another\n- not absorbed\n" {
		t.Errorf("placed %q", got)
	}
	absorb(t, turn)
	if got := read(t, root, deadEnds); got != "- a\n- of another\n- not absorbed\n" {
		t.Errorf("merged %q", got)
	}
}

// Attempts of one agent that end at once lose nothing of each other's.
func TestAbsorbAtOnce(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	names := []string{"claude", "claude-2", "claude-3", "claude-4", "claude-5", "claude-6"}
	for _, name := range names {
		turn := attempt(t, root, name, nil)
		place(t, turn)
		write(t, turn.Worktree, deadEnds, "# Dead ends\n- of all\n- of "+name+"\n")
		wg.Go(func() {
			if _, err := Absorb(context.WithoutCancel(t.Context()), turn); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := read(t, root, deadEnds)
	for _, line := range append([]string{"# Dead ends", "- of all"}, names...) {
		if n := strings.Count(got, line+"\n"); n != 1 {
			t.Errorf("%q is there %d times:\n%s", line, n, got)
		}
	}
}

func TestAbsorbWaitsForTheLock(t *testing.T) {
	root := t.TempDir()
	turn := attempt(t, root, "claude", map[string]string{deadEnds: "- a\n"})
	held, err := proc.Lock(turn.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Absorb(ctx, turn); ctx.Err() == nil || err == nil {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

// Whatever an agent leaves there has an outcome, and never fails a turn.
func TestAbsorbOddNotes(t *testing.T) {
	outside := folder(t, map[string]string{"theirs.md": "- SECRET\n"})
	for _, tt := range []struct {
		name   string
		odd    func(tree, root string) error
		lines  int
		notice string
	}{
		{"huge", func(tree, _ string) error {
			var text strings.Builder
			for i := range 5 << 20 / 32 {
				fmt.Fprintf(&text, "- note about something no. %05d\n", i)
			}
			return os.WriteFile(filepath.Join(tree, deadEnds), []byte(text.String()), 0o644)
		}, 1927, "lines beyond 64 KB of new notes were not kept"},
		{"no UTF-8", func(tree, _ string) error {
			return os.WriteFile(filepath.Join(tree, deadEnds), []byte("- \xff\xfe\n"), 0o644)
		}, 1, "what is no UTF-8 was replaced"},
		{"a line too long", func(tree, _ string) error {
			return os.WriteFile(filepath.Join(tree, deadEnds), []byte(strings.Repeat("界", 20_000)), 0o644)
		}, 1, "lines of more than 8 KB were cut"},
		{"no text", func(tree, _ string) error {
			return os.WriteFile(filepath.Join(tree, deadEnds), []byte("a\x00b"), 0o644)
		}, 0, "is not text"},
		{"conflict", func(tree, _ string) error {
			return os.WriteFile(filepath.Join(tree, deadEnds), []byte("<<<<<<< a\n- x\n=======\n- y\n>>>>>>> b\n"), 0o644)
		}, 2, "has conflict markers"},
		{"a link out", func(tree, _ string) error {
			return os.Symlink(filepath.Join(outside, "theirs.md"), filepath.Join(tree, deadEnds))
		}, 0, "is a link"},
		{"a folder that is a link out", func(tree, _ string) error {
			dir := filepath.Join(tree, ".offrun/agents/claude")
			return firstOf(os.RemoveAll(dir), os.Symlink(outside, dir))
		}, 0, "cannot be read"},
		{"the project's is a link out", func(tree, root string) error {
			return firstOf(os.WriteFile(filepath.Join(tree, deadEnds), []byte("- x\n"), 0o644),
				os.MkdirAll(filepath.Join(root, ".offrun/agents/claude"), 0o755),
				os.Symlink(filepath.Join(outside, "theirs.md"), filepath.Join(root, deadEnds)))
		}, 0, "is a link"},
		{"the project's folder is a link out", func(tree, root string) error {
			return firstOf(os.WriteFile(filepath.Join(tree, deadEnds), []byte("- x\n"), 0o644), os.Symlink(outside, filepath.Join(root, ".offrun")))
		}, 0, "new notes stay in the worktree"},
		{"no note", func(tree, _ string) error {
			return os.WriteFile(filepath.Join(tree, ".offrun/agents/claude/x.bin"), nil, 0o644)
		}, 0, "is not a note"},
		{"worktree gone", func(tree, _ string) error { return os.RemoveAll(tree) }, 0, "not kept"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			turn := attempt(t, root, "claude", nil)
			place(t, turn)
			if err := tt.odd(turn.Worktree, root); err != nil {
				t.Fatal(err)
			}
			got := absorb(t, turn)
			if got.Lines != tt.lines || !strings.Contains(strings.Join(got.Notices, "\n"), tt.notice) {
				t.Errorf("absorbed %+v, want %d lines and %q", got, tt.lines, tt.notice)
			}
			if again := absorb(t, turn); again.Lines != got.Lines {
				t.Errorf("again: %+v", again)
			}
			if text := read(t, outside, "theirs.md"); text != "- SECRET\n" {
				t.Errorf("outside: %q", text)
			}
			if b, err := os.ReadFile(filepath.Join(root, deadEnds)); err == nil && tt.notice != "is a link" && strings.Contains(string(b), "SECRET") {
				t.Errorf("taken from outside: %q", b)
			}
		})
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Notes are committed: what looks like a secret stays out of them, also a key of
// several lines, and comes in no later turn.
func TestAbsorbWithoutSecrets(t *testing.T) {
	root := folder(t, map[string]string{deadEnds: "- a\n"})
	turn := attempt(t, root, "claude", nil)
	place(t, turn)
	token := "ghp" + "_Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
	key := "-----BEGIN PRIVATE " + "KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE " + "KEY-----\n"
	write(t, turn.Worktree, deadEnds, "- a\n- "+token+" is refused\n"+key)
	for range 2 {
		if got := absorb(t, turn); len(got.Notices) != 1 || got.Notices[0] != deadEnds+": a secret was taken out of what was noted" {
			t.Errorf("absorbed %+v", got)
		}
	}
	turn.N, turn.Dir = 2, filepath.Join(filepath.Dir(turn.Dir), "2")
	place(t, turn)
	if got := absorb(t, turn); got.Lines > 0 || len(got.Notices) > 0 {
		t.Errorf("absorbed again %+v", got)
	}
	if got := read(t, root, deadEnds); strings.Contains(got, token) || strings.Contains(got, "MIIE") || !strings.Contains(got, "- [redacted: github token] is refused\n") {
		t.Errorf("merged %q", got)
	}
}

// An agent writes its own notes only; what it makes of others' is told and kept.
func TestAbsorbRefusesForeignNotes(t *testing.T) {
	root := folder(t, map[string]string{Conventions: "- c\n"})
	const plan, gone = ".offrun/agents/codex/plan.md", ".offrun/agents/codex/goals.md"
	turn := attempt(t, root, "claude", map[string]string{plan: "- p\n", gone: "- g\n"})
	place(t, turn)
	write(t, turn.Worktree, Conventions, "- c\n- mine\n")
	write(t, turn.Worktree, plan, "- q\n")
	if err := os.Remove(filepath.Join(turn.Worktree, gone)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"removed " + gone + ", which is not its own: not taken",
		"changed " + plan + ", which is not its own: not taken; it is kept in turns/1/memory/refused/agents/codex/plan.md",
		"changed " + Conventions + ", which is not its own: not taken; it is kept in turns/1/memory/refused/conventions.md",
	}
	if got := absorb(t, turn).Notices; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notices %q", got)
	}
	if got := read(t, root, Conventions) + read(t, turn.Dir, "memory/refused/conventions.md"); got != "- c\n- c\n- mine\n" {
		t.Errorf("conventions %q", got)
	}
}
