package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

// project is work.Project as YAML spells it.
type project struct {
	ID      work.ProjectID `yaml:"id"`
	Path    string         `yaml:"path"`
	GitDir  string         `yaml:"git_dir"`
	AddedAt time.Time      `yaml:"added_at"`
	Trust   string         `yaml:"trust,omitempty"`
}

// Projects reads projects.yaml of the data folder dir: none if it is not there.
func Projects(dir string) ([]work.Project, error) {
	var all []work.Project
	err := load(filepath.Join(dir, "projects.yaml"), func(r *Reader, body ast.Node) {
		for _, list := range r.Entries(body, "projects") {
			for _, item := range r.Items(list) {
				all = append(all, r.project(item))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (r *Reader) project(n ast.Node) work.Project {
	var p work.Project
	for key, value := range r.Entries(n, "id", "path", "git_dir", "added_at", "trust") {
		text, ok := Scalar(value)
		if !ok {
			r.Mistake(value, "%s is of the wrong kind; allowed: text", Shown(value))
		}
		switch key.Text {
		case "id":
			p.ID = work.ProjectID(text)
		case "path":
			p.Path = text
		case "git_dir":
			p.GitDir = text
		case "added_at":
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				r.Mistake(value, "%s is no moment; allowed: such as 2026-03-01T09:00:00Z", Shown(value))
			}
			p.AddedAt = at
		case "trust":
			p.Trust = text
		}
	}
	return p
}

// PutProjects replaces projects.yaml. Whatever happens meanwhile, the file is
// the old one or the new one.
func PutProjects(dir string, all []work.Project) error {
	f := struct {
		Projects []project `yaml:"projects"`
	}{[]project{}}
	for _, p := range all {
		f.Projects = append(f.Projects, project(p))
	}
	return put(filepath.Join(dir, "projects.yaml"), "The projects of Offrun: the truth behind the database's list.", f)
}

// put writes v as YAML below a line that says what the file is.
func put(path, what string, v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	err = renameio.WriteFile(path, append([]byte("# "+what+"\n"), b...), 0o600, renameio.WithTempDir(filepath.Dir(path)))
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return work.Hide(work.Unavailable, err, "no space left for "+path).Do("Free some disk space; the file is as it was.")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
