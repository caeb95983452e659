package modelstub

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

func serve(t *testing.T) *Stub {
	t.Helper()
	b, err := os.ReadFile("testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	var script Script
	if err := json.Unmarshal(b, &script); err != nil {
		t.Fatal(err)
	}
	return Start(t, script)
}

func post(t *testing.T, url, key, body string) (int, string, http.Header) {
	t.Helper()
	rq, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	rq.Header.Set("Authorization", "Bearer "+key)
	rs, err := http.DefaultClient.Do(rq)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Body.Close()
	b, err := io.ReadAll(rs.Body)
	if err != nil {
		b = append(b, []byte("READ ERROR")...)
	}
	return rs.StatusCode, string(b), rs.Header
}

const (
	anthTools = `"tools":[{"name":"Write","input_schema":{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}},{"name":"Bash","input_schema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}]`
	chatTools = `"tools":[{"type":"function","function":{"name":"write","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"content":{"type":"string"}}}}},{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"number"}},"required":["command","timeout"]}}}]`
	gemTools  = `"tools":[{"functionDeclarations":[{"name":"write_file","parametersJsonSchema":{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}}}},{"name":"run_shell_command","parametersJsonSchema":{"type":"object","properties":{"command":{"type":"string"}}}}]}]`
	respTools = `"tools":[{"type":"custom","name":"apply_patch"},{"type":"function","name":"exec_command","parameters":{"type":"object","properties":{"cmd":{"type":"string"}},"required":["cmd"]}}]`
)

func TestTurns(t *testing.T) {
	ts := serve(t)
	for _, c := range []struct{ name, path, body, want string }{
		{"anthropic 0", "/v1/messages", `{"stream":true,"system":"Primary working directory: /w/r\n","messages":[{"role":"user","content":"[[ok]]"}],` + anthTools + `}`, `{\"content\":\"hello from the stub\\n\",\"file_path\":\"/w/r/hello.txt\"}`},
		{"anthropic 1", "/v1/messages", `{"stream":true,"messages":[{"role":"user","content":"[[ok]]"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result","content":"done"}]}],` + anthTools + `}`, `"name":"Bash"`},
		{"anthropic resumed", "/v1/messages", `{"messages":[{"role":"user","content":"[[midlimit]]"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result","content":"done"},{"type":"text","text":"[[again]]"}]}],` + anthTools + `}`, `I remember`},
		{"anthropic side", "/v1/messages", `{"messages":[{"role":"user","content":"[[ok]] title please"}]}`, `Stub title`},
		{"chat 0", "/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"[[ok]]"}],` + chatTools + `}`, `"name":"write"`},
		{"chat 1", "/v1/chat/completions", `{"messages":[{"role":"user","content":"[[ok]]"},{"role":"assistant","tool_calls":[{}]},{"role":"tool","content":"k"}],` + chatTools + `}`, `\"timeout\":1000`},
		{"responses 0", "/v1/responses", `{"stream":true,"input":[{"role":"user","content":[{"type":"input_text","text":"[[ok]]"}]}],` + respTools + `}`, `*** Add File: hello.txt`},
		{"responses 1", "/v1/responses", `{"stream":true,"input":[{"role":"user","content":"[[ok]]"},{"type":"message","role":"assistant","content":"a"},{"type":"custom_tool_call","name":"apply_patch"},{"type":"custom_tool_call_output","output":"k"}],` + respTools + `}`, `"name":"exec_command"`},
		{"gemini 0", "/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"[[ok]]"}]}],` + gemTools + `}`, `"name":"write_file"`},
		{"gemini 2", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"[[ok]]"}]},{"role":"model","parts":[{"functionCall":{}}]},{"role":"user","parts":[{"functionResponse":{}}]},{"role":"model","parts":[{"functionCall":{}}]},{"role":"user","parts":[{"functionResponse":{}}]}],` + gemTools + `}`, `All done`},
		{"gemini router", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"[[ok]]"}]}],"generationConfig":{"responseJsonSchema":{"type":"object","properties":{"choice":{"type":"string","enum":["flash","pro"]}}}}}`, `:\"flash\"}`},
		{"code assist", "/v1internal:generateContent", `{"model":"m","request":{"contents":[{"role":"user","parts":[{"text":"[[hi]]"}]}],` + gemTools + `}}`, `{"response":{"candidates"`},
	} {
		if st, b, _ := post(t, ts.URL+c.path, "k", c.body); st != 200 || !strings.Contains(b, c.want) {
			t.Errorf("%s: %d, want %q in\n%s", c.name, st, c.want, b)
		}
	}
}

func TestFaults(t *testing.T) {
	ts := serve(t)
	anth := func(p string) string {
		return `{"stream":true,"messages":[{"role":"user","content":"` + p + `"}],` + anthTools + `}`
	}
	if st, _, h := post(t, ts.URL+"/v1/messages", "sk-ant-oat01-x", anth("[[limit]]")); st != 429 || h.Get("anthropic-ratelimit-unified-status") != "rejected" {
		t.Error("usage limit", st, h)
	}
	if st, b, _ := post(t, ts.URL+"/v1/responses", "k", `{"input":"[[limit]]",`+respTools+`}`); st != 429 || !strings.Contains(b, `"resets_in_seconds":7200`) {
		t.Error("codex limit", st, b)
	}
	if st, b, _ := post(t, ts.URL+"/v1beta/models/m:generateContent", "k", `{"contents":[{"role":"user","parts":[{"text":"[[limit]]"}]}],`+gemTools+`}`); st != 429 || !strings.Contains(b, "PerDay") {
		t.Error("gemini limit", st, b)
	}
	for i, want := range []int{429, 200, 200} { // "times": 1
		if st, _, _ := post(t, ts.URL+"/v1/messages", "k", anth("[[rate1]]")); st != want {
			t.Error("rate1 try", i, st, want)
		}
	}
	if st, _, _ := post(t, ts.URL+"/v1/messages", "acct-a", anth("[[pool]]")); st != 429 {
		t.Error("account a should be over its limit:", st)
	}
	if st, _, _ := post(t, ts.URL+"/v1/messages", "acct-b", anth("[[pool]]")); st != 200 {
		t.Error("account b should work:", st)
	}
	if _, b, _ := post(t, ts.URL+"/v1/messages", "k", anth("[[cut]]")); !strings.Contains(b, "READ ERROR") {
		t.Error("cut should break the stream:", b)
	}
	if log := ts.Log(); len(log) == 0 || log[0].Status != 429 || log[0].Scenario != "limit" || log[0].Messages[0].Text != "[[limit]]" {
		t.Errorf("log begins with %+v", log[:1])
	}
}
