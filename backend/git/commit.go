package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"offrun/backend/work"
)

// signingLimit is how long signing may take unless the caller says otherwise: a
// person may have to touch a key, but a prompt that nobody sees waits for ever.
const signingLimit = time.Minute

// CommitOptions say what a commit of the user's history is made of. Tree and
// Message are required.
type CommitOptions struct {
	Tree    string
	Parents []string
	Message string        // ends with a newline, or gets one
	Sign    bool          // sign it, if the user's git signs commits (commit.gpgSign)
	Limit   time.Duration // for signing; 0 means one minute
}

// CommitTree makes a commit by tree id, with the user's own name. No hook runs,
// no index and no checkout is looked at (F100, F102), and nothing refers to the
// commit yet.
//
// Invalid means that the user has no name or no e-mail address configured;
// Unavailable, that signing did not work (F36).
func (r Repo) CommitTree(ctx context.Context, o CommitOptions) (string, error) {
	if strings.TrimSpace(o.Message) == "" {
		return "", work.Errorf(work.Invalid, "the commit message is empty").Do("Give one with -m.")
	}
	args := []string{"commit-tree", o.Tree}
	for _, p := range o.Parents {
		args = append(args, "-p", p)
	}
	c := r.at().
		set("user.useConfigOnly", "true"). // never a name guessed from the machine's
		input([]byte(strings.TrimRight(o.Message, "\n") + "\n"))
	if !o.Sign || !r.signs(ctx) {
		id, err := c.line(ctx, args...)
		return id, nameless(err)
	}
	return signed(ctx, c, append(args, "-S"), o.Limit)
}

// signs reports whether the user's commits are signed. A value that git cannot
// read counts as yes: signing then says what is wrong.
func (r Repo) signs(ctx context.Context) bool {
	v, err := r.line(ctx, "config", "--type=bool", "--get", "commit.gpgSign")
	return exitCode(err) != 1 && v != "false"
}

func signed(ctx context.Context, c call, args []string, limit time.Duration) (string, error) {
	if limit == 0 {
		limit = signingLimit
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	id, err := c.line(timed, args...)
	if err == nil {
		return id, nil
	}
	if errors.Is(nameless(err), err) && ctx.Err() == nil {
		msg := "the commit could not be signed"
		if timed.Err() != nil {
			msg = fmt.Sprintf("signing the commit took longer than %s", limit)
		} else if said := lastLine(complaint(err)); said != "" {
			msg += ": " + said
		}
		return "", work.Hide(work.Unavailable, err, msg).
			Do("Unlock the signing key, for example by signing something in a terminal, and land again. Nothing was changed.")
	}
	return "", nameless(err)
}

// nameless explains git's refusal to commit for somebody whose name it does not
// know; any other error is returned as it is.
func nameless(err error) error {
	said := complaint(err)
	for _, sign := range []string{"auto-detection is disabled", "empty ident name", "Please tell me who you are"} {
		if strings.Contains(said, sign) {
			return work.Hide(work.Invalid, err, "git does not know your name or e-mail address").
				Do(`Set them with: git config --global user.name "Your Name" and git config --global user.email you@example.com.`)
		}
	}
	return err
}

// Loose makes a commit in nobody's name that nothing refers to, for a worktree
// that needs one.
func (r Repo) Loose(ctx context.Context, tree, parent string) (string, error) {
	return r.at().input([]byte("scratch\n")).with(
		"GIT_AUTHOR_NAME=Offrun", "GIT_AUTHOR_EMAIL=offrun@localhost",
		"GIT_COMMITTER_NAME=Offrun", "GIT_COMMITTER_EMAIL=offrun@localhost",
	).line(ctx, "commit-tree", "--no-gpg-sign", "-p", parent, tree)
}
