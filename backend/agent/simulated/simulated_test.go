package simulated

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest"
	"offrun/backend/agent/claude"
	"offrun/backend/proc"
	"offrun/backend/work"
)

func TestAgents(t *testing.T) {
	for _, a := range Agents("/opt/offrun", claude.Decode) {
		if !a.Simulated || !strings.Contains(a.Name, "simulated") {
			t.Errorf("%s is not labelled: %q", a.ID, a.Name)
		}
		agenttest.Run(t, a)
	}
}

func TestPlay(t *testing.T) {
	for _, tt := range []struct {
		id      work.AgentID
		changed []string
		pass    bool
	}{
		{Careful, []string{"NOTES.md", "src/slug.sh", "tests/slug.sh"}, true},
		{Sprawl, []string{"NOTES.md", "README.md", "release.conf", "src/center.sh", "src/count.sh", "src/initials.sh", "src/slug.sh", "src/wrap.sh", "tests/slug.sh"}, true},
		{Broken, []string{"NOTES.md", "src/slug.sh"}, false},
	} {
		t.Run(string(tt.id), func(t *testing.T) {
			dir := demoDir(t)
			if runTests(t, dir) {
				t.Fatal("the tests of the demo pass before anybody mended it")
			}
			before := sums(t, dir)
			facts, code := perform(t, dir, "do it", string(tt.id), "--session", "s-1")
			if v := agent.Judge(facts, work.Exit{Code: code, Reason: work.Exited}); v.Class != work.ClassOK || facts.Session != "s-1" {
				t.Errorf("judged %+v, session %q", v, facts.Session)
			}
			if facts.Usage.Input == 0 || facts.Usage.CostUSD == 0 {
				t.Errorf("usage %+v", facts.Usage)
			}
			if got := runTests(t, dir); got != tt.pass {
				t.Errorf("tests pass: %v, want %v", got, tt.pass)
			}
			if diff := cmp.Diff(tt.changed, changed(before, sums(t, dir))); diff != "" {
				t.Errorf("changed files (-want +got)\n%s", diff)
			}
			checkAgain(t, dir, tt.id)
		})
	}
}

// checkAgain sends a follow-up.
func checkAgain(t *testing.T, dir string, id work.AgentID) {
	t.Helper()
	facts, code := perform(t, dir, "one more case, please", string(id), "--session", "s-1", "--resume")
	notes, err := os.ReadFile(filepath.Join(dir, "NOTES.md"))
	if err != nil {
		t.Fatal(err)
	}
	if code != 0 || facts.Ended == nil || !strings.Contains(string(notes), "one more case, please") {
		t.Errorf("follow-up: exit status %d, ended %v, notes %s", code, facts.Ended, notes)
	}
}

func TestReadOnly(t *testing.T) {
	dir := demoDir(t)
	before := sums(t, dir)
	if facts, code := perform(t, dir, "are you there?", string(Careful), "--read-only"); code != 0 || facts.Said == "" {
		t.Errorf("exit status %d, said %q", code, facts.Said)
	}
	if c := changed(before, sums(t, dir)); c != nil {
		t.Errorf("changed %v", c)
	}
}

func TestElsewhere(t *testing.T) {
	facts, code := perform(t, t.TempDir(), "do it", string(Careful))
	v := agent.Judge(facts, work.Exit{Code: code, Reason: work.Exited})
	if v.Class != work.ClassFailed || !strings.Contains(v.Why, "demo repository only") {
		t.Errorf("judged %+v", v)
	}
	if _, code := perform(t, t.TempDir(), "", "claude"); code != 2 {
		t.Errorf("unknown agent: exit status %d, want 2", code)
	}
}

func TestDemoLeavesFilesAlone(t *testing.T) {
	if err := Demo(demoDir(t)); work.CodeOf(err) != work.Conflict {
		t.Errorf("Demo over files: %v, want a conflict", err)
	}
}

func demoDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "words")
	if err := Demo(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func perform(t *testing.T, dir, message string, args ...string) (agent.Facts, int) {
	t.Helper()
	var out bytes.Buffer
	code := Main(t.Context(), Options{Args: args, Dir: dir, Stdin: strings.NewReader(message), Stdout: &out, Stderr: t.Output()})
	facts := agent.Facts{Structured: true}
	for line := range bytes.Lines(out.Bytes()) {
		for _, e := range claude.Decode(line, false) {
			facts.Add(e)
		}
	}
	return facts, code
}

func runTests(t *testing.T, dir string) bool {
	t.Helper()
	_, err := proc.Cmd{Argv: []string{"sh", "test.sh"}, Dir: dir}.Output(t.Context())
	return err == nil
}

func sums(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func changed(before, after map[string][32]byte) []string {
	var names []string
	for name, sum := range after {
		if before[name] != sum {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
