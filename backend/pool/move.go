package pool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// Move makes the conversation session, that a program held in cwd with the login
// whose folder is from, known in the folder to: its files are copied to the same
// places there. It may be called again after it was interrupted. It returns the
// paths of the copies, for Holds; none means that the conversation cannot be moved
// this way, and has to travel as text.
//
// No file but those of the conversation is opened (F79).
func Move(ac *agent.Accounts, from, to, session, cwd string) ([]string, error) {
	files, err := transcript(ac, from, session, cwd)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	var copies []string
	for _, name := range files {
		if !filepath.IsLocal(name) {
			return nil, work.Errorf(work.Internal, "the conversation file %q lies outside of %s", name, from)
		}
		b, err := source.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("copy the conversation: %w", err)
		}
		copied := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			return nil, err
		}
		if err := renameio.WriteFile(copied, b, 0o600); err != nil {
			return nil, fmt.Errorf("copy the conversation: %w", err)
		}
		copies = append(copies, copied)
	}
	return copies, nil
}

// Transcript returns the paths of the files that hold a conversation; none if
// nothing tells.
func Transcript(ac *agent.Accounts, home, session, cwd string) ([]string, error) {
	files, err := transcript(ac, home, session, cwd)
	for i := range files {
		files[i] = filepath.Join(home, files[i])
	}
	return files, err
}

func transcript(ac *agent.Accounts, home, session, cwd string) ([]string, error) {
	if ac == nil || ac.Transcript == nil || session == "" {
		return nil, nil
	}
	files, err := ac.Transcript(home, session, cwd)
	if code := work.CodeOf(err); errors.Is(err, fs.ErrNotExist) || code == work.NotFound || code == work.Invalid {
		return nil, nil // the program keeps none, or has tidied up
	}
	if err != nil {
		return nil, fmt.Errorf("find the conversation: %w", err)
	}
	return files, nil
}

// Holds reports whether one of the files of a conversation holds message: then
// the message need not be sent again, only answered.
func Holds(files []string, message string) bool {
	quoted, err := json.Marshal(message)
	if err != nil || message == "" {
		return false
	}
	var plain bytes.Buffer // as programs that leave <, > and & alone write it
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if enc.Encode(message) != nil {
		return false
	}
	inner := bytes.Trim(bytes.TrimSpace(plain.Bytes()), `"`)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err == nil && (bytes.Contains(b, inner) || bytes.Contains(b, bytes.Trim(quoted, `"`))) {
			return true
		}
	}
	return false
}
