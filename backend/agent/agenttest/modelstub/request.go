package modelstub

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A Message is one message of a request, whatever its API calls it.
type Message struct {
	Role string `json:"role"` // system, user, assistant, tool
	Text string `json:"text"`
}

// offer is a tool that a request offers.
type offer struct {
	name     string
	freeform bool // OpenAI "custom" tool: input is plain text, not JSON
	props    object
	required []string
}

// A request is one request for a model, the same for all APIs.
type request struct {
	api      string
	model    string
	key      string
	stream   bool
	messages []Message
	tools    []offer
	schema   object // the answer must be JSON of this schema; side requests only
	wrapped  bool   // gemini with a Google login: answers lie in {"response": …}
	cwd      string // as its prompt names it
}

type object = map[string]any

func str(o object, key string) string { s, _ := o[key].(string); return s }
func list(o object, key string) []any { l, _ := o[key].([]any); return l }
func asObject(v any) object           { o, _ := v.(object); return o }

func (r *request) add(role, text string) { r.messages = append(r.messages, Message{role, text}) }

// dialects read the messages and tools of each API.
var dialects = map[string]func(*request, object){
	"anthropic": anthropicRequest,
	"chat":      chatRequest,
	"responses": responsesRequest,
	"gemini":    geminiRequest,
}

func parse(api string, body []byte) (*request, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	r := &request{api: api, model: str(o, "model")}
	r.stream, _ = o["stream"].(bool)
	if in := asObject(o["request"]); api == "gemini" && in != nil {
		r.wrapped, o = true, in
	}
	dialects[api](r, o)
	r.cwd = workingDir(r.messages)
	for _, path := range schemaPaths {
		if s := asObject(dig(o, path...)); s != nil {
			r.schema = s
		}
	}
	return r, nil
}

// schemaPaths are where each API puts the schema of an answer.
var schemaPaths = [][]string{
	{"generationConfig", "responseJsonSchema"}, {"generationConfig", "responseSchema"},
	{"response_format", "json_schema", "schema"},
	{"text", "format", "schema"},
	{"output_config", "format", "schema"}, {"output_format", "schema"},
}

func dig(v any, path ...string) any {
	for _, key := range path {
		v = asObject(v)[key]
	}
	return v
}

// flat flattens the many "text or list of parts" shapes of content.
func flat(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, e := range v {
			texts = append(texts, flat(e))
		}
		return strings.Join(texts, "\n")
	case object:
		for _, key := range []string{"text", "content", "output", "thinking", "input", "arguments", "result", "summary"} {
			if s := flat(v[key]); s != "" {
				return s
			}
		}
		if v["functionCall"] != nil || v["functionResponse"] != nil || v["input"] != nil {
			return compact(v)
		}
	}
	return ""
}

// compact returns v as JSON. What it is given came from JSON or is made of maps.
func compact(v any) string {
	j, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(j)
}

// offerTool adds a tool, in whatever shape the API describes it.
func (r *request) offerTool(o object) {
	if group := list(o, "tools"); group != nil && str(o, "type") == "namespace" { // codex groups some tools
		for _, t := range group {
			r.offerTool(asObject(t))
		}
		return
	}
	if f := asObject(o["function"]); f != nil { // chat completions
		o = f
	}
	t := offer{name: str(o, "name"), freeform: str(o, "type") == "custom"}
	if t.name == "" {
		t.name = str(o, "type") // built-in tools: web_search, local_shell
	}
	for _, key := range []string{"input_schema", "parameters", "parametersJsonSchema"} {
		if s := asObject(o[key]); s != nil {
			t.props = asObject(s["properties"])
			for _, name := range list(s, "required") {
				if name, ok := name.(string); ok {
					t.required = append(t.required, name)
				}
			}
			break
		}
	}
	r.tools = append(r.tools, t)
}

func (r *request) offerTools(tools []any) {
	for _, t := range tools {
		r.offerTool(asObject(t))
	}
}

// tool returns the first tool offered under one of names, or nil.
func (r *request) tool(names ...string) *offer {
	for _, name := range names {
		for i := range r.tools {
			if r.tools[i].name == name {
				return &r.tools[i]
			}
		}
	}
	return nil
}

// sample makes the smallest value that fits a JSON schema.
func sample(schema object) any {
	if e := list(schema, "enum"); len(e) > 0 {
		return e[0]
	}
	switch strings.ToLower(str(schema, "type")) {
	case "object":
		o := object{}
		for key, v := range asObject(schema["properties"]) {
			o[key] = sample(asObject(v))
		}
		return o
	case "array":
		return []any{}
	case "number", "integer":
		return 1
	case "boolean":
		return false
	}
	return "stub"
}

// cwds are the words in which agents tell the model where they work.
var cwds = []*regexp.Regexp{
	regexp.MustCompile(`<cwd>\s*(/[^<\n]+?)\s*</cwd>`),
	regexp.MustCompile(`(?i)(?:primary |current )?working directory(?: is)?:?\s*\**\s*` + "`?" + `(/[^\s<` + "`" + `]+)`),
	regexp.MustCompile(`(?i)(?:current directory|workspace directories?|I'm currently working in the directory|operating in):?\s*(?:\n\s*-\s*)?` + "`?" + `(/[^\s<` + "`" + `]+)`),
}

func workingDir(messages []Message) string {
	for _, cwd := range cwds {
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role == "assistant" || messages[i].Role == "tool" {
				continue
			}
			if m := cwd.FindStringSubmatch(messages[i].Text); m != nil {
				return strings.TrimRight(m[1], ".,'\")")
			}
		}
	}
	return ""
}
