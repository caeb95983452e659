package artifact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Canaries are put together here, so that no scanner takes this file for a leak.
var (
	letters = "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
	pem     = "-----BEGIN RSA PRIVATE " + "KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + letters + "/+\n" + letters + "==\n-----END RSA PRIVATE " + "KEY-----"
)

func TestRedactShapes(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"sk-ant-" + letters + " x", "sk-ant-[redacted] x"},
		{`{"k":"sk-proj-` + letters + `"}`, `{"k":"sk-proj-[redacted]"}`},
		{"token ghp_" + letters + ".", "token ghp_[redacted]."},
		{"github_pat_11AA_" + letters, "github_pat_[redacted]"},
		{"glpat-" + letters, "glpat-[redacted]"},
		{"AKIA" + "ABCDEFGHIJKLMNOP", "AKIA[redacted]"},
		{"AIza" + letters, "AIza[redacted]"},
		{"xoxb-" + letters, "xoxb-[redacted]"},
		{"npm_" + letters, "npm_[redacted]"},
		{"sk_live_" + letters, "sk_live_[redacted]"},
		{"a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3.abc-_ b", "a [redacted] b"},
		{"Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"},
		{"authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted]"},
		{"X-Api-Key: 0123456789", "X-Api-Key: [redacted]"},
		{"git clone https://me:hunter22@example.com/x", "git clone https://me:[redacted]@example.com/x"},
		{"https://" + letters + "@example.com/x", "https://[redacted]@example.com/x"},
		{"OPENAI_API_KEY=abcdefgh12\nHOME=/home/me", "OPENAI_API_KEY=[redacted]\nHOME=/home/me"},
		{`export DB_PASSWORD="correct horse"`, "export DB_PASSWORD=[redacted]"},
		{`{"access_token": "abcdefghijk"}`, `{"access_token": "[redacted]"}`},
		{`{"text":"{\"apiKey\":\"abcdefghijk\"}"}`, `{"text":"{\"apiKey\":\"[redacted]\"}"}`},
		{"before\n" + pem + "\nafter", "before\n-----BEGIN RSA PRIVATE " + "KEY-----[redacted]-----END RSA PRIVATE " + "KEY-----\nafter"},
		{strings.ReplaceAll(pem[:80], "\n", `\n`) + `"}`, "-----BEGIN RSA PRIVATE " + `KEY-----[redacted]"}`},
	} {
		got := Redact(tt.in, nil)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("Redact(%q) (-want +got):\n%s", tt.in, d)
		}
		if again := Redact(got, nil); again != got {
			t.Errorf("redacted twice: %q, once: %q", again, got)
		}
	}
}

// What people have to read stays.
func TestRedactLeaves(t *testing.T) {
	for _, text := range []string{
		"", "The task-oriented desk-top sk-ip", "const accessToken = getToken(request)", "token: AccessToken",
		`{"input_tokens": 123456789, "output_tokens":5}`, "MAX_TOKENS=32000", "API_KEY=$OTHER_API_KEY",
		"https://example.com/a@b", "http://localhost:8080/x", "ssh://git@example.com/x",
		"commit 1234567890abcdef1234567890abcdef12345678", "ghost_writer gl-matrix", "the bearer of news",
		"npm_config_registry", "-- A PRIVATE KEY is needed --",
	} {
		if got := Redact(text, nil); got != text {
			t.Errorf("Redact(%q) = %q", text, got)
		}
	}
}

func TestRedactExact(t *testing.T) {
	secrets := []string{`pa"ss/word 1`, `pa"ss/word 12345`, "short", ""}
	for _, tt := range []struct{ in, want string }{
		{`x pa"ss/word 1 y`, "x [redacted] y"},
		{`x pa"ss/word 12345 y`, "x [redacted] y"}, // the longer one as a whole
		{`{"x":"pa\"ss/word 1"}`, `{"x":"[redacted]"}`},
		{"?p=pa%22ss%2Fword+1&", "?p=[redacted]&"},
		{"/pa%22ss%2Fword%201/", "/[redacted]/"},
		{"short is too short", "short is too short"},
	} {
		if got := Redact(tt.in, secrets); got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestSecrets(t *testing.T) {
	got := Secrets(map[string]string{
		"MY_API_KEY": "12345678", "db_password": "abcdefgh", "GITHUB_TOKEN": "short", "PATH": "/usr/bin:/bin", "MY_FLAG": "123456789",
	})
	if d := cmp.Diff([]string{"12345678", "abcdefgh"}, got); d != "" {
		t.Errorf("secrets (-want +got):\n%s", d)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("A_TOKEN=sk-ant-"+letters+" https://u:p@h "+pem, "hunter22")
	f.Fuzz(func(t *testing.T, text, secret string) {
		got := Redact(text, []string{secret})
		if len(secret) >= minSecret && !strings.Contains(redacted, secret) && strings.Contains(got, secret) && !strings.Contains(secret, "[") && !strings.Contains(secret, "]") {
			t.Errorf("%q is still in %q", secret, got)
		}
	})
}
