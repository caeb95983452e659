package agent

import (
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
}

// Detected is what can be told about an installed agent without a model call.
type Detected struct {
	Path    string
	Version string // "" if it did not tell
	Login   LoginState
	Detail  string // who is logged in or how, for people
}

// probe is how long a program may take to tell its version or its login.
const probe = 15 * time.Second

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
		if rest, ok := strings.CutPrefix(place, "~/"); ok {
			place = filepath.Join(w.Home, rest)
		}
		path += string(os.PathListSeparator) + place
	}
	found, err := proc.Find(name, path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", a.Name, err)
	}
	return found, nil
}

// Detect finds a's program and asks it for its version and its login, in the
// environment env. A program that does not tell is no error; one that cannot be
// found or started is.
func Detect(ctx context.Context, a Agent, w Where, env []string) (Detected, error) {
	path, err := Find(a, w)
	if err != nil {
		return Detected{}, err
	}
	d := Detected{Path: path, Login: LoginUnknown}
	if a.Version != nil {
		stdout, _, code, err := ask(ctx, path, a.Version, env)
		if err != nil {
			return d, err
		}
		if d.Version = version(stdout); code != 0 {
			d.Detail = fmt.Sprintf("exit status %d when asked for its version", code)
		}
	}
	if a.Login != nil {
		stdout, stderr, code, err := ask(ctx, path, a.Login.Args, env)
		if err != nil {
			return d, err
		}
		d.Login, d.Detail = a.Login.Read(stdout, stderr, code)
	}
	return d, nil
}

// ask runs path with args and returns what it printed. Stderr is there only if
// code is not 0.
func ask(ctx context.Context, path string, args, env []string) (stdout, stderr string, code int, _ error) {
	ctx, cancel := context.WithTimeout(ctx, probe)
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
		return n
	}
	return firstLine(printed, "")
}
