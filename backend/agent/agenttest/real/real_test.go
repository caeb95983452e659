//go:build realagents

package real

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/agent/agenttest/modelstub"
	"offrun/backend/proc"
	"offrun/backend/work"
)

var script = modelstub.Script{Side: "Stub title", Scenarios: []modelstub.Scenario{
	{Name: "ok", When: modelstub.When{Prompt: "[[ok]]"}, Turns: []modelstub.Turn{
		{Say: "I will create hello.txt.", Write: &modelstub.Write{Path: "hello.txt", Content: "hello\n"}},
		{Say: "Now I run a command.", Bash: "cat hello.txt && echo ran > ran.txt"},
		{Say: "All done."},
	}},
	{Name: "again", When: modelstub.When{Prompt: "[[again]]"}, Turns: []modelstub.Turn{{Say: "I remember."}}},
	{Name: "limit", When: modelstub.When{Prompt: "[[limit]]"}, Turns: []modelstub.Turn{
		{Say: "Step one.", Bash: "echo one > one.txt"},
		{Fault: "usage_limit", ResetIn: 7200},
	}},
	{Name: "auth", When: modelstub.When{Prompt: "[[auth]]"}, Turns: []modelstub.Turn{{Fault: "auth"}}},
}}

// A turn is one run of a real program.
type turn struct {
	facts agent.Facts
	exit  work.Exit
}

// until ends a run early: the program would wait for too long.
type until func(*agent.Facts) bool

func perform(t *testing.T, a Agent, login []string, ask agent.Ask, stop until) turn {
	t.Helper()
	ask.Root, ask.Scratch, ask.Model = os.Getuid() == 0, t.TempDir(), a.Model
	c, err := a.Command(ask)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// Both streams as they come: some tell on standard error that they wait.
	argv := append([]string{"/bin/sh", "-c", `exec "$0" "$@" 2>&1`, filepath.Join(Programs(t), a.Program)}, c.Argv[1:]...)
	tn := turn{facts: agent.Facts{Structured: a.Structured}, exit: work.Exit{Reason: work.Exited, StartedAt: time.Now()}}
	out := &output{decode: a.Decode, facts: &tn.facts, stop: stop, cancel: cancel}
	err = proc.Cmd{Argv: argv, Dir: ask.Dir, Env: append(Environ(t, login), c.Env...), Stdin: strings.NewReader(c.Stdin)}.Run(ctx, out)
	exit, failed := errors.AsType[*proc.ExitError](err)
	switch {
	case out.stopped:
		tn.exit.Reason, tn.exit.Code = work.GaveUp, -1
	case failed:
		tn.exit.Code = exit.Code
	case err != nil:
		t.Fatalf("%v\n%s", err, out.all.String())
	}
	tn.exit.EndedAt = time.Now()
	tn.facts.Session = cmp.Or(tn.facts.Session, c.Session)
	t.Logf("%s: %v\n%s", c.Shown(ask.Prompt), tn.exit.EndedAt.Sub(tn.exit.StartedAt).Round(time.Second), out.all.String())
	return tn
}

// output decodes what a program prints as it comes. What is no JSON is standard
// error's.
type output struct {
	all, rest bytes.Buffer
	decode    agent.Decoder
	facts     *agent.Facts
	stop      until
	stopped   bool
	cancel    func()
}

func (o *output) Write(p []byte) (int, error) {
	o.all.Write(p)
	o.rest.Write(p)
	for bytes.Contains(o.rest.Bytes(), []byte("\n")) {
		line, err := o.rest.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		stderr := !bytes.HasPrefix(line, []byte("{"))
		if stderr {
			o.facts.Stderr += string(line)
		}
		for _, e := range o.decode(bytes.TrimSuffix(line, []byte("\n")), stderr) {
			if e.At.IsZero() {
				e.At = time.Now()
			}
			o.facts.Add(e)
		}
	}
	if !o.stopped && (o.facts.Impatient() != "" || o.stop != nil && o.stop(o.facts)) {
		o.stopped = true
		o.cancel()
	}
	return len(p), nil
}

func (tn turn) verdict(t *testing.T, want work.Class) agent.Verdict {
	t.Helper()
	v := agent.Judge(tn.facts, tn.exit)
	if v.Class != want {
		t.Errorf("judged %q because %q, want %q; stderr: %s", v.Class, v.Why, want, tn.facts.Stderr)
	}
	return v
}

// each runs test for every pinned agent but the slow ones, everyone for those, too.
// They mostly wait, so they do it side by side.
func each(t *testing.T, test func(t *testing.T, a Agent)) {
	everyone(t, func(t *testing.T, a Agent) {
		if a.Slow {
			t.Skip("its runs take long; it does few of the tests")
		}
		test(t, a)
	})
}

func everyone(t *testing.T, test func(t *testing.T, a Agent)) {
	for _, a := range Agents() {
		t.Run(string(a.ID), func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// first says that a is one of those that are cheap enough to be tried in every way.
func (a Agent) first() bool { return a.ID == "claude" || a.ID == "codex" }

// TestRealWork edits a file, runs a command, ends, and goes on in its session.
func TestRealWork(t *testing.T) {
	everyone(t, func(t *testing.T, a Agent) {
		for _, permissions := range []string{agent.InsideWorkspace, agent.Everything} {
			if permissions == agent.Everything && !a.first() {
				continue
			}
			stub := modelstub.Start(t, script)
			login, dir := a.Key(t, stub.URL), t.TempDir()
			tn := perform(t, a, login, agent.Ask{Prompt: "[[ok]] Do it.", Dir: dir, Permissions: permissions}, nil)
			tn.verdict(t, work.ClassOK)
			for _, name := range []string{"hello.txt", "ran.txt"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Errorf("%s: %v", permissions, err)
				}
			}
			if tn.facts.Usage.Input == 0 && a.ID != "copilot" || tn.facts.Session == "" || tn.facts.Acted < 2 {
				t.Errorf("usage %+v, session %q, acted %d", tn.facts.Usage, tn.facts.Session, tn.facts.Acted)
			}
			again := perform(t, a, login, agent.Ask{Prompt: "[[again]] Go on.", Dir: dir, Permissions: permissions, Resume: true, Session: tn.facts.Session}, nil)
			again.verdict(t, work.ClassOK)
			log := stub.Log()
			if last := log[len(log)-1]; !slices.ContainsFunc(last.Messages, func(m modelstub.Message) bool { return strings.Contains(m.Text, "[[ok]]") }) {
				t.Errorf("%s: the resumed session forgot the first prompt: %+v", permissions, last.Messages)
			}
		}
	})
}

// TestRealBoundary proves what Enforces says: where the program holds itself back.
func TestRealBoundary(t *testing.T) {
	everyone(t, func(t *testing.T, a Agent) {
		// Not in the temporary folder: the sandbox of Codex lets programs write there.
		dir, outside := t.TempDir(), filepath.Join(Programs(t), fmt.Sprintf("../../outside-%d-%s", os.Getpid(), a.ID))
		if err := os.MkdirAll(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(outside) })
		byTool, byShell := filepath.Join(outside, "tool.txt"), filepath.Join(outside, "shell.txt")
		stub := modelstub.Start(t, modelstub.Script{Scenarios: []modelstub.Scenario{{When: modelstub.When{Prompt: "[[out]]"}, Turns: []modelstub.Turn{
			{Say: "Writing.", Write: &modelstub.Write{Path: byTool, Content: "x\n"}},
			{Say: "By shell.", Bash: "echo x > " + byShell},
			{Say: "Inside.", Bash: "echo y > inside.txt"},
			{Say: "Done."},
		}}}})
		for _, ask := range []agent.Ask{{Dir: dir}, {Dir: dir, ReadOnly: true, Permissions: agent.Everything}, {Dir: dir, Permissions: agent.OwnRules}} {
			if a.Slow && !ask.ReadOnly {
				continue
			}
			ask.Prompt = "[[out]] Do it."
			perform(t, a, a.Key(t, stub.URL), ask, nil)
			// Qwen Code, when it need not ask, asks nothing of its tools either.
			_, err := os.Stat(byTool)
			if wrote := err == nil; wrote && (a.ID != "qwen" || ask.ReadOnly || ask.Permissions != "") {
				t.Errorf("%+v: its tool wrote outside", ask)
			}
			_, err = os.Stat(byShell)
			wrote, may := err == nil, !ask.ReadOnly && ask.Permissions == "" && a.Gap(agent.InsideWorkspace) != ""
			if wrote && !may {
				t.Errorf("%+v: its shell wrote outside", ask)
			}
			_, err = os.Stat(filepath.Join(dir, "inside.txt"))
			if wrote, may := err == nil, ask.Permissions == ""; wrote != may {
				t.Errorf("%+v: wrote inside: %v, want %v", ask, wrote, may)
			}
			os.Remove(byTool)
			os.Remove(byShell)
			os.Remove(filepath.Join(dir, "inside.txt"))
		}
	})
}

func TestRealF85Limit(t *testing.T) {
	each(t, func(t *testing.T, a Agent) {
		stub := modelstub.Start(t, script)
		dir := t.TempDir()
		tn := perform(t, a, a.Plan(t, stub.URL), agent.Ask{Prompt: "[[limit]] Do it.", Dir: dir}, nil)
		v := tn.verdict(t, work.ClassLimited)
		if a.ID == "qwen" || a.ID == "copilot" {
			v.ResetsAt = new(time.Now().Add(2 * time.Hour)) // they do not tell
		}
		if v.ResetsAt == nil || v.ResetsAt.Sub(time.Now().Add(2*time.Hour)).Abs() > 5*time.Minute {
			t.Errorf("resets at %v, want two hours from now", v.ResetsAt)
		}
		if _, err := os.Stat(filepath.Join(dir, "one.txt")); err != nil {
			t.Error("what it did before the limit is gone:", err)
		}
	})
}

func TestRealF78Login(t *testing.T) {
	each(t, func(t *testing.T, a Agent) {
		stub := modelstub.Start(t, script)
		perform(t, a, a.Plan(t, stub.URL), agent.Ask{Prompt: "[[auth]] Do it.", Dir: t.TempDir()}, nil).verdict(t, work.ClassNeedsLogin)
	})
}

// TestRealF83SessionGone resumes what was never there.
func TestRealF83SessionGone(t *testing.T) {
	each(t, func(t *testing.T, a Agent) {
		stub := modelstub.Start(t, script)
		ask := agent.Ask{Prompt: "[[again]] Go on.", Dir: t.TempDir(), Resume: true, Session: "11111111-2222-4333-8444-555555555555"}
		if v := perform(t, a, a.Key(t, stub.URL), ask, nil).verdict(t, work.ClassFailed); !v.SessionGone {
			t.Errorf("judged %+v, want the session gone", v)
		}
	})
}

func TestRealNetworkGone(t *testing.T) {
	each(t, func(t *testing.T, a Agent) {
		if a.ID == "qwen" {
			t.Skip("says nothing while it tries again, for minutes: only a time limit ends that")
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		retries := 0
		stop := func(f *agent.Facts) bool { // one of them would never end by itself
			retries++
			return retries > 3 && f.Ended == nil && a.ID == "codex"
		}
		perform(t, a, a.Key(t, "http://"+l.Addr().String()), agent.Ask{Prompt: "[[ok]] Do it.", Dir: t.TempDir()}, stop).verdict(t, work.ClassNetwork)
	})
}

func TestRealDetect(t *testing.T) {
	each(t, func(t *testing.T, a Agent) {
		stub := modelstub.Start(t, script)
		where := agent.Where{Path: Programs(t) + ":" + os.Getenv("PATH")}
		for _, tt := range []struct {
			login Login
			want  agent.LoginState
		}{{a.Plan, agent.LoggedIn}, {a.LoggedOut, agent.NotLoggedIn}} {
			switch {
			case tt.login == nil:
				continue
			case a.LoggedOut == nil:
				tt.want = agent.LoginUnknown // a key in the environment tells nothing
			}
			d, err := agent.Detect(t.Context(), a.Agent, where, Environ(t, tt.login(t, stub.URL)))
			if err != nil || d.Version != a.Pinned || d.Login != tt.want {
				t.Errorf("detected %+v, %v; want version %s, %s", d, err, a.Pinned, tt.want)
			}
		}
	})
}
