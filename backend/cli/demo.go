package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/agent/simulated"
	"offrun/backend/cli/screen"
	"offrun/backend/ops"
	"offrun/backend/proc"
	"offrun/backend/work"
)

func (a *app) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole path with simulated agents, on a small repository",
		Long: `Makes a small repository with a failing test and a card, lets three simulated
agents try the card in parallel, compares what they hand in, and lands the best.
No real agent takes part. It keeps to a folder of its own under your cache folder,
and to a data folder in it unless OFFRUN_HOME is set.`,
		Example: "  offrun demo",
	}
	return takes("", c, func(ctx context.Context, _ []string) error { return a.demo(ctx) })
}

// A stage is where a demo plays.
type stage struct {
	repo, home string
	own        bool // home is the demo's, not the user's
}

func (a *app) demo(ctx context.Context) error {
	st, err := a.makeStage(ctx)
	if err != nil {
		return err
	}
	a.note("A repository with a failing test: %s\nThree simulated agents try its card; no real agent takes part.\n", st.repo)
	project, err := a.demoProject(ctx, st)
	if err != nil {
		return err
	}
	w := &watch{app: a}
	if err := w.begin(ctx); err != nil {
		return err
	}
	in := ops.StartRun{ProjectRef: ops.ProjectRef{Project: project}}
	in.Body.Task = simulated.Card
	for _, id := range simulated.IDs {
		in.Body.Agents = append(in.Body.Agents, string(id))
	}
	run, err := ops.RunStart.Ask(ctx, a.door, in)
	if err != nil {
		return err
	}
	a.started(run)
	w.run = run.ID
	if _, err := a.follow(ctx, w); err != nil {
		return err
	}
	comparison, err := ops.RunCompare.Ask(ctx, a.door, ops.RunRef{Run: run.ID})
	if err != nil {
		return err
	}
	if err := a.print("\n" + screen.Comparison(comparison, a.out)); err != nil {
		return err
	}
	return a.demoEnd(ctx, st, comparison)
}

// makeStage makes the folder, the repository, and the data folder.
func (a *app) makeStage(ctx context.Context) (stage, error) {
	cache := a.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(a.Getenv("HOME"), ".cache")
	}
	parent := filepath.Join(cache, "offrun")
	if os.MkdirAll(parent, 0o755) != nil {
		parent = os.TempDir()
	}
	folder, err := os.MkdirTemp(parent, "demo-")
	if err != nil {
		return stage{}, work.Hide(work.Unavailable, err, "there is no place for the demo in "+parent).Do("Set XDG_CACHE_HOME to a folder that you can write.")
	}
	st := stage{repo: filepath.Join(folder, "slugs"), home: a.Getenv("OFFRUN_HOME")}
	if st.home == "" {
		st.own, st.home = true, filepath.Join(folder, "data")
		a.Environ = append(slices.Clone(a.Environ), "OFFRUN_HOME="+st.home)
		a.door = doorOf(a.Env)
	}
	if err := simulated.Demo(st.repo); err != nil {
		return st, err
	}
	return st, makeRepository(ctx, st.repo)
}

// makeRepository makes a git repository of the demo's files. Nothing of the
// user's configuration but their name takes part; who has none gets one here.
func makeRepository(ctx context.Context, dir string) error {
	_, err := proc.Cmd{Argv: []string{"/bin/sh", "-c", `
set -e
export GIT_TERMINAL_PROMPT=0
git init --quiet --template= .
git symbolic-ref HEAD refs/heads/main
git config commit.gpgsign false
git config core.hooksPath /dev/null
git config core.autocrlf false
git config user.name >/dev/null || git config user.name "Offrun demo"
git config user.email >/dev/null || git config user.email demo@offrun.invalid
git add --all .
git commit --quiet --message "A few shell functions, and a failing test"
`}, Dir: dir, Env: proc.Environ()}.Output(ctx)
	if err != nil {
		return work.Hide(work.Unavailable, err, "the demo repository could not be made: "+err.Error()).Do("Make sure that git works: git --version")
	}
	return nil
}

func (a *app) demoProject(ctx context.Context, st stage) (work.ProjectID, error) {
	var in ops.ProjectAt
	in.Body.Path, in.Body.Trust = st.repo, true
	s, err := ops.ProjectAdd.Ask(ctx, a.door, in)
	return s.Project.ID, err
}

// demoEnd lands the best attempt and says where everything is.
func (a *app) demoEnd(ctx context.Context, st stage, c work.Comparison) error {
	if len(c.Attempts) == 0 || c.Attempts[0].Failing {
		return work.Errorf(work.Conflict, "no simulated agent solved the card").Do("Run offrun doctor in " + st.repo)
	}
	best := c.Attempts[0].Attempt
	ref := ops.AttemptRef{RunRef: ops.RunRef{Run: c.Run}, Attempt: best}
	landing, err := ops.AttemptLand.Ask(ctx, a.door, ops.LandAttempt{AttemptRef: ref})
	if err != nil {
		return err
	}
	files, err := ops.AttemptArtifacts.Ask(ctx, a.door, ref)
	if err != nil {
		return err
	}
	if st.own {
		if _, err := a.stop(ctx); err != nil {
			return err
		}
	}
	if a.json {
		return a.answer(landing, nil)
	}
	return a.print(fmt.Sprintf("\nThe best is %s (simulated).\n%s\nWhat it handed in:\n%s\n%s", best,
		screen.Landing(landing), screen.Artifacts(files, a.out), tryNext(st, c)))
}

// tryNext lists commands that go on with the demo.
func tryNext(st stage, c work.Comparison) string {
	var b strings.Builder
	b.WriteString("Try next:\n")
	if st.own {
		fmt.Fprintf(&b, "  export OFFRUN_HOME=%s\n", st.home)
	}
	best, other := c.Attempts[0].Attempt, c.Attempts[len(c.Attempts)-1].Attempt
	fmt.Fprintf(&b, "  cd %s\n", st.repo)
	fmt.Fprintf(&b, "  offrun logs last %s\n", best)
	fmt.Fprintf(&b, "  offrun send last %s \"Run the tests, please.\" && offrun attach last\n", other)
	fmt.Fprintf(&b, "  offrun undo\n")
	fmt.Fprintf(&b, "  offrun clean last\n")
	fmt.Fprintf(&b, "and in a repository of yours: offrun init\n")
	return b.String()
}
