package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/work"
)

func (a *app) accountsCommand() *cobra.Command {
	c := &cobra.Command{Use: "accounts", Short: "The logins of agents: add, order, rest", Long: `An account is one login of an agent: a name, and a configuration folder in which the
agent's own program keeps it. Offrun tells the program which folder to use, and never
reads, copies or refreshes what lies there. The login that is on the machine already
is the account "default".

When the usage limit of a login is reached, it rests until the reset, and the
conversation moves on to the next one that has headroom.`}
	c.AddCommand(a.accountsList(), a.accountsAdd(), a.accountsLogin(), a.accountsRemove(), a.accountsOrder(), a.accountsRest())
	return parent(c)
}

func (a *app) accountsList() *cobra.Command {
	c := &cobra.Command{Example: "  offrun accounts list\n  offrun accounts list claude"}
	return asks(ops.AccountList.Row, "[AGENT]", c, func(ctx context.Context, args []string) error {
		var in ops.AccountQuery
		if len(args) > 0 {
			in.Agent = work.AgentID(args[0])
		}
		all, err := ops.AccountList.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(all, func() string { return screen.Accounts(all, time.Now(), a.out) })
	})
}

func (a *app) accountsAdd() *cobra.Command {
	in := ops.AddAccount{}
	c := &cobra.Command{
		Example: "  offrun accounts add claude work\n  offrun accounts add codex team --sessions 2",
		Long: `Makes a configuration folder for another login of an agent, and opens the agent's own
login in this terminal. Where there is no terminal, it prints what to type.`,
	}
	c = asks(ops.AccountAdd.Row, "AGENT NAME", c, func(ctx context.Context, args []string) error {
		in.Body.Agent, in.Body.Account = work.AgentID(args[0]), work.AccountName(args[1])
		n, err := ops.AccountAdd.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.logIn(ctx, n)
	})
	c.Flags().StringVar(&in.Body.Dir, "dir", "", "its configuration `folder`, absolute (default: one in the data folder)")
	c.Flags().IntVar(&in.Body.Sessions, "sessions", 0, "`turns` that may use it at once (default: as many as wanted)")
	return c
}

func (a *app) accountsLogin() *cobra.Command {
	c := &cobra.Command{Example: "  offrun accounts login claude work\n  offrun accounts login codex default"}
	return asks(ops.AccountLogin.Row, "AGENT NAME", c, func(ctx context.Context, args []string) error {
		n, err := ops.AccountLogin.Ask(ctx, a.door, ops.AccountRef{Agent: work.AgentID(args[0]), Account: work.AccountName(args[1])})
		if err != nil {
			return err
		}
		return a.logIn(ctx, n)
	})
}

// logIn gives the terminal to the agent's own program until it ends. Where there
// is no terminal, it says what to type.
func (a *app) logIn(ctx context.Context, n work.NewAccount) error {
	if a.json || !a.canAsk() || n.Missing != "" {
		return a.answer(n, func() string { return screen.NewAccount(n) })
	}
	if err := a.print(fmt.Sprintf("the login of %s follows: %s\n", n.Ref(), screen.LoginLine(n))); err != nil {
		return err
	}
	env := append(os.Environ(), n.Env...)
	if n.Path != "" {
		env = append(env, "PATH="+n.Path)
	}
	if err := (proc.Cmd{Argv: n.Login, Env: env}).Attached(ctx); err != nil {
		return work.Hide(work.Unavailable, err, "the login was not finished").
			Do(fmt.Sprintf("The account is there; log in later with: offrun accounts login %s %s", n.Agent, n.Name))
	}
	return nil
}

func (a *app) accountsRemove() *cobra.Command {
	in := ops.RemoveAccount{}
	c := &cobra.Command{Example: "  offrun accounts remove claude work"}
	c = asks(ops.AccountRemove.Row, "AGENT NAME", c, func(ctx context.Context, args []string) error {
		in.Agent, in.Account = work.AgentID(args[0]), work.AccountName(args[1])
		if _, err := ops.AccountRemove.Ask(ctx, a.door, in); err != nil {
			return err
		}
		return a.answer(struct{}{}, func() string {
			if in.Account == work.DefaultAccount {
				return "its place and limits are forgotten; the default login is always there\n"
			}
			if in.Purge {
				return "removed, and its folder deleted\n"
			}
			return "removed; its folder stays\n"
		})
	})
	c.Flags().BoolVar(&in.Purge, "purge", false, "delete its folder too, if Offrun made it")
	return c
}

func (a *app) accountsOrder() *cobra.Command {
	c := &cobra.Command{Example: "  offrun accounts order claude work default"}
	return asks(ops.AccountOrder.Row, "AGENT NAME...", c, func(ctx context.Context, args []string) error {
		in := ops.OrderAccounts{Agent: work.AgentID(args[0])}
		for _, name := range args[1:] {
			in.Body.Accounts = append(in.Body.Accounts, work.AccountName(name))
		}
		all, err := ops.AccountOrder.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(all, func() string { return screen.Accounts(all, time.Now(), a.out) })
	})
}

func (a *app) accountsRest() *cobra.Command {
	var rest time.Duration
	var end bool
	c := &cobra.Command{Example: "  offrun accounts rest claude work --for 2h\n  offrun accounts rest claude work --end"}
	c = asks(ops.AccountRest.Row, "AGENT NAME", c, func(ctx context.Context, args []string) error {
		in := ops.RestAccount{AccountRef: ops.AccountRef{Agent: work.AgentID(args[0]), Account: work.AccountName(args[1])}}
		if !end {
			until := time.Now().Add(rest).UTC()
			in.Body.Until = &until
		}
		changed, err := ops.AccountRest.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(changed, func() string { return screen.Accounts([]work.Account{changed}, time.Now(), a.out) })
	})
	c.Flags().DurationVar(&rest, "for", time.Hour, "how `long`, such as 90m")
	c.Flags().BoolVar(&end, "end", false, "end its rest now")
	return c
}

func (a *app) moveCommand() *cobra.Command {
	in := ops.MoveAttempt{}
	c := &cobra.Command{
		Example: "  offrun move last claude\n  offrun move last claude --to claude/work\n  offrun move last claude --to codex",
		Long: `Lets another login take up what an attempt was asked last, in the same worktree. The
same agent goes on with its own session; another agent gets what was said as context.`,
	}
	c = asks(ops.AttemptMove.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		in.AttemptRef = attemptRef(args)
		at, err := ops.AttemptMove.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(at, func() string {
			return fmt.Sprintf("%s goes on; follow it with offrun attach %s\n", at.Turn().Moved.To, at.Run)
		})
	})
	c.Flags().StringVar(&in.Body.To, "to", "", "`where`: AGENT, AGENT/ACCOUNT or /ACCOUNT (default: the next login with headroom)")
	return c
}

func (a *app) turnsCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun turns last claude"}
	return asks(ops.AttemptTurns.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		turns, err := ops.AttemptTurns.Ask(ctx, a.door, attemptRef(args))
		if err != nil {
			return err
		}
		return a.answer(turns, func() string { return screen.Turns(turns, a.out) })
	})
}

func (a *app) restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Example: "  offrun restore last claude 1",
		Long: `Sets the files of an attempt's worktree back to what one of its turns left. What lies
there now is kept by a ref. The next message is about the files as they are then.`,
	}
	return asks(ops.AttemptRestore.Row, "RUN AGENT TURN", c, func(ctx context.Context, args []string) error {
		in := ops.RestoreTurn{AttemptRef: attemptRef(args)}
		if _, err := fmt.Sscanf(args[2], "%d", &in.Turn); err != nil || in.Turn < 1 {
			return work.Errorf(work.Invalid, "%q is no turn", args[2]).Do("Turns count from 1; offrun turns " + args[0] + " " + args[1] + " lists them.")
		}
		at, err := ops.AttemptRestore.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(at, func() string {
			return fmt.Sprintf("setting %s back to turn %d, as its turn %d; what lies there now is kept at refs/offrun/keep/%s/%s/before-%d\n",
				at.Name, in.Turn, at.Turn().N, at.Run, at.Name, at.Turn().N)
		})
	})
}
