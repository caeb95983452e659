package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// ReadAgent reads the description of one agent, as it would stand in a list below
// agents:, or such a list of one. What is wrong is named after file.
func ReadAgent(file string, text []byte) (work.AgentSettings, error) {
	r := Reader{File: file}
	var a work.AgentSettings
	body := r.Document(text)
	if seq, ok := body.(*ast.SequenceNode); ok && len(seq.Values) == 1 {
		body = seq.Values[0]
	}
	if body == nil {
		r.Unfit("nothing is in it; allowed: an agent, with id and cmd")
	} else {
		a = r.agent(body)
	}
	return a, r.Err("Correct the file and add it again.")
}

// AddAgent puts the description of an agent at the end of agents: in config.yaml of
// the data folder dir, as it was written, and leaves every other line as it is.
// Whatever happens meanwhile, the file is the old one or the new one. The error is
// work.Conflict if there is an agent of that id already, and work.Invalid if text
// or the file is wrong.
func AddAgent(dir, file string, text []byte) (work.AgentSettings, error) {
	a, err := ReadAgent(file, text)
	if err != nil {
		return a, err
	}
	old, err := Load(dir)
	if err != nil {
		return a, err
	}
	for _, o := range old.Agents {
		if o.ID == a.ID {
			return a, work.Errorf(work.Conflict, "config.yaml describes an agent %s already", a.ID).Do("Choose another id, or change the entry in " + filepath.Join(dir, "config.yaml") + ".")
		}
	}
	path := filepath.Join(dir, "config.yaml")
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	after := withAgent(string(before), string(text))
	if err := sameBut(path, old, a, after); err != nil {
		return a, err
	}
	return a, renameio.WriteFile(path, []byte(after), 0o600, renameio.WithTempDir(dir))
}

// sameBut makes sure that the text says what the file said before, and a: lines are
// put together here, and YAML has more ways to write a list than lines.
func sameBut(path string, old Config, a work.AgentSettings, text string) error {
	r := Reader{File: path}
	var agents []work.AgentSettings
	if body := r.Document([]byte(text)); body != nil {
		for key, value := range r.Entries(body, "parallel", "agents") {
			if key.Text == "agents" {
				agents = r.Agents(value)
			}
		}
	}
	if r.Err("") == nil && fmt.Sprintf("%+v", agents) == fmt.Sprintf("%+v", append(old.Agents[:len(old.Agents):len(old.Agents)], a)) {
		return nil
	}
	return work.Errorf(work.Conflict, "%s is written in a way that nothing can be added to by program", path).
		Do("Write agents: as a list with a line for each key, or add the agent with an editor.")
}

// withAgent returns text with item at the end of its list of agents.
func withAgent(text, item string) string {
	lines := strings.SplitAfter(text, "\n")
	start := -1
	for i, line := range lines {
		if strings.HasPrefix(line, "agents:") {
			start = i
		}
	}
	if start < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + "agents:\n" + indented(item, "  ")
	}
	end, indent, found := start+1, "  ", false
	for i := start + 1; i < len(lines); i++ {
		content := strings.TrimSpace(lines[i])
		blank := content == "" || strings.HasPrefix(content, "#")
		margin := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
		isItem := content == "-" || strings.HasPrefix(content, "- ")
		if !blank && margin == "" && !isItem {
			break // the next key
		}
		if isItem && !found {
			indent, found = margin, true
		}
		if !blank || margin != "" {
			end = i + 1
		}
	}
	head := strings.Join(lines[:end], "")
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + indented(item, indent) + strings.Join(lines[end:], "")
}

// indented returns the description of an agent as an item of a list.
func indented(item, indent string) string {
	var b strings.Builder
	begun := false
	item = string(bytes.TrimPrefix([]byte(item), []byte("\ufeff")))
	for line := range strings.Lines(strings.TrimSpace(item) + "\n") {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "---" || line == "...":
		case strings.TrimSpace(line) == "":
			b.WriteString("\n")
		case begun:
			b.WriteString(indent + "  " + line + "\n")
		case strings.HasPrefix(strings.TrimSpace(line), "#"):
			b.WriteString(indent + line + "\n")
		default:
			begun = true
			b.WriteString(indent + "- " + line + "\n")
		}
	}
	return b.String()
}
