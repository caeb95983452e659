package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/work"
)

func attemptRef(args []string) ops.AttemptRef {
	return ops.AttemptRef{RunRef: ops.RunRef{Run: work.RunID(args[0])}, Attempt: work.AttemptName(args[1])}
}

func (a *app) retryCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun retry last claude"}
	return asks(ops.AttemptRetry.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		at, err := ops.AttemptRetry.Ask(ctx, a.door, attemptRef(args))
		if err != nil {
			return err
		}
		return a.answer(at, func() string {
			return fmt.Sprintf("%s tries again as attempt %s of run %s; follow it with offrun attach %s\n", at.Agent, at.Name, at.Run, at.Run)
		})
	})
}

func (a *app) sendCommand() *cobra.Command {
	c := &cobra.Command{
		Example: `  offrun send last claude "The second test is flaky; wait for the server."
  offrun send last claude - < review.md`,
		Long: `Sends an attempt another message, which begins its next turn, now or when the
present one ends. "-" reads the message from standard input.`,
	}
	return asks(ops.AttemptSend.Row, "RUN AGENT MESSAGE...", c, func(ctx context.Context, args []string) error {
		message := strings.Join(args[2:], " ")
		if message == "-" {
			b, err := io.ReadAll(a.Stdin)
			if err != nil {
				return err
			}
			message = string(b)
		}
		if message = strings.TrimSpace(message); message == "" {
			return work.Errorf(work.Invalid, "the message is empty").Do("Say what the agent shall do next.")
		}
		in := ops.SendMessage{AttemptRef: attemptRef(args)}
		in.Body.Message = message
		at, err := ops.AttemptSend.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(at, func() string {
			if n := len(at.Queue); n > 0 && !at.State().Final() {
				return fmt.Sprintf("sent; it waits for turn %d to end\n", at.Turn().N)
			}
			return fmt.Sprintf("sent; follow it with offrun attach %s\n", at.Run)
		})
	})
}

func (a *app) answerCommand() *cobra.Command {
	c := &cobra.Command{
		Example: `  offrun answer last claude allow
  offrun answer last claude deny`,
		Long: `Answers what an agent asks while it works, such as whether it may change a file
outside its worktree: allow and deny hold for this once; offrun show lists what
else the agent offers. A question that nobody answers within limits.answer (10m)
is denied.`,
	}
	return asks(ops.AttemptAnswer.Row, "RUN AGENT ANSWER...", c, func(ctx context.Context, args []string) error {
		in := ops.AnswerQuestion{AttemptRef: attemptRef(args)}
		in.Body.Answer = strings.Join(args[2:], " ")
		at, err := ops.AttemptAnswer.Ask(ctx, a.door, in)
		if err != nil {
			return err
		}
		return a.answer(at, func() string {
			return fmt.Sprintf("answered; follow it with offrun attach %s\n", at.Run)
		})
	})
}

func (a *app) artifactsCommand() *cobra.Command {
	c := &cobra.Command{Example: "  offrun artifacts last claude"}
	return asks(ops.AttemptArtifacts.Row, "RUN AGENT", c, func(ctx context.Context, args []string) error {
		files, err := ops.AttemptArtifacts.Ask(ctx, a.door, attemptRef(args))
		if err != nil {
			return err
		}
		return a.answer(files, func() string { return screen.Artifacts(files, a.out) })
	})
}
