package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/goccy/go-yaml"
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

type projectsFile struct {
	Projects []project `yaml:"projects"`
}

// Projects reads projects.yaml of the data folder dir: none if it is not there.
func Projects(dir string) ([]work.Project, error) {
	var f projectsFile
	if err := read(filepath.Join(dir, "projects.yaml"), &f); err != nil {
		return nil, err
	}
	var all []work.Project
	for _, p := range f.Projects {
		all = append(all, work.Project(p))
	}
	return all, nil
}

// PutProjects replaces projects.yaml. Whatever happens meanwhile, the file is
// the old one or the new one.
func PutProjects(dir string, all []work.Project) error {
	f := projectsFile{Projects: []project{}}
	for _, p := range all {
		f.Projects = append(f.Projects, project(p))
	}
	b, err := yaml.Marshal(f)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "projects.yaml")
	head := "# The projects of Offrun: the truth behind the database's list.\n"
	err = renameio.WriteFile(path, append([]byte(head), b...), 0o600, renameio.WithTempDir(dir))
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return work.Hide(work.Unavailable, err, "no space left for "+path).Do("Free some disk space; the file is as it was.")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
