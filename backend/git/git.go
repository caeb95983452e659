// Package git runs git. No other package builds a git command line or parses
// git's output. Reads use plumbing with NUL-separated formats, so that no file
// name and no user setting can change what is parsed.
//
// Whatever lies in a worktree is the agent's, and the agent can write the shared
// git directory too. So every call names its git directory and its work tree
// from our own records, never by looking around from a folder; programs that a
// configuration can name are switched off where git allows it; and where it does
// not (filters), SharedFingerprint tells the caller when it is not safe to go on.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// A Repo is a repository with its main checkout: the folder that the user opened
// as a project. Paths are absolute and free of symbolic links.
type Repo struct {
	Dir    string // top folder of the main checkout
	GitDir string // the common git directory, shared by all worktrees
	Admin  string // git directory of Dir, if it is not GitDir: Dir is a linked worktree of a bare repository

	objects string         // scratch object folders, NUL-separated; see WithObjects
	held    *proc.FileLock // see lock; nil means none
}

// settings are given to every call. They make git behave the same on every
// machine, and keep it from starting programs that a configuration names.
var settings = []string{
	"core.hooksPath=" + os.DevNull, // F16, S10: no hooks, neither the user's nor an agent's
	"core.fsmonitor=false",         // S09: would run a program on every status
	"core.quotePath=false",
	"core.safecrlf=false",   // a warning at most; must never stop a snapshot
	"core.splitIndex=false", // a private index must not leave parts of itself behind
	"core.pager=cat",
	"core.editor=:",
	"color.ui=false",
	"column.ui=never",
	"advice.addEmbeddedRepo=false",
	"gc.auto=0", // no background work that holds locks or outlives us
	"maintenance.auto=false",
	"log.showSignature=false",
	"submodule.recurse=false",      // S11: a submodule is a repository of its own
	"safe.bareRepository=explicit", // S13: a folder of the tree is not a repository
	"protocol.ext.allow=never",     // S14
	"i18n.commitEncoding=UTF-8",
	"i18n.logOutputEncoding=UTF-8",
	"diff.suppressBlankEmpty=false", // obeyed even by plumbing
	"diff.orderFile=" + os.DevNull,  // obeyed even by status, which dies if the file is not there
	"status.branch=false",
	"status.showStash=false",
}

// environ returns our environment without anything that steers git (F14), and
// with what keeps it from asking questions (F19, S14). Replacement objects are
// not followed: an agent could make one, and show us another tree than lands.
func environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") && !strings.HasPrefix(kv, "SSH_ASKPASS") {
			env = append(env, kv)
		}
	}
	return append(env,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=false",
		"SSH_ASKPASS=false",
		"SSH_ASKPASS_REQUIRE=force",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_PAGER=cat",
		"LC_ALL=C",
	)
}

// A call is git, about to be started on one git directory and one work tree.
type call struct {
	dir       string    // working directory
	gitDir    string    // "" means that git looks for the repository from dir
	commonDir string    // given too, as the file that names it is the agent's (S08)
	workTree  string    //
	config    []string  // settings for this call only: key, value, key, value …
	env       []string  // variables for this call only
	stdin     io.Reader // nil is the null device
	held      *proc.FileLock
}

// at is a call on the main checkout. GIT_COMMON_DIR also makes git ignore
// core.bare and core.worktree, which an agent may have set (F11).
func (r Repo) at() call {
	gitDir := r.GitDir
	if r.Admin != "" {
		gitDir = r.Admin
	}
	return call{dir: r.Dir, gitDir: gitDir, commonDir: r.GitDir, workTree: r.Dir, env: r.objectEnv(), held: r.held}
}

// run starts git on the main checkout and returns what it wrote.
func (r Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.at().run(ctx, args...)
}

// line is run for commands that answer with one line.
func (r Repo) line(ctx context.Context, args ...string) (string, error) {
	return r.at().line(ctx, args...)
}

// with returns c with more variables, "K=V".
func (c call) with(env ...string) call {
	c.env = append(c.env[:len(c.env):len(c.env)], env...)
	return c
}

// set returns c with one more setting.
func (c call) set(key, value string) call {
	c.config = append(c.config[:len(c.config):len(c.config)], key, value)
	return c
}

// input returns c with b as its standard input.
func (c call) input(b []byte) call {
	c.stdin = bytes.NewReader(b)
	return c
}

// run starts git and returns its standard output.
func (c call) run(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	if err := c.pipe(ctx, &out, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// line is run for commands that answer with one line.
func (c call) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// pipe is the one place where git is started.
func (c call) pipe(ctx context.Context, stdout io.Writer, args ...string) error {
	if err := c.command(args).Run(ctx, stdout); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}

func (c call) command(args []string) proc.Cmd {
	argv := []string{"git"}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	env := append(environ(), c.env...)
	// Not as -c: a key may hold a "=", and one of an agent's choice should not
	// become another setting.
	for i := 0; i < len(c.config); i += 2 {
		n := strconv.Itoa(i / 2)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+c.config[i], "GIT_CONFIG_VALUE_"+n+"="+c.config[i+1])
	}
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(c.config)/2))
	if c.gitDir != "" {
		argv = append(argv, "--git-dir="+c.gitDir, "--work-tree="+c.workTree)
		env = append(env, "GIT_COMMON_DIR="+c.commonDir)
	}
	return proc.Cmd{Argv: append(argv, args...), Dir: c.dir, Env: env, Stdin: c.stdin, Hold: c.held}
}

// exitCode returns the status git ended with, 0 if err is nil, or -1 if err is
// something else. Many commands answer a question by it.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if x, ok := errors.AsType[*proc.ExitError](err); ok {
		return x.Code
	}
	return -1
}

// complaint returns what git wrote to standard error, or "".
func complaint(err error) string {
	if x, ok := errors.AsType[*proc.ExitError](err); ok {
		return x.Stderr
	}
	return ""
}

// Resolve returns the full id of the commit that ref names; "" is HEAD. A
// repository without a commit has an error of its own (F01).
func (r Repo) Resolve(ctx context.Context, ref string) (string, error) {
	if ref == "" {
		ref = "HEAD"
	}
	if id, sure := r.refNow(ref); sure && id != "" {
		return id, nil
	}
	id, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	switch {
	case err == nil:
		return id, nil
	case exitCode(err) < 0:
		return "", err
	}
	if _, unborn := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); unborn != nil {
		return "", work.Hide(work.Invalid, err, fmt.Sprintf("%s has no commit yet", r.Dir)).
			Do(`Make the first commit, for example with: git add . && git commit -m "first".`)
	}
	return "", work.Hide(work.NotFound, err, fmt.Sprintf("%q is not a commit of %s", ref, r.Dir)).
		Do("Name a branch, a tag or a commit id that exists there.")
}

// records splits NUL-terminated output.
func records(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// realPath returns path absolute and without symbolic links.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
