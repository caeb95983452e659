// Package config is the user's data folder: where it lies, what its files are
// called, and the two of them that people may edit: config.yaml, the settings
// that hold for all projects, and projects.yaml, the list of projects. Its Reader
// is for every settings file, those of projects too.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

// A Config is what config.yaml says. Every setting has a default, and so has
// the file: it need not be there.
type Config struct {
	Parallel int                  // attempts that work at the same time, over all projects; default: the number of processors, at least 8: agents mostly wait for their vendor
	Agents   []work.AgentSettings // as in a project's settings, which win over these; default: none
}

// Load reads config.yaml of the data folder dir. The error is work.Invalid and
// holds every mistake, a line each, as file:line:column: what is wrong; allowed: …
func Load(dir string) (Config, error) {
	c := Config{Parallel: max(8, runtime.NumCPU())}
	err := load(filepath.Join(dir, "config.yaml"), func(r *Reader, body ast.Node) {
		for key, value := range r.Entries(body, "parallel", "agents") {
			switch key.Text {
			case "parallel":
				c.Parallel = r.count(value)
			case "agents":
				c.Agents = r.Agents(value)
			}
		}
	})
	if err != nil {
		return Config{}, err
	}
	return c, nil
}

// load has the YAML file at path read, unless it is missing or empty.
func load(path string, read func(r *Reader, body ast.Node)) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return work.Hide(work.Unavailable, err, "cannot read "+path).Do("Make the file readable for you.")
	}
	r := Reader{File: path}
	if body := r.Document(text); body != nil {
		read(&r, body)
	}
	return r.Err("Correct the file, or move it away; what needs it is refused until then.")
}

// count reads a number from 1 up.
func (r *Reader) count(n ast.Node) int {
	text, _ := Scalar(n)
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		r.Mistake(n, "%s is no count; allowed: 1 and more", Shown(n))
	}
	return number
}
