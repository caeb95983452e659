package cli

import (
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
       failing, or doctor or agents check found a problem
  130  interrupted; attempts go on by themselves

With --json an error is one line of JSON on standard error: code, message and,
where there is something to say, list and next.`,
	}
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
