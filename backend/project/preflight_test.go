package project

import (
	"strings"
	"testing"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

// preflightOf returns the findings about r as "check level: text".
func preflightOf(t *testing.T, r *gittest.Repo, a Asked) string {
	t.Helper()
	repo, err := git.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	a.Repo = repo
	check := gittest.Invariants(t, r.Dir)
	var b strings.Builder
	for _, f := range Preflight(t.Context(), a) {
		if (f.Level == work.OK) != (f.Next == "") {
			t.Errorf("finding %+v: a next step belongs to everything that is not ok", f)
		}
		b.WriteString(f.Check + " " + string(f.Level) + ": " + f.Text + "\n")
	}
	check()
	return b.String()
}

func TestPreflight(t *testing.T) {
	shared := gittest.New(t)
	base := func(*testing.T) *gittest.Repo { return shared }
	with := func(change func(*work.Settings)) Asked {
		s := Defaults()
		s.Acceptance = []string{"git status"}
		change(&s)
		return Asked{Settings: s}
	}
	plain := func(*work.Settings) {}
	for name, tt := range map[string]struct {
		repo  func(*testing.T) *gittest.Repo
		asked Asked
		want  []string
		not   []string
	}{
		"fit":        {base, with(plain), []string{"git ", "trunk ok: main is clean", "acceptance ok: 1 command: git status", "free; 1 worktree takes about"}, []string{"problem"}},
		"F01 unborn": {func(t *testing.T) *gittest.Repo { return gittest.Empty(t) }, with(plain), []string{"trunk problem: ", "has no commit yet"}, []string{"disk"}},
		"F01 unborn, trunk set": {func(t *testing.T) *gittest.Repo { return gittest.Empty(t) },
			with(func(s *work.Settings) { s.Trunk = "main" }), []string{"has no commit yet"}, []string{"does not exist"}},
		"no trunk": {base, with(func(s *work.Settings) { s.Trunk = "release" }), []string{"trunk problem: the branch release does not exist"}, []string{"disk"}},
		"dirty":    {func(t *testing.T) *gittest.Repo { return gittest.Dirty(t) }, with(plain), []string{"trunk warning: ", "not committed and not part of the base"}, []string{"problem"}},
		"our files are not dirt": {func(t *testing.T) *gittest.Repo {
			r := gittest.New(t)
			r.Write("tasks/x.md", "x")
			r.Write(".offrun/project.yaml", "")
			return r
		}, with(plain), []string{"trunk ok"}, nil},
		"behind": {func(t *testing.T) *gittest.Repo {
			upstream := gittest.New(t)
			r := gittest.At(t, gittest.Folder(t, "clone"))
			r.Git("clone", "--quiet", upstream.Dir, ".")
			upstream.Write("new", "x")
			upstream.Commit("new")
			r.Git("fetch", "--quiet")
			return r
		}, with(plain), []string{"trunk warning: main is 1 commit behind origin/main"}, nil},
		"submodule":  {func(t *testing.T) *gittest.Repo { return gittest.Submodule(t) }, with(plain), []string{"repository warning: submodules are not checked out"}, nil},
		"no command": {base, Asked{Settings: Defaults()}, []string{"acceptance warning: there is no acceptance command"}, nil},
		"command missing": {base, with(func(s *work.Settings) {
			s.Acceptance = []string{"no-such-program test", "./no-such-script", "cd x && make", "CI=1 y"}
		}), []string{`acceptance warning: "no-such-program test" cannot run: `, `"./no-such-script" names `}, []string{"cd x", "CI=1"}},
		"card's command":    {base, Asked{Settings: Defaults(), Commands: []string{"no-such-program"}}, []string{`"no-such-program" cannot run`}, nil},
		"base fails":        {base, Asked{Settings: Defaults(), Commands: []string{"git status"}, Baseline: &work.Tests{Status: work.Fail, Text: "exit 1"}}, []string{"acceptance warning: the base itself fails: exit 1"}, nil},
		"base did not run":  {base, Asked{Settings: Defaults(), Commands: []string{"git status"}, Baseline: &work.Tests{Status: work.DidNotRun, Text: "x"}}, []string{"acceptance problem: the acceptance commands could not run"}, nil},
		"install, no setup": {base, with(func(s *work.Settings) { s.Dependencies = map[string]string{"node_modules": install} }), []string{"setup warning: node_modules is left to the setup command"}, nil},
		"too big":           {base, Asked{Settings: Defaults(), Attempts: 1 << 40}, []string{"disk problem: "}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := preflightOf(t, tt.repo(t), tt.asked)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("%q in\n%s", not, got)
				}
			}
		})
	}
}

// Every shape of repository is looked at without a change and without an error of
// ours.
func TestPreflightZoo(t *testing.T) {
	for _, shape := range gittest.Zoo() {
		if shape.Slow {
			continue // only big, and others are not
		}
		t.Run(shape.Name, func(t *testing.T) {
			if got := preflightOf(t, shape.Build(t), Asked{Settings: Defaults()}); strings.Contains(got, "internal error") {
				t.Errorf("%s", got)
			}
		})
	}
}
