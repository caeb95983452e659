package proc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestF72F73OnlyListedVariablesPass(t *testing.T) {
	own := []string{
		"PATH=/bin", "HOME=/home/x", "LC_ALL=C", "LC_TIME=de", "SSH_AUTH_SOCK=/tmp/s", "GOPATH=/go",
		// keys, tokens and where they are sent
		"ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k", "GITHUB_TOKEN=t", "AWS_SECRET_ACCESS_KEY=k",
		"ANTHROPIC_BASE_URL=http://x", "OPENAI_BASE_URL=http://x", "ANTHROPIC_CUSTOM_HEADERS=h",
		"HTTPS_PROXY=http://p", "https_proxy=http://p", "NO_PROXY=x",
		// another repository, another agent, another run
		"GIT_DIR=/x", "GIT_EXTERNAL_DIFF=x", "CLAUDECODE=1", "CLAUDE_CONFIG_DIR=/x", "CODEX_HOME=/x", "npm_config_registry=x",
		MarkVar + "=outer", "OFFRUN_HOME=/x",
		// what would be loaded into every program
		"LD_PRELOAD=x", "DYLD_INSERT_LIBRARIES=x", "NODE_OPTIONS=--inspect", "PYTHONPATH=/x", "BASH_ENV=/x",
	}
	want := []string{"GOPATH=/go", "HOME=/home/x", "LC_ALL=C", "LC_TIME=de", "PATH=/bin", "SSH_AUTH_SOCK=/tmp/s", "TERM=dumb"}
	if diff := cmp.Diff(want, environ(own, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every agent has its own names for what decides who pays and who is asked:
// whole families stay behind, also those that nobody has thought of yet.
func TestF72F73WholeFamiliesStayBehind(t *testing.T) {
	var own []string
	for _, vendor := range []string{
		"ANTHROPIC", "CLAUDE_CODE", "CLAUDE", "OPENAI", "CODEX", "AZURE_OPENAI", "GEMINI", "GOOGLE", "GOOGLE_GEMINI", "GOOGLE_CLOUD", "CODE_ASSIST",
		"OPENCODE", "QWEN", "DASHSCOPE", "COPILOT", "COPILOT_PROVIDER", "COPILOT_GITHUB", "GH", "GITHUB", "CURSOR", "AMP", "XAI", "GROK", "AWS", "AWS_BEDROCK",
		"OPENROUTER", "DEEPSEEK", "MISTRAL", "GROQ", "VERTEX", "SOMEBODY_NEW",
	} {
		for _, what := range []string{
			"API_KEY", "AUTH_TOKEN", "TOKEN", "OAUTH_TOKEN", "ACCESS_TOKEN", "SECRET_ACCESS_KEY", "ACCESS_KEY_ID", "BASE_URL", "API_BASE", "ENDPOINT", "URL",
			"CUSTOM_HEADERS", "EXTRA_HEADERS", "MODEL", "HOME", "CONFIG_DIR", "PROXY", "USE_BEDROCK", "USE_VERTEX", "APPLICATION_CREDENTIALS",
		} {
			own = append(own, vendor+"_"+what+"=x")
		}
	}
	for _, scheme := range []string{"HTTP", "HTTPS", "ALL", "NO", "http", "https", "all", "no", "npm_config"} {
		own = append(own, scheme+"_PROXY=x", scheme+"_proxy=x")
	}
	if diff := cmp.Diff([]string{"TERM=dumb"}, environ(own, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnvironExtra(t *testing.T) {
	got := environ([]string{"TERM=xterm", "PATH=/bin"}, []string{"PATH=/opt", "K=a=b", "PATH=/last", "EMPTY="})
	if diff := cmp.Diff([]string{"EMPTY=", "K=a=b", "PATH=/last", "TERM=xterm"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Setenv("OPENAI_API_KEY", "canary")
	for _, kv := range Environ() {
		if kv == "OPENAI_API_KEY=canary" {
			t.Error("our own environment leaks")
		}
	}
}
