package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// Where says where to look for a program.
type Where struct {
	Path     string // a PATH, that of the user's login shell
	Override string // absolute path that the user gave; "" means to look
	Home     string // the home folder, for "~/"
	Login    string // folder of the login; "" is where the program keeps it when nobody tells it

	Patience time.Duration // how long the program may take for one answer; 0 means 15 s
}

// in returns the folder that name means, where "~/" is the home folder.
func (w Where) in(name string) string {
	if rest, ok := strings.CutPrefix(name+"/", "~/"); ok {
		return filepath.Join(w.Home, rest)
	}
	return name
}

// Detected is what can be told about an installed agent without a model call.
type Detected struct {
	Path    string
	Version string // "" if it did not tell
	Login   LoginState
	Detail  string // who is logged in or how, for people
}

// Find returns the absolute path of a's program: the override, else the first on
// PATH, else the first in a's usual places. The error names what is wrong and
// what to do.
func Find(a Agent, w Where) (string, error) {
	name := a.Program
	if w.Override != "" {
		name = w.Override
	}
	path := w.Path
	for _, place := range a.Places {
		path += string(os.PathListSeparator) + w.in(place)
	}
	found, err := proc.Find(name, path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", a.Name, err)
	}
	return found, nil
}

// Detect finds a's program and asks it for its version and its login, in the
// environment env. A program that does not tell is no error, nor is one that is
// too slow to tell its login; one that cannot be found or started is.
func Detect(ctx context.Context, a Agent, w Where, env []string) (Detected, error) {
	path, err := Find(a, w)
	if err != nil {
		return Detected{}, err
	}
	w.Patience = cmp.Or(w.Patience, 15*time.Second)
	d := Detected{Path: path, Login: LoginUnknown}
	if a.Version != nil {
		stdout, _, code, err := w.ask(ctx, path, a.Version, env)
		if err != nil {
			return d, err
		}
		if d.Version = version(stdout); code != 0 {
			d.Detail = fmt.Sprintf("exit status %d when asked for its version", code)
		}
	}
	if a.Login == nil {
		return d, nil
	}
	if a.Login.Args == nil {
		d.Login, d.Detail = a.Login.marked(w.login(a))
		return d, nil
	}
	stdout, stderr, code, err := w.ask(ctx, path, a.Login.Args, env)
	switch {
	case work.CodeOf(err) == work.Unavailable && ctx.Err() == nil: // F78: it may wait for a browser or a key ring
		d.Detail = fmt.Sprintf("it did not tell whether it is logged in within %v", w.Patience)
	case err != nil:
		return d, err
	default:
		d.Login, d.Detail = a.Login.Read(stdout, stderr, code)
	}
	return d, nil
}

// login returns the folder of a's login, or "".
func (w Where) login(a Agent) string {
	if w.Login != "" || a.Accounts == nil {
		return w.Login
	}
	return w.in(a.Accounts.Home)
}

// ask runs path with args and returns what it printed. Stderr is there only if
// code is not 0.
func (w Where) ask(ctx context.Context, path string, args, env []string) (stdout, stderr string, code int, _ error) {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	out, err := proc.Cmd{Argv: append([]string{path}, args...), Dir: os.TempDir(), Env: env}.Output(ctx)
	if exit, ok := errors.AsType[*proc.ExitError](err); ok {
		return string(out), exit.Stderr, exit.Code, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "", "", 0, work.Hide(work.Unavailable, err, fmt.Sprintf("%q does not answer", path)).
			Do("Start it in a terminal and see what it waits for.")
	}
	return string(out), "", 0, err
}

var number = regexp.MustCompile(`\d+\.\d+[\w.+-]*`)

// version returns the version number in what a program printed, or its first line.
func version(printed string) string {
	if n := number.FindString(printed); n != "" {
		return strings.TrimRight(n, ".") // it may end a sentence
	}
	return firstLine(printed, "")
}
