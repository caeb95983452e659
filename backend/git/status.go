package git

import (
	"context"
	"fmt"
	"strings"
)

// exempt are the top folders that are ours or hold cards: what is there never
// counts as dirt of the main checkout.
var exempt = []string{"tasks", ".offrun", "runs", ".worktrees"}

func isExempt(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	for _, e := range exempt {
		if top == e {
			return true
		}
	}
	return false
}

// Dirty lists what is not committed in the main checkout: changed, staged and
// untracked paths, a folder that is wholly untracked with a closing slash. Cards
// and our own folders do not count.
func (r Repo) Dirty(ctx context.Context) ([]string, error) {
	found, err := r.status(ctx, "normal")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, s := range found {
		paths = append(paths, s.path)
	}
	return paths, nil
}

// A standing is one line of git status.
type standing struct {
	code string // two letters, index and work tree: ".M", "A.", "UU"; "??" is untracked
	path string
}

// status lists what differs in the main checkout. untracked is normal or all.
func (r Repo) status(ctx context.Context, untracked string) ([]standing, error) {
	out, _, err := r.at().despite(ctx, nil, "status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files="+untracked, "--ignored=no", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

// fields counts what stands before the path in a record of each kind.
var fields = map[byte]int{'1': 8, 'u': 10, '?': 1, '!': 1}

// parseStatus reads porcelain v2 records without renames, and leaves out what is
// exempt.
func parseStatus(out []byte) ([]standing, error) {
	var found []standing
	for _, rec := range records(out) {
		n := 0
		if rec != "" {
			n = fields[rec[0]]
		}
		f := strings.SplitN(rec, " ", n+1)
		if n == 0 || len(f) != n+1 || f[n] == "" || n > 1 && len(f[1]) != 2 {
			return nil, fmt.Errorf("git status: malformed record %q", rec)
		}
		s := standing{code: "??", path: f[n]}
		if n > 1 {
			s.code = f[1]
		}
		if !isExempt(s.path) {
			found = append(found, s)
		}
	}
	return found, nil
}
