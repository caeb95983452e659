package acp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/agent"
)

// TestF76Inside rules on calls by what they say of themselves.
func TestF76Inside(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, scratch := filepath.Join(root, "tree"), filepath.Join(root, "scratch")
	for _, d := range []string{dir, scratch, filepath.Join(root, "tree-2")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": "..", "dangling": "../not-yet", "in": ".", "circle": "circle"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := newPolicy(agent.InsideWorkspace, dir, scratch, "")
	for _, tt := range []struct {
		call string // "DIR" stands for the worktree, "ROOT" for the folder that it is in
		want ruling
	}{
		{`{"kind":"edit","locations":[{"path":"DIR/a.txt"}]}`, allow},
		{`{"kind":"edit","locations":[{"path":"a/new/folder/a.txt"}]}`, allow},
		{`{"kind":"edit","locations":[{"path":"DIR/in/in/a.txt"}]}`, allow},
		{`{"kind":"edit","locations":[{"path":"file://DIR/a.txt"}]}`, allow},
		{`{"kind":"delete","content":[{"type":"diff","path":"DIR/a.txt"}]}`, allow},
		{`{"kind":"edit","rawInput":{"file_path":"DIR/a.txt"}}`, allow},
		{`{"kind":"edit","locations":[{"path":"ROOT/scratch/a.txt"}]}`, allow},
		{`{"kind":"execute","rawInput":{"command":"make"}}`, allow},
		{`{"kind":"execute","rawInput":{"command":"make","cwd":"DIR/sub"}}`, allow},
		{`{"kind":"read","locations":[{"path":"/etc/passwd"}]}`, allow},
		{`{"kind":"fetch"}`, allow},

		{`{"kind":"edit","locations":[{"path":"ROOT/main.txt"}]}`, deny}, // the main checkout, seen from a worktree
		{`{"kind":"edit","locations":[{"path":"ROOT/tree-2/a.txt"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"../a.txt"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"~/a.txt"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"DIR/out/a.txt"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"dangling"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"circle/a"}]}`, deny},
		{`{"kind":"edit","locations":[{"path":"DIR/a.txt"},{"path":"/etc/hosts"}]}`, deny},
		{`{"kind":"edit","content":[{"type":"diff","path":"/etc/hosts"}],"locations":[{"path":"DIR/a.txt"}]}`, deny},
		{`{"kind":"edit","rawInput":{"file_path":"/etc/hosts"},"locations":[{"path":"DIR/a.txt"}]}`, deny},
		{`{"kind":"edit"}`, deny}, // it does not say what
		{`{"kind":"execute","rawInput":{"command":["ls"],"workdir":"/"}}`, deny},
		{`{"kind":"other","title":"create an issue"}`, deny},
		{`{"kind":"switch_mode"}`, deny},
		{`{}`, deny},
	} {
		var c toolCall
		text := strings.NewReplacer("DIR", dir, "ROOT", root).Replace(tt.call)
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		got, why := p.rule(c)
		if got != tt.want || (why == "") != (got == allow) {
			t.Errorf("rule(%s) = %s, %q; want %s", tt.call, got, why, tt.want)
		}
	}
}
