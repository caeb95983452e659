//go:build realagents

package real

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/agent/acp"
	"offrun/backend/agent/agenttest/modelstub"
	"offrun/backend/work"
)

// Adapters is the variable that names a folder with the programs that speak the
// Agent Client Protocol for agents that do not by themselves, and with a node that
// is new enough for them. Without it those agents are passed over.
const Adapters = "OFFRUN_ACP_ADAPTERS"

// converse runs a turn by the Agent Client Protocol.
func converse(t *testing.T, a agent.Agent, login []string, ask agent.Ask) turn {
	t.Helper()
	a = acp.Over(a)
	ask.Root, ask.Scratch = os.Getuid() == 0, t.TempDir()
	c, err := a.Command(ask)
	if err != nil {
		t.Fatal(err)
	}
	env := Environ(t, login)
	for i, kv := range env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			env[i] = "PATH=" + os.Getenv(Adapters) + ":" + Programs(t) + ":" + path
		}
	}
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	tn := turn{facts: agent.Facts{Structured: true}, exit: work.Exit{Reason: work.Exited, StartedAt: time.Now()}}
	out := &output{decode: a.Decode, facts: &tn.facts, cancel: cancel}
	tn.exit.Code = acp.Run(ctx, acp.Options{
		Args: append(c.Client[1:], c.Argv...), Environ: append(env, c.Env...), Dir: ask.Dir, Version: "test",
		Stdin: strings.NewReader(c.Stdin), Stdout: out, Stderr: stderr,
	})
	tn.exit.EndedAt = time.Now()
	said, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	tn.facts.Stderr = string(said)
	t.Logf("%s\n%s%s", c.Shown(ask.Prompt), out.all.String(), said)
	return tn
}

// speaking runs test for every pinned agent that can be spoken to here.
func speaking(t *testing.T, test func(t *testing.T, a Agent)) {
	each(t, func(t *testing.T, a Agent) {
		switch {
		case a.ACP == nil:
			t.Skip("it does not speak the protocol")
		case a.ACP.Program != "" && os.Getenv(Adapters) == "":
			t.Skip("its adapter is not here; see " + Adapters)
		case a.ID == "gemini":
			t.Skip("it denies by itself, and does not always find a session of another process again")
		}
		test(t, a)
	})
}

// TestRealACP edits a file, runs a command, ends, and goes on in its session.
func TestRealACP(t *testing.T) {
	speaking(t, func(t *testing.T, a Agent) {
		for _, permissions := range []string{agent.InsideWorkspace, agent.Everything} {
			stub := modelstub.Start(t, script)
			login, dir := a.Key(t, stub.URL), t.TempDir()
			tn := converse(t, a.Agent, login, agent.Ask{Prompt: "[[ok]] Do it.", Dir: dir, Permissions: permissions})
			tn.verdict(t, work.ClassOK)
			for _, name := range []string{"hello.txt", "ran.txt"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Errorf("%s: %v", permissions, err)
				}
			}
			if tn.facts.Session == "" || tn.facts.Acted < 2 {
				t.Errorf("session %q, acted %d", tn.facts.Session, tn.facts.Acted)
			}
			again := converse(t, a.Agent, login, agent.Ask{Prompt: "[[again]] Go on.", Dir: dir, Permissions: permissions, Resume: true, Session: tn.facts.Session})
			again.verdict(t, work.ClassOK)
			log := stub.Log()
			if !slices.ContainsFunc(log[len(log)-1].Messages, func(m modelstub.Message) bool { return strings.Contains(m.Text, "[[ok]]") }) {
				t.Errorf("%s: the session that was gone on with forgot the first prompt", permissions)
			}
		}
	})
}

// TestRealF76ACP proves that what an agent asks for outside is denied, and that
// who may only read is denied to write.
func TestRealF76ACP(t *testing.T) {
	speaking(t, func(t *testing.T, a Agent) {
		// Not in the temporary folder: the sandbox of Codex lets its tools write there.
		dir, outside := t.TempDir(), filepath.Join(Programs(t), fmt.Sprintf("../../outside-acp-%d-%s.txt", os.Getpid(), a.ID))
		stub := modelstub.Start(t, modelstub.Script{Scenarios: []modelstub.Scenario{{When: modelstub.When{Prompt: "[[out]]"}, Turns: []modelstub.Turn{
			{Say: "Writing.", Write: &modelstub.Write{Path: outside, Content: "x\n"}},
			{Say: "Done."},
		}}}})
		for _, ask := range []agent.Ask{{Permissions: agent.InsideWorkspace}, {ReadOnly: true}, {Permissions: agent.OwnRules}} {
			ask.Prompt, ask.Dir = "[[out]] Do it.", dir
			tn := converse(t, a.Agent, a.Key(t, stub.URL), ask)
			if a.ID != "codex" || ask.Permissions != agent.InsideWorkspace { // whose sandbox says no without asking
				tn.verdict(t, work.ClassNeedsYou)
			}
			if _, err := os.Stat(outside); err == nil {
				t.Errorf("%+v: it wrote outside", ask)
				os.Remove(outside)
			}
		}
	})
}

func TestRealF85ACP(t *testing.T) {
	speaking(t, func(t *testing.T, a Agent) {
		if a.ID != "claude" {
			t.Skip("it tries again by itself, or has no login that could be made up")
		}
		stub := modelstub.Start(t, script)
		tn := converse(t, a.Agent, a.Plan(t, stub.URL), agent.Ask{Prompt: "[[limit]] Do it.", Dir: t.TempDir()})
		if v := tn.verdict(t, work.ClassLimited); v.ResetsAt == nil {
			t.Error("nothing tells until when, though its text does")
		}
	})
}
