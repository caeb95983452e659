// Package project is what Offrun knows of a repository before any run: its
// settings in .offrun/project.yaml, what of it may run programs, whether it is
// fit for a run, and how a fresh worktree gets the files that git does not keep.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"offrun/backend/card"
	"offrun/backend/config"
	"offrun/backend/work"
)

// SettingsFile is where a project's settings lie, relative to its top folder.
const SettingsFile = ".offrun/project.yaml"

// maxSettings is the largest settings file that is read, in bytes.
const maxSettings = 1 << 20

// Load reads the settings of the project at dir. Without a file they are the
// defaults; so is every setting that the file leaves out. Only Trunk stays "" if
// it is not set: which branch HEAD names is for git to say. Agents are those that
// select may name beside the file's own; without any, every name will do.
//
// The error is work.Invalid and holds every mistake, a line each, as
// file:line:column: what is wrong; allowed: …
func Load(dir string, agents ...work.AgentID) (work.Settings, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return work.Settings{}, work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", dir))
	}
	defer root.Close()
	info, err := root.Stat(SettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Defaults(), nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return work.Settings{}, work.Hide(work.Invalid, err, SettingsFile+" cannot be read").
			Do("Make it a file that you may read, and no link out of the project.")
	}
	f, err := root.Open(SettingsFile)
	if err != nil {
		return work.Settings{}, work.Hide(work.Invalid, err, SettingsFile+" cannot be read").Do("Check its permissions.")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return work.Settings{}, work.Hide(work.Unavailable, err, SettingsFile+" cannot be read")
	}
	return parse(text, agents...)
}

// parse reads the text of a settings file.
func parse(text []byte, agents ...work.AgentID) (work.Settings, error) {
	r := reader{Reader: config.Reader{File: SettingsFile}, agents: agents}
	var s work.Settings
	switch {
	case len(text) > maxSettings:
		r.Unfit("the file is too large; allowed: 1 MB")
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		r.Unfit("the file is not text; allowed: YAML in UTF-8")
	default:
		s = r.settings(text)
	}
	if err := r.Err("Correct the file; nothing runs with settings that are half understood."); err != nil {
		return work.Settings{}, err
	}
	return s, nil
}

// Init writes the settings file and the card template into the project at dir,
// and returns those that it wrote. What is there stays as it is.
func Init(dir string) (created []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, work.Hide(work.NotFound, err, fmt.Sprintf("folder %q cannot be opened", dir))
	}
	defer root.Close()
	for _, file := range []struct {
		folder, name string
		text         []byte
	}{
		{".offrun", SettingsFile, settingsText()},
		{card.Folder, card.Folder + "/" + card.TemplateName, card.Template("en")},
	} {
		err := root.MkdirAll(file.folder, 0o755)
		if err == nil {
			err = create(root, file.name, file.text)
		}
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return created, work.Hide(work.Unavailable, err, fmt.Sprintf("%s cannot be written", file.name)).
				Do("Check the permissions of the project's folder and the free disk space.")
		default:
			created = append(created, file.name)
		}
	}
	return created, nil
}

// create writes a new file whole or not at all, and never over another one: a
// hard link is refused where a name is taken, while a rename is not.
func create(root *os.Root, name string, text []byte) error {
	if _, err := root.Lstat(name); err == nil {
		return fs.ErrExist
	}
	half := name + ".offrun-new"
	if err := root.WriteFile(half, text, 0o644); err != nil {
		return errors.Join(err, root.Remove(half))
	}
	return errors.Join(root.Link(half, name), root.Remove(half))
}
