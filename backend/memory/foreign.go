package memory

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// foreign reads the files of the memory in the worktree that are not the
// agent's own: the conventions, and notes of other agents. What it cannot read
// has no text.
func (t Turn) foreign(tree *os.Root) map[string]string {
	found := map[string]string{}
	if n := readNote(tree, Conventions, maxFile); n.taken {
		found[n.name] = n.text
	}
	folders, _ := fs.ReadDir(tree.FS(), agents) // there are none, or a link leads out of the worktree
	for _, f := range folders {
		if f.Name() == string(t.Agent) || !f.IsDir() {
			continue
		}
		for _, n := range notes(tree, path.Join(agents, f.Name()), maxFile) {
			if n.taken {
				found[n.name] = n.text
			}
		}
	}
	return found
}

// foreignFile holds the foreign files as they were before the agent started.
func (t Turn) foreignFile() string { return filepath.Join(t.Dir, "memory", "foreign.json") }

func (t Turn) keepForeign(tree *os.Root) error {
	b, err := json.Marshal(t.foreign(tree))
	if err != nil {
		return err
	}
	return renameio.WriteFile(t.foreignFile(), b, 0o600)
}

// refuse says which foreign files the agent has changed, and keeps what it made
// of them with the turn: an agent writes its own notes only.
func (t Turn) refuse(tree *os.Root) (notices []string) {
	b, err := os.ReadFile(t.foreignFile())
	var was map[string]string
	if err != nil || json.Unmarshal(b, &was) != nil {
		return nil // nobody knows what was there
	}
	now := t.foreign(tree)
	names := slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(now)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		text, there := now[name]
		switch {
		case !there:
			notices = append(notices, "removed "+name+", which is not its own: not taken")
		case text != was[name]:
			notice := "changed " + name + ", which is not its own: not taken; "
			if kept, err := t.keepRefused(name, text); err != nil {
				notices = append(notices, notice+"it stays in the worktree"+reason(err))
			} else {
				notices = append(notices, notice+"it is kept in "+kept)
			}
		}
	}
	return notices
}

// keepRefused returns where it keeps a text, relative to the attempt's folder.
func (t Turn) keepRefused(name, text string) (string, error) {
	in := filepath.Join("memory", "refused", filepath.FromSlash(strings.TrimPrefix(name, ".offrun/")))
	file := filepath.Join(t.Dir, in)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	return path.Join("turns", filepath.Base(t.Dir), filepath.ToSlash(in)), renameio.WriteFile(file, []byte(text), 0o600)
}
