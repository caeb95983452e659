package agenttest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// ID is the session of the made-up conversations.
const ID = "11111111-2222-4333-8444-555555555555"

// logins are the files in which the agents keep credentials.
var logins = []string{".credentials.json", "auth.json", "oauth_creds.json", "google_accounts.json", "config.json", "settings.json", "mcp-oauth-tokens.json"}

// Accounts checks that a keeps its logins apart and finds the conversation ID of
// a program that ran in cwd. Files lie in the made-up folder of a login, beside
// credentials in every folder; want are those that belong to the conversation.
func Accounts(t *testing.T, a agent.Agent, cwd string, files map[string]string, want ...string) {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(home, name), text)
		for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
			for _, login := range logins {
				if _, taken := files[filepath.Join(dir, login)]; !taken {
					put(t, filepath.Join(home, dir, login), "secret")
				}
			}
			if dir == "." {
				break
			}
		}
	}
	checkAccounts(t, a)
	if a.Accounts.Transcript == nil {
		if !a.Accounts.Shares {
			t.Error("conversations neither move nor are shared")
		}
		return
	}
	got, err := a.Accounts.Transcript(home, ID, cwd)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, transcript (-want +got):\n%s", err, diff)
	}
	for _, session := range []string{"", "../" + ID, "*", "auth", strings.Repeat("9", 36), "99999999-2222-4333-8444-555555555555"} {
		if got, err := a.Accounts.Transcript(home, session, cwd); err == nil || work.CodeOf(err) == work.Internal {
			t.Errorf("F79: session %q gives %q, %v", session, got, err)
		}
	}
}

func checkAccounts(t *testing.T, a agent.Agent) {
	t.Helper()
	env := a.Accounts.Env("/made/up")
	if !slices.ContainsFunc(env, func(kv string) bool { _, v, _ := strings.Cut(kv, "="); return strings.HasPrefix(v, "/made/up") }) {
		t.Errorf("nothing in %q leads to the folder of the login", env)
	}
	if a.Accounts.Login == nil || !strings.HasPrefix(a.Accounts.Home, "~") {
		t.Errorf("incomplete: %+v", a.Accounts)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
