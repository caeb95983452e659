package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"offrun/backend/bench"
	"offrun/backend/cli/screen"
	"offrun/backend/config"
	"offrun/backend/httpapi"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/redact"
	"offrun/backend/work"
)

// idleTime is after how long without work and questions a bench ends.
const idleTime = 10 * time.Minute

func (a *app) serveCommand() *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Be the bench: the one process that works on the runs of a data folder",
		Long: `The bench is started by whatever command needs it, and ends when nothing runs
and nobody has asked for ten minutes. Run it yourself to see what it does, or to
keep it. Agents go on when it ends; the next one picks them up.`,
		Example: "  offrun serve --keep\n  offrun serve status\n  offrun serve stop",
	}
	c = takes("", c, func(ctx context.Context, _ []string) error { return a.serve(ctx, keep) })
	c.Flags().BoolVar(&keep, "keep", false, "stay when there is nothing to do")
	c.AddCommand(a.statusCommand(), a.stopCommand())
	return c
}

// serve is the bench, until it is stopped, has nothing to do, or is told by TERM
// or Ctrl-C to end.
func (a *app) serve(ctx context.Context, keep bool) (err error) {
	if err := a.door.Open(); err != nil {
		return err
	}
	home := a.door.Home()
	if err := config.Make(home); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	secrets := &redact.Known{} // stderr is serve.log where the bench was started by another command
	log := slog.New(slog.NewTextHandler(redact.Writer(a.Stderr, secrets.Redactor), nil))
	b, err := bench.Open(ctx, bench.Options{Home: home, Self: a.Self, Version: Version, Log: log, Secrets: secrets})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	socket, err := config.Socket(home)
	if err != nil {
		return err
	}
	l, err := httpapi.Listen(socket)
	if err != nil {
		return err
	}
	idle := idleTime
	if keep {
		idle = 0
	}
	log.Info("the bench is open", "version", Version, "pid", os.Getpid(), "home", home, "working", b.Working())
	defer log.Info("the bench ends", "pid", os.Getpid())
	return httpapi.New(b, Version, log).Serve(ctx, l, idle)
}

func (a *app) statusCommand() *cobra.Command {
	return asks(ops.BenchShow.Row, "", &cobra.Command{}, func(ctx context.Context, _ []string) error {
		var b work.BenchState
		err := a.door.Running(ctx, ops.BenchShow.Row, ops.None{}, &b)
		if httpapi.NotServing(err) {
			return work.Errorf(work.NotFound, "no bench is open on %s", a.door.Home()).
				Do("The next command that needs one starts it.")
		}
		if err != nil {
			return err
		}
		return a.answer(b, func() string { return screen.Bench(b) })
	})
}

func (a *app) stopCommand() *cobra.Command {
	return asks(ops.BenchStop.Row, "", &cobra.Command{}, func(ctx context.Context, _ []string) error {
		working, err := a.stop(ctx)
		if httpapi.NotServing(err) {
			return a.answer(ops.None{}, func() string { return "no bench is open\n" })
		}
		if err != nil {
			return err
		}
		return a.answer(ops.None{}, func() string {
			if working == 0 {
				return "the bench has ended\n"
			}
			return fmt.Sprintf("the bench has ended; %s by themselves, and the next bench picks them up\n", screen.Plural(working, "attempt goes on", "attempts go on"))
		})
	})
}

// stop ends the bench and waits until it has let go of its data folder. working
// is how many attempts go on.
func (a *app) stop(ctx context.Context) (working int, err error) {
	var b work.BenchState
	if err := a.door.Running(ctx, ops.BenchShow.Row, ops.None{}, &b); err != nil {
		return 0, err
	}
	started, err := proc.StartTime(b.PID)
	if err != nil {
		return 0, err
	}
	if err := a.door.Running(ctx, ops.BenchStop.Row, ops.None{}, &ops.None{}); err != nil {
		return 0, err
	}
	for proc.Alive(b.PID, started) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return b.Working, nil
}

func (a *app) reindexCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun reindex", Long: `Rebuilds the database from the files: projects.yaml of the data folder, and
run.json and attempt.json under runs/ of each project. The history of events
begins anew; everything else is as before.`}
	return asks(ops.BenchReindex.Row, "", c, func(ctx context.Context, _ []string) error {
		r, err := ops.BenchReindex.Ask(ctx, a.door, ops.None{})
		if err != nil {
			return err
		}
		return a.answer(r, func() string {
			return fmt.Sprintf("%s, %s, %s\n", screen.Count(r.Projects, "project"), screen.Count(r.Runs, "run"), screen.Count(r.Attempts, "attempt")) + screen.Findings(r.Findings, a.out)
		})
	})
}
