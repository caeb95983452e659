package pool

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"offrun/backend/agent"
	"offrun/backend/work"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// F79, F81: a move copies the conversation and opens nothing else; credentials
// stay where they are.
func TestF79MoveLeavesCredentials(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	put(t, filepath.Join(from, "auth.json"), "secret")
	put(t, filepath.Join(to, "auth.json"), "other secret")
	put(t, filepath.Join(from, "sessions", "s.jsonl"), `{"content":"line one\nsay \"<b>\" 日本"}`)
	ac := &agent.Accounts{Transcript: func(home, session, _ string) ([]string, error) {
		switch session {
		case "gone":
			return nil, work.Errorf(work.NotFound, "no such conversation")
		case "unknown":
			return nil, fs.ErrNotExist
		}
		return []string{"sessions/s.jsonl"}, nil
	}}
	copies, err := Move(ac, from, to, "s", "/w")
	if err != nil || !slices.Equal(copies, []string{filepath.Join(to, "sessions", "s.jsonl")}) {
		t.Fatalf("Move = %v, %v", copies, err)
	}
	if b, err := os.ReadFile(filepath.Join(to, "auth.json")); err != nil || string(b) != "other secret" {
		t.Errorf("the other login's credential is %q, %v", b, err)
	}
	for message, want := range map[string]bool{"line one\nsay \"<b>\" 日本": true, "line two": false, "": false} {
		if got := Holds(copies, message); got != want {
			t.Errorf("Holds(%q) = %v", message, got)
		}
	}
	for _, session := range []string{"unknown", "gone"} {
		if copies, err := Move(ac, from, to, session, "/w"); err != nil || copies != nil {
			t.Errorf("session %s: %v, %v", session, copies, err)
		}
	}
	if copies, err := Move(nil, from, to, "s", "/w"); err != nil || copies != nil {
		t.Errorf("an agent without accounts: %v, %v", copies, err)
	}
	outside := &agent.Accounts{Transcript: func(string, string, string) ([]string, error) { return []string{"../auth.json"}, nil }}
	if _, err := Move(outside, from, to, "s", "/w"); err == nil {
		t.Error("a file outside of the login's folder was copied")
	}
}
