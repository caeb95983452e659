package modelstub

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// A call is a tool call of an answer.
type call struct {
	id, name string
	args     string // JSON, or plain text if freeform
	freeform bool
}

var (
	writers = []string{"Write", "write_file", "write", "create", "create_file"}
	shells  = []string{"Bash", "run_shell_command", "bash", "exec_command", "shell_command", "shell", "local_shell"}
)

// calls turns what t wants done into calls of the tools that r offers.
func (s *Stub) calls(r *request, t Turn) []call {
	var cs []call
	if t.Write != nil {
		cs = append(cs, s.write(r, *t.Write))
	}
	if t.Bash != "" {
		cs = append(cs, s.shell(r, t.Bash, "scripted command"))
	}
	if t.Tool != nil {
		c := call{id: s.callID(), name: t.Tool.Name, args: string(t.Tool.Args)}
		if c.args == "" {
			c.args = "{}"
		}
		if d := r.tool(t.Tool.Name); d != nil && d.freeform {
			c.freeform = true
			_ = json.Unmarshal(t.Tool.Args, &c.args) // not a text: sent as it stands
		}
		cs = append(cs, c)
	}
	return cs
}

func (s *Stub) callID() string { return fmt.Sprintf("call_stub%06d", s.seq.Add(1)) }

func (s *Stub) shell(r *request, command, why string) call {
	d := r.tool(shells...)
	if d == nil {
		return call{id: s.callID(), name: "no_shell_tool_offered", args: "{}"}
	}
	return call{id: s.callID(), name: d.name, args: d.fill(map[string]string{"command": command, "description": why})}
}

func (s *Stub) write(r *request, w Write) call {
	path := w.Path
	if !filepath.IsAbs(path) && r.cwd != "" {
		path = filepath.Join(r.cwd, path)
	}
	if d := r.tool(writers...); d != nil {
		return call{id: s.callID(), name: d.name, args: d.fill(map[string]string{"path": path, "content": w.Content})}
	}
	if d := r.tool("apply_patch"); d != nil { // codex, copilot with GPT models
		return s.patch(d, w)
	}
	return s.shell(r, "printf %s "+quoted(w.Content)+" > "+quoted(w.Path), "write a file")
}

func (s *Stub) patch(d *offer, w Write) call {
	patch := "*** Begin Patch\n*** Add File: " + w.Path + "\n"
	for line := range strings.SplitSeq(strings.TrimSuffix(w.Content, "\n"), "\n") {
		patch += "+" + line + "\n"
	}
	patch += "*** End Patch\n"
	if d.freeform {
		return call{id: s.callID(), name: d.name, args: patch, freeform: true}
	}
	key := "input"
	for _, name := range []string{"input", "patch", "patchText"} {
		if d.props[name] != nil {
			key = name
		}
	}
	return call{id: s.callID(), name: d.name, args: compact(object{key: patch})}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// aliases are what tools call the arguments that we have.
var aliases = map[string][]string{
	"path":        {"file_path", "filePath", "absolute_path", "path"},
	"content":     {"content", "file_text", "contents"},
	"command":     {"command", "cmd"},
	"description": {"description"},
}

// fill builds arguments that satisfy the tool's own schema.
func (d *offer) fill(values map[string]string) string {
	args := object{}
	for key, value := range values {
		for _, name := range aliases[key] {
			p := asObject(d.props[name])
			if p == nil {
				continue
			}
			args[name] = value
			if str(p, "type") == "array" {
				args[name] = []string{"bash", "-lc", value}
			}
			break
		}
	}
	for _, name := range d.required {
		if _, ok := args[name]; !ok {
			args[name] = filler(asObject(d.props[name]))
		}
	}
	return compact(args)
}

// filler is a harmless value for an argument that nothing is known of.
func filler(schema object) any {
	switch strings.ToLower(str(schema, "type")) {
	case "boolean":
		return false
	case "number", "integer":
		return 1000
	case "array":
		return []any{}
	case "object":
		return object{}
	}
	return "stub"
}
