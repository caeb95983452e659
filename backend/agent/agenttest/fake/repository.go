package fake

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repository are steps that do to git what an agent should not, or may.
var repository = map[string]step{
	"commit":        do(func(*fake, string) error { return git("commit", "-qm", "by the agent") }),
	"add":           do(func(*fake, string) error { return git("add", "-A") }),
	"branch":        do(func(_ *fake, arg string) error { return git("switch", "-qc", arg) }),
	"detach":        do(func(*fake, string) error { return git("switch", "-q", "--detach") }),
	"stash":         do(func(*fake, string) error { return git("stash", "-q", "--include-untracked") }),
	"stash-pop":     do(func(*fake, string) error { return git("stash", "pop", "-q") }),
	"tag":           do(func(_ *fake, arg string) error { return git("tag", arg) }),
	"nested":        do(nested),     // a repository inside of the worktree, with a commit
	"leaked-init":   do(leakedInit), // git init with GIT_DIR leaked into its environment
	"rewrite-git":   do(rewriteGit), // points the worktree at another repository
	"remove-git":    do(func(*fake, string) error { return os.Remove(".git") }),
	"shared-config": do(sharedConfig), // a setting that makes git run a program
	"shared-hook":   do(sharedHook),
	"attributes":    do(attributes),
	"main-edit":     do(func(_ *fake, arg string) error { return inMain(arg, "written by a fake agent\n") }),
	"main-ref":      do(func(*fake, string) error { return git("update-ref", "refs/heads/made-by-agent", "HEAD") }),
	"agent-config":  do(func(*fake, string) error { return put(".claude/settings.json", []byte(`{"hooks":{}}`+"\n")) }),
}

// identity keeps the fake's commits apart from the user's.
var identity = []string{"-c", "user.name=Fake Agent", "-c", "user.email=fake@example.invalid", "-c", "commit.gpgsign=false"}

func git(args ...string) error {
	cmd := exec.Command("git", append(slices.Clone(identity), args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null") // the weird user's hooks must not keep it from misbehaving
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// commonDir returns the git directory that all worktrees share.
func commonDir() (string, error) {
	out, err := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-common-dir").Output()
	return strings.TrimSuffix(string(out), "\n"), err
}

// inMain writes a file into the main checkout.
func inMain(name, text string) error {
	dir, err := commonDir()
	if err != nil {
		return err
	}
	return put(filepath.Join(filepath.Dir(dir), name), []byte(text))
}

func nested(*fake, string) error {
	if err := put("nested/inside.txt", []byte("in a repository of its own\n")); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "nested"}} {
		if err := git(append([]string{"-C", "nested"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

func leakedInit(*fake, string) error {
	dir, err := commonDir()
	if err != nil {
		return err
	}
	elsewhere, err := os.MkdirTemp("", "fake-init")
	if err != nil {
		return err
	}
	defer os.RemoveAll(elsewhere)
	c := exec.Command("git", "init", "-q")
	c.Dir, c.Env = elsewhere, append(os.Environ(), "GIT_DIR="+dir)
	return c.Run()
}

func rewriteGit(*fake, string) error {
	if err := put("evil/HEAD", []byte("ref: refs/heads/main\n")); err != nil {
		return err
	}
	return os.WriteFile(".git", []byte("gitdir: evil\n"), 0o644)
}

func sharedConfig(*fake, string) error {
	dir, err := commonDir()
	if err != nil {
		return err
	}
	return git("config", "--file", filepath.Join(dir, "config"), "core.fsmonitor", "touch "+filepath.Join(dir, "fsmonitor-ran"))
}

func sharedHook(*fake, string) error {
	dir, err := commonDir()
	if err != nil {
		return err
	}
	hook := filepath.Join(dir, "hooks", "post-checkout")
	if err := put(hook, []byte("#!/bin/sh\ntouch \"$(git rev-parse --git-common-dir)/hook-ran\"\n")); err != nil {
		return err
	}
	return os.Chmod(hook, 0o755)
}

func attributes(*fake, string) error {
	dir, err := commonDir()
	if err != nil {
		return err
	}
	return put(filepath.Join(dir, "info", "attributes"), []byte("* filter=evil\n"))
}
