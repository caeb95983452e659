package proc

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// loginPathLimit is how long the user's shell may take to start.
const loginPathLimit = 5 * time.Second

// LoginPath returns the PATH that the user's terminal would have, followed by
// those folders of our own that are not in it. An app that is started from the
// Finder or a desktop gets a short PATH, on which agents and their interpreters
// are not found (fault F71).
//
// It starts $SHELL as an interactive login shell, since people set their PATH in
// any of its files, and takes nothing else from it. If that fails, or takes more
// than five seconds, the answer is our own PATH. It costs as much as opening a
// terminal: callers keep the answer.
func LoginPath(ctx context.Context) string {
	own := os.Getenv("PATH")
	shell := os.Getenv("SHELL")
	if !filepath.IsAbs(shell) {
		return own
	}
	ctx, cancel := context.WithTimeout(ctx, loginPathLimit)
	defer cancel()
	// Random, so that nothing a shell's files print can be taken for it.
	answer := &between{mark: "offrun-" + rand.Text(), found: cancel}
	c := Cmd{Argv: shellArgs(shell, answer.mark), Env: Environ(), Dir: os.Getenv("HOME")}
	// In a session without a terminal an interactive shell cannot take ours away.
	// It ignores TERM, so that no time is given to it.
	_ = c.run(ctx, answer, time.Millisecond, &syscall.SysProcAttr{Setsid: true}) // it may fail after it has answered
	return mergePaths(answer.String(), own)
}

// shellArgs returns the command that prints PATH between two marks, in the
// language of shell.
func shellArgs(shell, mark string) []string {
	const posix = `printf '%s' 'MARK' "$PATH" 'MARK'`
	args := []string{shell, "-ilc", posix}
	switch filepath.Base(shell) {
	case "fish": // PATH is a list there
		args[2] = `printf '%s' 'MARK' (string join : $PATH) 'MARK'`
	case "nu", "nushell":
		args = []string{shell, "--login", "--interactive", "--commands", `print -n $"MARK($env.PATH | str join (char esep))MARK"`}
	case "csh", "tcsh": // takes no -l together with others, and reads .cshrc anyway
		args = []string{shell, "-c", posix}
	}
	last := len(args) - 1
	args[last] = strings.ReplaceAll(args[last], "MARK", mark)
	return args
}

// A between keeps what is written between two marks and calls found at the second.
type between struct {
	mark  string
	found func()
	seen  bytes.Buffer
}

func (b *between) Write(p []byte) (int, error) {
	if b.seen.Len() > 1<<20 {
		return 0, io.ErrShortWrite // it talks without end
	}
	b.seen.Write(p)
	if bytes.Count(b.seen.Bytes(), []byte(b.mark)) == 2 {
		b.found()
	}
	return len(p), nil
}

// String returns "" unless both marks have been seen.
func (b *between) String() string {
	if parts := strings.Split(b.seen.String(), b.mark); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

// mergePaths returns the absolute folders of the lists, each once.
func mergePaths(lists ...string) string {
	var dirs []string
	for _, list := range lists {
		for _, dir := range filepath.SplitList(list) {
			if filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}
