package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Fingerprint is what a repository looks like beside an attempt's own worktree:
// all that an attempt should leave alone (F11, F30, F42, S09). Two of them tell
// what changed. Content is kept as hashes, since configuration may hold secrets;
// it can be stored as JSON.
type Fingerprint struct {
	Config map[string]string `json:"config"` // "scope key" → hash of its values
	Hooks  map[string]string `json:"hooks"`  // file → mode and hash
	Info   map[string]string `json:"info"`   // other files by which git is steered → hash

	Whole bool              `json:"whole"` // the following are known too
	Head  string            `json:"head,omitempty"`
	Index string            `json:"index,omitempty"` // hash of what is staged
	Refs  map[string]string `json:"refs,omitempty"`  // without ours
	Stash []string          `json:"stash,omitempty"` // commit ids, newest first
	Files map[string]string `json:"files,omitempty"` // what is not committed in the main checkout → status and hash
}

// SharedFingerprint takes the part that says what git may run: configuration,
// hooks, attributes. It is cheap, and safe whatever an agent wrote there, so it
// comes before anything else that runs git in a worktree.
func (r Repo) SharedFingerprint(ctx context.Context) (Fingerprint, error) {
	f := Fingerprint{Hooks: map[string]string{}, Info: map[string]string{}}
	settings, err := r.allSettings(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	f.Config = hashSettings(settings)
	if err := r.hashHooks(ctx, f.Hooks, settings); err != nil {
		return Fingerprint{}, err
	}
	for _, name := range []string{"info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout", "objects/info/alternates", "commondir"} {
		b, err := os.ReadFile(filepath.Join(r.GitDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Fingerprint{}, err
		}
		if name == "info/exclude" {
			theirs, _ := splitExclude(string(b)) // our own block is exempt
			b = []byte(strings.TrimSpace(theirs))
		}
		f.Info[name] = hashOf(b)
	}
	return f, r.hashModules(f.Info)
}

// hashModules hashes what steers git in the submodules of the main checkout: git
// status goes there too.
func (r Repo) hashModules(info map[string]string) error {
	top := filepath.Join(r.GitDir, "modules")
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // no submodules, or gone meanwhile
		}
		rel, err := filepath.Rel(r.GitDir, path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "objects" || name == "refs" || name == "logs"):
			return fs.SkipDir
		case !d.IsDir() && (name == "config" || name == "config.worktree" || name == "attributes" || filepath.Base(filepath.Dir(path)) == "hooks"):
			info[rel] = hashFile(path, true)
		}
		return nil
	})
}

// Fingerprint takes the whole. It runs git status in the main checkout, which may
// start filters: compare SharedFingerprint first.
func (r Repo) Fingerprint(ctx context.Context) (Fingerprint, error) {
	f, err := r.SharedFingerprint(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	f.Whole = true
	var dirty sync.WaitGroup
	var dirtyErr error
	dirty.Go(func() { f.Files, dirtyErr = r.dirtyFiles(ctx) }) // takes as long as all the rest
	defer dirty.Wait()
	if err := r.fingerprintRefs(ctx, &f); err != nil {
		return Fingerprint{}, err
	}
	dirty.Wait()
	return f, dirtyErr
}

// fingerprintRefs fills in HEAD, index, refs and stash.
func (r Repo) fingerprintRefs(ctx context.Context, f *Fingerprint) error {
	branch, err := r.Branch(ctx)
	if err != nil {
		return err
	}
	head, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	f.Head = strings.TrimSpace(branch + " " + head)
	staged, err := r.run(ctx, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return err
	}
	f.Index = hashOf(staged)
	if f.Refs, err = r.refs(ctx); err != nil {
		return err
	}
	f.Stash, err = r.stashes(ctx, f.Refs["refs/stash"] != "")
	delete(f.Refs, "refs/stash")
	return err
}

// refs returns all refs but our own: refs/offrun and the branches of attempts.
func (r Repo) refs(ctx context.Context) (map[string]string, error) {
	out, err := r.run(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.HasPrefix(name, "refs/offrun/") && !strings.HasPrefix(name, "refs/heads/run/") {
			refs[name] = strings.TrimSpace(value)
		}
	}
	return refs, nil
}

func (r Repo) stashes(ctx context.Context, any bool) ([]string, error) {
	if !any {
		return nil, nil
	}
	out, err := r.run(ctx, "rev-list", "--walk-reflogs", "refs/stash", "--")
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// dirtyFiles hashes what is not committed in the main checkout.
func (r Repo) dirtyFiles(ctx context.Context) (map[string]string, error) {
	found, err := r.status(ctx, "all")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for i, s := range found {
		files[s.path] = s.code + " " + hashFile(filepath.Join(r.Dir, s.path), i < 2000)
	}
	return files, nil
}

// hashFile stands for a file's content. Big files, and all where closely is false,
// are taken by size and time.
func hashFile(path string, closely bool) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "absent"
	case info.Mode().Type() == fs.ModeSymlink:
		target, _ := os.Readlink(path) // gone meanwhile is as good as empty
		return "link " + hashOf([]byte(target))
	case !info.Mode().IsRegular():
		return info.Mode().Type().String()
	case !closely || info.Size() > 4<<20:
		return fmt.Sprintf("%o %d %d", info.Mode().Perm(), info.Size(), info.ModTime().UnixNano())
	}
	file, err := os.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%o %s", info.Mode().Perm(), hex.EncodeToString(h.Sum(nil)[:16]))
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// hashHooks hashes the hooks: those of the git directory and, where the
// configuration names another folder, what is there and not under version control.
func (r Repo) hashHooks(ctx context.Context, hooks map[string]string, settings []setting) error {
	dirs := map[string]string{"hooks": filepath.Join(r.GitDir, "hooks")}
	for _, s := range settings {
		if s.key == "core.hookspath" && s.value != "" {
			dirs[s.value] = absolute(r.Dir, expandHome(s.value))
		}
	}
	for name, dir := range dirs {
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // no such folder: no hooks
		}
		tracked, err := r.trackedIn(ctx, dir)
		if err != nil {
			return err
		}
		for i, file := range files {
			if !tracked[file.Name()] && i < 1000 {
				hooks[name+"/"+file.Name()] = hashFile(filepath.Join(dir, file.Name()), true)
			}
		}
	}
	return nil
}

// trackedIn returns the names of the files of dir that are under version control.
func (r Repo) trackedIn(ctx context.Context, dir string) (map[string]bool, error) {
	rel, err := filepath.Rel(r.Dir, settle(dir))
	if err != nil || !filepath.IsLocal(rel) || rel == ".git" || strings.HasPrefix(rel, ".git/") {
		return nil, nil
	}
	out, err := r.run(ctx, "ls-files", "-z", "--", rel)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, path := range records(out) {
		names[filepath.Base(path)] = true
	}
	return names, nil
}

func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}
