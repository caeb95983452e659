package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// A setting is one line of git's configuration.
type setting struct{ scope, key, value string }

// name is how fingerprints and people call it.
func (s setting) name() string { return s.scope + " " + s.key }

// allSettings reads the configuration as git sees it, of every scope, included
// files too, and what single worktrees add to it. Where the repository's own file
// cannot be read any more, a setting called "unreadable" stands for it.
func (r Repo) allSettings(ctx context.Context) ([]setting, error) {
	out, err := r.run(ctx, "config", "--list", "--show-scope", "--includes", "-z")
	if exitCode(err) > 0 {
		b, _ := os.ReadFile(filepath.Join(r.GitDir, "config")) // gone is as good as empty
		return []setting{{"local", "unreadable", hashOf(b)}}, nil
	}
	if err != nil {
		return nil, err
	}
	all := parseSettings(out)
	own, err := r.worktreeSettings(ctx, all)
	return append(all, own...), err
}

// parseSettings reads "scope NUL key LF value NUL", without what we gave git
// ourselves.
func parseSettings(out []byte) []setting {
	var all []setting
	recs := records(out)
	for i := 0; i+1 < len(recs); i += 2 {
		if recs[i] == "command" {
			continue
		}
		key, value, _ := strings.Cut(recs[i+1], "\n")
		all = append(all, setting{recs[i], key, value})
	}
	return all
}

// worktreeSettings reads what linked worktrees set for themselves, if the
// repository allows that at all. A new worktree gets a copy of the main one's: that
// is not a change.
func (r Repo) worktreeSettings(ctx context.Context, all []setting) ([]setting, error) {
	known := map[setting]bool{}
	for _, s := range all {
		known[s] = true
	}
	files, err := filepath.Glob(filepath.Join(globQuote(r.GitDir), "worktrees", "*", "config.worktree"))
	if err != nil {
		return nil, err
	}
	var own []setting
	for _, file := range files {
		scope := "worktree:" + filepath.Base(filepath.Dir(file))
		out, err := r.run(ctx, "config", "--file", file, "--list", "--includes", "-z")
		if exitCode(err) > 0 {
			own = append(own, setting{scope, "unreadable", ""})
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, rec := range records(out) {
			key, value, _ := strings.Cut(rec, "\n")
			if !known[setting{"worktree", key, value}] {
				own = append(own, setting{scope, key, value})
			}
		}
	}
	return own, nil
}

// globQuote makes every letter of path stand for itself.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// hashSettings gathers the values of each key, in order.
func hashSettings(all []setting) map[string]string {
	values := map[string]string{}
	for _, s := range all {
		values[s.name()] += s.value + "\x00"
	}
	for name, v := range values {
		values[name] = hashOf([]byte(v))
	}
	return values
}
