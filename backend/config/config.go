// Package config is the user's data folder: where it lies, what its files are
// called, and the two of them that people may edit: config.yaml, the settings
// that hold for all projects, and projects.yaml, the list of projects.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

// A Config is what config.yaml says. Every setting has a default, and so has
// the file: it need not be there.
type Config struct {
	Parallel int                  // attempts that work at the same time, over all projects; default: the number of processors, at least 8: agents mostly wait for their vendor
	Agents   []work.AgentSettings // as in a project's settings, which win over these; default: none
}

// file is how config.yaml is written.
type file struct {
	Parallel count   `yaml:"parallel"`
	Agents   []agent `yaml:"agents"`
}

// agent is work.AgentSettings as YAML spells it.
type agent struct {
	ID      agentID           `yaml:"id"`
	Cmd     []string          `yaml:"cmd"`
	Resume  []string          `yaml:"resume"`
	Prompt  string            `yaml:"prompt"`
	Output  string            `yaml:"output"`
	Env     map[string]string `yaml:"env"`
	Timeout seconds           `yaml:"timeout"`
	Model   string            `yaml:"model"`
}

// Load reads config.yaml of the data folder dir. A mistake in it is
// work.Invalid, with its place as file:line:column.
func Load(dir string) (Config, error) {
	path := filepath.Join(dir, "config.yaml")
	var f file
	if err := read(path, &f); err != nil {
		return Config{}, err
	}
	c := Config{Parallel: int(f.Parallel)}
	if c.Parallel == 0 {
		c.Parallel = max(8, runtime.NumCPU())
	}
	seen := map[agentID]bool{}
	for _, a := range f.Agents {
		if seen[a.ID] {
			return Config{}, invalid(path, fmt.Sprintf("two agents are called %q; allowed: each id once", a.ID))
		}
		seen[a.ID] = true
		c.Agents = append(c.Agents, work.AgentSettings{
			ID: work.AgentID(a.ID), Cmd: a.Cmd, Resume: a.Resume, Prompt: a.Prompt, Output: a.Output,
			Env: a.Env, Timeout: work.Seconds(a.Timeout), Model: a.Model,
		})
	}
	return c, nil
}

// read decodes the YAML file at path into v. A missing or empty file leaves v alone.
func read(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return work.Hide(work.Unavailable, err, "cannot read "+path).Do("Make the file readable for you.")
	}
	err = yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(v)
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	e, ok := errors.AsType[yaml.Error](err)
	if !ok || e.GetToken() == nil {
		return invalid(path, err.Error())
	}
	at := e.GetToken().Position
	return invalid(fmt.Sprintf("%s:%d:%d", path, at.Line, at.Column), describe(e, reflect.TypeOf(v).Elem()))
}

// describe says what is wrong and what is allowed. decoded is the struct that
// the file as a whole is read into.
func describe(e yaml.Error, decoded reflect.Type) string {
	switch e := e.(type) {
	case *yaml.UnknownFieldError:
		// The entries of a file are one level below its own keys.
		if e.Token.Position.Column > 1 {
			for f := range decoded.Fields() {
				if f.Type.Kind() == reflect.Slice {
					decoded = f.Type.Elem()
					break
				}
			}
		}
		var keys []string
		for f := range decoded.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			keys = append(keys, name)
		}
		return fmt.Sprintf("unknown key %q; allowed: %s", e.Token.Value, strings.Join(keys, ", "))
	case *yaml.TypeError:
		return fmt.Sprintf("%q is of the wrong kind; allowed: %s", e.Token.Value, kind(e.DstType))
	case *yaml.UnexpectedNodeTypeError:
		return fmt.Sprintf("%q is of the wrong kind; allowed: %s", e.Token.Value, strings.ToLower(e.Expected.YAMLName()))
	}
	return e.GetMessage()
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "keys with values"
	}
	return "a " + t.Kind().String()
}

func invalid(where, what string) error {
	return work.Errorf(work.Invalid, "%s: %s", where, what).Do("Correct the file; without it the defaults hold.")
}

// count is a number from 1 up.
type count int

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (c *count) UnmarshalYAML(n ast.Node) error {
	number, err := strconv.Atoi(text(n))
	if err != nil || number < 1 {
		return mistake(n, fmt.Sprintf("%q is no count; allowed: 1 and more", text(n)))
	}
	*c = count(number)
	return nil
}

// agentID checks itself when it is read.
type agentID string

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (id *agentID) UnmarshalYAML(n ast.Node) error {
	s := text(n)
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`).MatchString(s) {
		return mistake(n, fmt.Sprintf("%q is no agent id; allowed: a-z, 0-9 and -, at most 32", s))
	}
	*id = agentID(s)
	return nil
}

// seconds is a number of seconds, or a duration such as 30m.
type seconds work.Seconds

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (s *seconds) UnmarshalYAML(n ast.Node) error {
	v := text(n)
	if number, err := strconv.ParseFloat(v, 64); err == nil && number > 0 {
		*s = seconds(number)
		return nil
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		*s = seconds(work.SecondsOf(d))
		return nil
	}
	return mistake(n, fmt.Sprintf("%q is no time; allowed: seconds, or 90s, 30m, 1h", v))
}

func text(n ast.Node) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	return n.GetToken().Value
}

func mistake(n ast.Node, what string) error {
	return &yaml.SyntaxError{Message: what, Token: n.GetToken()}
}
