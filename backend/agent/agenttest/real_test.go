//go:build realagents

package agenttest_test

import (
	"bytes"
	"context"
	"encoding/base64"
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
	"offrun/backend/agent/claude"
	"offrun/backend/agent/codex"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// programs is the folder that clis/install.sh printed.
var programs = os.Getenv("OFFRUN_TEST_AGENTS")

// A login makes the configuration folder of a program and returns the variables
// that point there. Nothing in it is real, and all of it leads to url.
type login func(t *testing.T, url string) []string

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

var real = []struct {
	agent              agent.Agent
	version            string
	key, plan, nothing login
}{
	{claude.Agent, "2.1.332", claudeKey, claudePlan, claudeNothing},
	{codex.Agent, "0.171.0", codexKey, codexPlan, codexNothing},
}

func claudeNothing(t *testing.T, url string) []string {
	return []string{"CLAUDE_CONFIG_DIR=" + t.TempDir(), "ANTHROPIC_BASE_URL=" + url, "CLAUDE_CODE_MAX_RETRIES=1"}
}

func claudeKey(t *testing.T, url string) []string {
	return append(claudeNothing(t, url), "ANTHROPIC_API_KEY=dummy")
}

func claudePlan(t *testing.T, url string) []string {
	env := claudeNothing(t, url)
	dir := strings.TrimPrefix(env[0], "CLAUDE_CONFIG_DIR=")
	put(t, filepath.Join(dir, ".credentials.json"), `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-dummy-acct-a","refreshToken":"sk-ant-ort01-dummy","expiresAt":1900000000000,"scopes":["user:inference","user:profile","user:sessions:claude_code"],"subscriptionType":"max","rateLimitTier":"default_claude_max_5x"}}`)
	return env
}

func codexNothing(t *testing.T, url string) []string {
	return codexHome(t, url, `env_key = "STUB_API_KEY"`)
}

func codexHome(t *testing.T, url, auth string) []string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "config.toml"), fmt.Sprintf(`model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "Stub"
base_url = "%s/v1"
wire_api = "responses"
%s
request_max_retries = 1
stream_max_retries = 1
`, url, auth))
	return []string{"CODEX_HOME=" + dir, "CODEX_REFRESH_TOKEN_URL_OVERRIDE=" + url + "/oauth/token"}
}

func codexKey(t *testing.T, url string) []string {
	return append(codexNothing(t, url), "STUB_API_KEY=dummy")
}

func codexPlan(t *testing.T, url string) []string {
	env := codexHome(t, url, "requires_openai_auth = true")
	b64 := base64.RawURLEncoding.EncodeToString
	jwt := b64([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + b64([]byte(`{"exp":1900000000,"email":"acct-a@example.invalid","https://api.openai.com/auth":{"chatgpt_plan_type":"plus","chatgpt_account_id":"acct-a","chatgpt_user_id":"u"}}`)) + ".c2ln"
	put(t, filepath.Join(strings.TrimPrefix(env[0], "CODEX_HOME="), "auth.json"), fmt.Sprintf(
		`{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":%q,"access_token":%q,"refresh_token":"dummy","account_id":"acct-a"},"last_refresh":%q}`,
		jwt, jwt, time.Now().UTC().Format(time.RFC3339)))
	return env
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// clean is the whole environment of a program, but for its login: nothing of
// the machine's own, and proxies that nobody listens on.
func clean(t *testing.T, login []string) []string {
	t.Helper()
	node, err := proc.Find("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + t.TempDir(), "LANG=C.UTF-8", "TERM=dumb",
		"HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}, login...)
}

// A turn is one run of a real program.
type turn struct {
	facts agent.Facts
	exit  work.Exit
}

// until ends a run early: the program would wait for too long.
type until func(*agent.Facts) bool

func perform(t *testing.T, a agent.Agent, login []string, ask agent.Ask, stop until) turn {
	t.Helper()
	ask.Root, ask.Scratch = os.Getuid() == 0, t.TempDir()
	c, err := a.Command(ask)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c.Argv[0] = filepath.Join(programs, "node_modules", ".bin", a.Program)
	tn := turn{facts: agent.Facts{Structured: a.Structured}, exit: work.Exit{Reason: work.Exited, StartedAt: time.Now()}}
	out := &output{decode: a.Decode, facts: &tn.facts, stop: stop, cancel: cancel}
	err = proc.Cmd{Argv: c.Argv, Dir: ask.Dir, Env: append(clean(t, login), c.Env...), Stdin: strings.NewReader(c.Stdin)}.Run(ctx, out)
	exit, failed := errors.AsType[*proc.ExitError](err)
	switch {
	case out.stopped:
		tn.exit.Reason, tn.exit.Code = work.GaveUp, -1
	case failed:
		tn.exit.Code, tn.facts.Stderr = exit.Code, exit.Stderr
	case err != nil:
		t.Fatal(err)
	}
	tn.exit.EndedAt = time.Now()
	t.Logf("%s\n%s", c.Shown(ask.Prompt), out.all.String())
	return tn
}

// output decodes what a program prints as it comes.
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
		for _, e := range o.decode(bytes.TrimSuffix(line, []byte("\n")), false) {
			o.facts.Add(e)
		}
	}
	if o.stop != nil && !o.stopped && o.stop(o.facts) {
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

// each runs test for every real agent.
func each(t *testing.T, test func(t *testing.T, i int)) {
	if programs == "" {
		t.Fatal("set OFFRUN_TEST_AGENTS to the folder that clis/install.sh prints")
	}
	for i := range real {
		t.Run(string(real[i].agent.ID), func(t *testing.T) { test(t, i) })
	}
}

// TestRealWork edits a file, runs a command, ends, and goes on in its session.
func TestRealWork(t *testing.T) {
	each(t, func(t *testing.T, i int) {
		a := real[i].agent
		for _, permissions := range []string{agent.InsideWorkspace, agent.Everything} {
			stub := modelstub.Start(t, script)
			login, dir := real[i].key(t, stub.URL), t.TempDir()
			tn := perform(t, a, login, agent.Ask{Prompt: "[[ok]] Do it.", Dir: dir, Permissions: permissions}, nil)
			tn.verdict(t, work.ClassOK)
			for _, name := range []string{"hello.txt", "ran.txt"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Errorf("%s: %v", permissions, err)
				}
			}
			if tn.facts.Usage.Input == 0 || tn.facts.Session == "" || tn.facts.Acted < 2 {
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
	each(t, func(t *testing.T, i int) {
		a := real[i].agent
		// Not in the temporary folder: the sandbox of Codex lets programs write there.
		dir, outside := t.TempDir(), filepath.Join(programs, fmt.Sprintf("outside-%d-%d", os.Getpid(), i))
		if err := os.MkdirAll(outside, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(outside) })
		byTool, byShell := filepath.Join(outside, "tool.txt"), filepath.Join(outside, "shell.txt")
		stub := modelstub.Start(t, modelstub.Script{Scenarios: []modelstub.Scenario{{When: modelstub.When{Prompt: "[[out]]"}, Turns: []modelstub.Turn{
			{Say: "Writing.", Write: &modelstub.Write{Path: byTool, Content: "x\n"}},
			{Say: "By shell.", Bash: "echo x > " + byShell + "; echo y > inside.txt"},
			{Say: "Done."},
		}}}})
		for _, ask := range []agent.Ask{{Dir: dir}, {Dir: dir, ReadOnly: true, Permissions: agent.Everything}, {Dir: dir, Permissions: agent.OwnRules}} {
			ask.Prompt = "[[out]] Do it."
			perform(t, a, real[i].key(t, stub.URL), ask, nil)
			if _, err := os.Stat(byTool); err == nil {
				t.Errorf("%+v: its tool wrote outside", ask)
			}
			_, err := os.Stat(byShell)
			wrote, may := err == nil, !ask.ReadOnly && ask.Permissions == "" && a.Gap(agent.InsideWorkspace) != ""
			if wrote && !may {
				t.Errorf("%+v: its shell wrote outside", ask)
			}
			_, err = os.Stat(filepath.Join(dir, "inside.txt"))
			if wrote, may := err == nil, ask.Permissions == ""; wrote != may {
				t.Errorf("%+v: wrote inside: %v, want %v", ask, wrote, may)
			}
			os.Remove(byShell)
			os.Remove(filepath.Join(dir, "inside.txt"))
		}
	})
}

func TestRealF85Limit(t *testing.T) {
	each(t, func(t *testing.T, i int) {
		stub := modelstub.Start(t, script)
		dir := t.TempDir()
		tn := perform(t, real[i].agent, real[i].plan(t, stub.URL), agent.Ask{Prompt: "[[limit]] Do it.", Dir: dir}, nil)
		v := tn.verdict(t, work.ClassLimited)
		if v.ResetsAt == nil || v.ResetsAt.Sub(time.Now().Add(2*time.Hour)).Abs() > 5*time.Minute {
			t.Errorf("resets at %v, want two hours from now", v.ResetsAt)
		}
		if _, err := os.Stat(filepath.Join(dir, "one.txt")); err != nil {
			t.Error("what it did before the limit is gone:", err)
		}
	})
}

func TestRealF78Login(t *testing.T) {
	each(t, func(t *testing.T, i int) {
		stub := modelstub.Start(t, script)
		perform(t, real[i].agent, real[i].plan(t, stub.URL), agent.Ask{Prompt: "[[auth]] Do it.", Dir: t.TempDir()}, nil).verdict(t, work.ClassNeedsLogin)
	})
}

// TestRealF83SessionGone resumes what was never there.
func TestRealF83SessionGone(t *testing.T) {
	each(t, func(t *testing.T, i int) {
		stub := modelstub.Start(t, script)
		ask := agent.Ask{Prompt: "[[again]] Go on.", Dir: t.TempDir(), Resume: true, Session: "11111111-2222-4333-8444-555555555555"}
		if v := perform(t, real[i].agent, real[i].key(t, stub.URL), ask, nil).verdict(t, work.ClassFailed); !v.SessionGone {
			t.Errorf("judged %+v, want the session gone", v)
		}
	})
}

func TestRealNetworkGone(t *testing.T) {
	each(t, func(t *testing.T, i int) {
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
			return retries > 3 && f.Ended == nil && real[i].agent.ID == "codex"
		}
		perform(t, real[i].agent, real[i].key(t, "http://"+l.Addr().String()), agent.Ask{Prompt: "[[ok]] Do it.", Dir: t.TempDir()}, stop).verdict(t, work.ClassNetwork)
	})
}

func TestRealDetect(t *testing.T) {
	each(t, func(t *testing.T, i int) {
		stub := modelstub.Start(t, script)
		where := agent.Where{Path: filepath.Join(programs, "node_modules", ".bin") + ":" + os.Getenv("PATH")}
		for _, tt := range []struct {
			login login
			want  agent.LoginState
		}{{real[i].plan, agent.LoggedIn}, {real[i].nothing, agent.NotLoggedIn}} {
			d, err := agent.Detect(t.Context(), real[i].agent, where, clean(t, tt.login(t, stub.URL)))
			if err != nil || d.Version != real[i].version || d.Login != tt.want {
				t.Errorf("detected %+v, %v; want version %s, %s", d, err, real[i].version, tt.want)
			}
		}
	})
}
