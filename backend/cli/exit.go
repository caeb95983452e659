package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/work"
)

// status maps every code of work to the exit status that stands for it. They are
// documented in exitCodes and never change their meaning.
var status = map[work.Code]int{
	work.Internal:    1,
	work.Invalid:     2,
	work.NotFound:    3,
	work.Conflict:    4,
	work.Busy:        5,
	work.Untrusted:   6,
	work.Unavailable: 7,
}

const (
	nothingGood = 8   // the command did its work, and what it found is bad
	interrupted = 130 // as shells say it of a program that Ctrl-C ended
)

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit statuses mean",
		Long: `Exit statuses of offrun:

    0  done
    1  a fault of Offrun; serve.log in the data folder has the details
    2  the command is wrong: an argument, a setting, a card that cannot be read
    3  there is no such project, card, run or attempt
    4  something stands against it: a conflict, a dirty file, a moved trunk,
       a worktree that was left alone
    5  in use; try again later
    6  what may run in the repository is not trusted; see offrun project trust
    7  something of the machine is missing: a program, disk space, a permission
    8  done, and nothing good came of it: every attempt of a followed run is
       failing, or doctor found a problem
  130  interrupted; attempts go on by themselves`,
	}
}

// errorText is an error as people read it: what is wrong, the list of what it is
// about, and the next step.
func errorText(err error) string {
	e, ok := errors.AsType[*work.Error](err)
	if !ok {
		return "offrun: " + oneLine(err.Error()) + "\n"
	}
	var b strings.Builder
	b.WriteString("offrun: " + oneLine(e.Msg) + "\n")
	for _, item := range e.List {
		b.WriteString("  " + oneLine(item) + "\n")
	}
	if e.Next != "" {
		b.WriteString("next: " + oneLine(e.Next) + "\n")
	}
	return b.String()
}

// readError reads the last errorText of a log, for a command that ended with
// status code. It is nil if the log holds none.
func readError(log string, code int) error {
	var e *work.Error
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if msg, ok := strings.CutPrefix(line, "offrun: "); ok {
			e = &work.Error{Code: codeOf(code), Msg: msg}
		} else if next, ok := strings.CutPrefix(line, "next: "); ok && e != nil {
			e.Next = next
		} else if item, ok := strings.CutPrefix(line, "  "); ok && e != nil {
			e.List = append(e.List, item)
		}
	}
	if e == nil {
		return nil
	}
	return e
}

// codeOf is status backwards.
func codeOf(exit int) work.Code {
	for code, s := range status {
		if s == exit {
			return code
		}
	}
	return work.Internal
}
