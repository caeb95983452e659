package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"offrun/backend/archive"
	"offrun/backend/work"
)

// What is read of an agent's settings: more is no settings file.
const (
	maxSettings = 4 << 20 // bytes of one file
	maxHooks    = 500     // files of one folder
)

// watchSettings says which of the settings that the run's agents take from their
// users' own folders have changed since the last run that used them: a place where
// malicious software likes to stay (S22). It changes nothing but its memory, and
// never fails a run.
func (b *Bench) watchSettings(run work.Run) []string {
	b.settings.Lock()
	defer b.settings.Unlock()
	path := filepath.Join(b.Home, "agent-settings.json")
	known := map[string]string{} // file or folder → hash
	if err := archive.Load(path, &known); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.Log.Error("what agents' settings were is forgotten", "err", err)
	}
	var warnings []string
	fresh := false
	for file := range b.settingsFiles(run) {
		now, was := hashOfSettings(file), known[file]
		if now == was {
			continue
		}
		if was != "" {
			warnings = append(warnings, fmt.Sprintf("%s has changed since the last run; agents may start programs that it names", file))
		}
		known[file], fresh = now, true
	}
	if fresh {
		if err := archive.Put(path, known); err != nil {
			b.Log.Error("agents' settings not noted", "err", err)
		}
	}
	slices.Sort(warnings)
	return warnings
}

// settingsFiles are the settings of all logins that the run may use.
func (b *Bench) settingsFiles(run work.Run) map[string]bool {
	files := map[string]bool{}
	for _, a := range run.Attempts {
		ag, err := b.agentOf(run, a.Agent)
		if err != nil || ag.Accounts == nil {
			continue
		}
		for _, account := range b.pool.Accounts(ag.ID) {
			for _, name := range ag.Accounts.Settings {
				files[filepath.Join(b.accountHome(run.Settings, ag, account), name)] = true
			}
		}
	}
	return files
}

// hashOfSettings stands for what a file, or all files of a folder, hold.
func hashOfSettings(top string) string {
	h := sha256.New()
	n := 0
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n > maxHooks {
			return fs.SkipAll
		}
		info, err := os.Stat(path) // what a link leads to is what will run
		if err != nil || !info.Mode().IsRegular() {
			fmt.Fprintf(h, "%s %v\n", path, d.Type())
			return nil
		}
		fmt.Fprintf(h, "%s %o %d\n", path, info.Mode().Perm(), info.Size())
		if info.Size() > maxSettings {
			return nil
		}
		text, err := os.ReadFile(path)
		h.Write(text)
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "absent"
	case err != nil:
		return "unreadable"
	}
	return hex.EncodeToString(h.Sum(nil))
}
