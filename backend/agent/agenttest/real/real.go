// Package real finds the real agent programs that tests drive, and makes logins
// for them in which nothing is real: dummy keys, and a model server on loopback.
package real

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"offrun/backend/agent"
	"offrun/backend/agent/claude"
	"offrun/backend/agent/codex"
	"offrun/backend/agent/copilot"
	"offrun/backend/agent/gemini"
	"offrun/backend/agent/opencode"
	"offrun/backend/agent/qwen"
	"offrun/backend/proc"
)

// An Agent is a program that is pinned in ../clis/package.json.
type Agent struct {
	agent.Agent
	Pinned string // its version
	Model  string // that its logins need; "" is its own choice

	Key       Login // an API key
	Plan      Login // a subscription, or a key where none can be made up
	Second    Login // a plan of another account; nil if none can be made up
	LoggedOut Login // nil if it cannot tell that it is
	Slow      bool  // a run takes long: it does few of the tests
}

// A Login makes a configuration folder whose model server is url, and returns
// the variables that lead there.
type Login func(t testing.TB, url string) []string

// Agents returns the pinned agents.
func Agents() []Agent {
	return []Agent{
		{Agent: claude.Agent, Pinned: "2.1.332", Key: claudeKey, Plan: claudePlan("acct-a"), Second: claudePlan("acct-b"), LoggedOut: claudeLoggedOut},
		{Agent: codex.Agent, Pinned: "0.171.0", Key: codexKey, Plan: codexPlan("acct-a"), Second: codexPlan("acct-b"), LoggedOut: codexLoggedOut},
		{Agent: gemini.Agent, Pinned: "0.61.0", Model: "gemini-2.5-pro", Key: geminiKey, Plan: geminiPlan},
		{Agent: qwen.Agent, Pinned: "0.24.4", Model: "stub-model", Key: qwenKey, Plan: qwenKey},
		{Agent: copilot.Agent, Pinned: "1.0.102", Model: "stub-model", Key: copilotKey, Plan: copilotKey},
		{Agent: opencode.Agent, Pinned: "1.18.33", Model: "stub/stub-model", Key: opencodeKey, Plan: opencodeKey, Slow: true},
	}
}

// Programs returns the folder of the installed programs. It is named after the
// lock file, as scripts/agents does.
func Programs(t testing.TB) string {
	t.Helper()
	found.Lock()
	defer found.Unlock()
	if found.dir != "" {
		return found.dir // tests move HOME
	}
	_, self, _, _ := runtime.Caller(0)
	lock, err := os.ReadFile(filepath.Join(filepath.Dir(self), "..", "clis", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(lock), lock)) // as git names it
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	dir := filepath.Join(cache, "offrun-test-agents", hex.EncodeToString(sum[:])[:16])
	if _, err := os.Stat(filepath.Join(dir, ".complete")); err != nil {
		t.Fatalf("the agent programs are not installed; run scripts/agents: %v", err)
	}
	found.dir = filepath.Join(dir, "node_modules", ".bin")
	return found.dir
}

// found is where the programs are, once somebody has looked.
var found struct {
	sync.Mutex
	dir string
}

// Environ returns the whole environment of a program: nothing of the machine's
// own but where node is, and a proxy that nobody listens on for whatever is not
// on loopback.
func Environ(t testing.TB, login []string) []string {
	t.Helper()
	node, err := proc.Find("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{
		"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + t.TempDir(), "LANG=C.UTF-8", "TERM=dumb",
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1",
	}, login...)
}

func claudeLoggedOut(t testing.TB, url string) []string {
	return []string{"CLAUDE_CONFIG_DIR=" + t.TempDir(), "ANTHROPIC_BASE_URL=" + url, "CLAUDE_CODE_MAX_RETRIES=1"}
}

func claudeKey(t testing.TB, url string) []string {
	return append(claudeLoggedOut(t, url), "ANTHROPIC_API_KEY=dummy")
}

func claudePlan(account string) Login {
	return func(t testing.TB, url string) []string {
		env := claudeLoggedOut(t, url)
		put(t, filepath.Join(strings.TrimPrefix(env[0], "CLAUDE_CONFIG_DIR="), ".credentials.json"),
			`{"claudeAiOauth":{"accessToken":"sk-ant-oat01-dummy-`+account+`","refreshToken":"sk-ant-ort01-dummy","expiresAt":1900000000000,`+
				`"scopes":["user:inference","user:profile","user:sessions:claude_code"],"subscriptionType":"max","rateLimitTier":"default_claude_max_5x"}}`)
		return env
	}
}

func codexLoggedOut(t testing.TB, url string) []string {
	return codexHome(t, url, `env_key = "STUB_API_KEY"`)
}

func codexKey(t testing.TB, url string) []string {
	return append(codexLoggedOut(t, url), "STUB_API_KEY=dummy")
}

func codexHome(t testing.TB, url, auth string) []string {
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

func codexPlan(account string) Login {
	return func(t testing.TB, url string) []string {
		env := codexHome(t, url, "requires_openai_auth = true")
		b64 := base64.RawURLEncoding.EncodeToString
		jwt := b64([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + b64(fmt.Appendf(nil,
			`{"exp":1900000000,"email":"%[1]s@example.invalid","https://api.openai.com/auth":{"chatgpt_plan_type":"plus","chatgpt_account_id":"%[1]s","chatgpt_user_id":"u"}}`, account)) + ".c2ln"
		put(t, filepath.Join(strings.TrimPrefix(env[0], "CODEX_HOME="), "auth.json"), fmt.Sprintf(
			`{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":%q,"access_token":%q,"refresh_token":"dummy","account_id":%q},"last_refresh":%q}`,
			jwt, jwt, account, time.Now().UTC().Format(time.RFC3339)))
		return env
	}
}

func geminiHome(t testing.TB, auth string) string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".gemini", "settings.json"), `{"security":{"auth":{`+auth+`},"folderTrust":{"enabled":true}},`+
		`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},`+
		`"general":{"maxAttempts":2,"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}`)
	return "GEMINI_CLI_HOME=" + dir
}

func geminiKey(t testing.TB, url string) []string {
	return []string{geminiHome(t, `"selectedType":"gemini-api-key"`), "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=dummy"}
}

func geminiPlan(t testing.TB, url string) []string {
	return []string{geminiHome(t, ""), "GOOGLE_GENAI_USE_GCA=true", "GOOGLE_CLOUD_ACCESS_TOKEN=dummy", "CODE_ASSIST_ENDPOINT=" + url}
}

func qwenKey(t testing.TB, url string) []string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "settings.json"), `{"security":{"auth":{"selectedType":"openai"}}}`)
	return []string{"QWEN_HOME=" + dir, "OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=stub-model"}
}

// copilotKey shares one cache: the program unpacks itself there when it starts.
func copilotKey(t testing.TB, url string) []string {
	return []string{
		"COPILOT_HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + filepath.Join(Programs(t), "..", "..", "copilot"), "COPILOT_OFFLINE=true",
		"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=dummy", "COPILOT_MODEL=stub-model",
	}
}

func opencodeKey(t testing.TB, url string) []string {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "config", "opencode", "opencode.json"), `{"autoupdate":false,"share":"disabled","model":"stub/stub-model","small_model":"stub/stub-model",`+
		`"provider":{"stub":{"npm":"@ai-sdk/openai-compatible","name":"Stub","options":{"baseURL":"`+url+`/v1","apiKey":"{env:STUB_API_KEY}"},`+
		`"models":{"stub-model":{"name":"Stub Model","limit":{"context":200000,"output":32000}}}}}}`)
	env := []string{"STUB_API_KEY=dummy"}
	for _, name := range []string{"config", "data", "state", "cache"} {
		env = append(env, "XDG_"+strings.ToUpper(name)+"_HOME="+filepath.Join(dir, name))
	}
	return env
}

func put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
