// Package memory keeps what is worth knowing beyond one run, as plain files in
// the user's repository that anybody may read, edit, commit and share:
//
//	.offrun/conventions.md             what every agent must know; the user's own
//	.offrun/agents/<agent>/goals.md    that agent's notes, kept from run to run:
//	                       plan.md     what it is after, how it goes about it, and
//	                       dead-ends.md  what it has tried in vain
//
// A turn begins with Place, which brings the notes into the worktree, and Brief,
// which tells of them; it ends with Absorb, which takes back what the agent
// added. Beside each turn lies what it was given and what it added:
//
//	runs/<run>/<attempt>/turns/<n>/memory/placed/<agent>/*.md  added.json
//	                                 foreign.json  refused/
//
// Notes are text of agents. They are shown to the next agent as quoted data, and
// nothing in them can be told from an instruction of Offrun's by mistake. Odd
// files – huge, no text, links – have a notice as their outcome, never an error.
package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"offrun/backend/work"
)

const (
	// Conventions is the file with what every agent must know, relative to the
	// project, as all names here.
	Conventions = ".offrun/conventions.md"

	agents = ".offrun/agents" // holds a folder for each agent
)

// Names are the notes that every agent may keep, without their ".md".
var Names = []string{"goals", "plan", "dead-ends"}

const (
	maxFile  = 256 << 10 // bytes of a file that are brought along, read for a brief, or shown
	maxWhole = 16 << 20  // bytes of a file that new notes can still be merged into
	maxFiles = 16        // notes of one agent
)

// Folder returns the folder of an agent's notes.
func Folder(agent work.AgentID) string { return path.Join(agents, string(agent)) }

// A note is a file of a memory as it was found.
type note struct {
	name   string // relative to the project or worktree, with slashes
	text   string // "" if it could not be taken
	notice string // what is odd about it
	taken  bool
}

// notes reads the notes in folder, those with known names first. What is there
// but is no readable note has only a notice.
func notes(root *os.Root, folder string, most int64) []note {
	dir, err := root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []note{{name: folder, notice: folder + " cannot be read" + reason(err)}}
	}
	defer dir.Close()
	entries, err := dir.ReadDir(256)
	if err != nil && !errors.Is(err, io.EOF) {
		return []note{{name: folder, notice: folder + " cannot be read" + reason(err)}}
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int {
		if r := rank(x.Name()) - rank(y.Name()); r != 0 {
			return r
		}
		return strings.Compare(x.Name(), y.Name())
	})
	var found []note
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case !strings.HasSuffix(e.Name(), ".md"):
			found = append(found, note{name: name, notice: fmt.Sprintf("%q is not a note: notes are files that end in .md", name)})
		case len(found) >= maxFiles:
			return append(found, note{name: folder, notice: fmt.Sprintf("%s holds more than %d files; the others were left alone", folder, maxFiles)})
		default:
			found = append(found, readNote(root, name, most))
		}
	}
	return found
}

// rank puts the known names first, in their order.
func rank(file string) int {
	if i := slices.Index(Names, strings.TrimSuffix(file, ".md")); i >= 0 {
		return i
	}
	return len(Names)
}

// readNote reads one note, if it is a text file of at most most bytes. A larger
// one is read from where most bytes are left: the newest notes stand at the end.
func readNote(root *os.Root, name string, most int64) note {
	n := note{name: name}
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return n
	}
	if err == nil && !info.Mode().IsRegular() {
		what := "not a file"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "a link"
		}
		n.notice = fmt.Sprintf("%s is %s and was not read", name, what)
		return n
	}
	text, size, err := readTail(root, name, most)
	switch {
	case err != nil:
		n.notice = name + " cannot be read" + reason(err)
		return n
	case bytes.IndexByte(text, 0) >= 0:
		n.notice = name + " is not text and was not read"
		return n
	case size > most:
		n.notice = fmt.Sprintf("%s is larger than %d KB; only its end was read", name, most>>10)
	}
	n.text, n.taken = string(text), true
	return n
}

func readTail(root *os.Root, name string, most int64) (text []byte, size int64, err error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if size = info.Size(); size > most {
		if _, err := f.Seek(size-most, io.SeekStart); err != nil {
			return nil, 0, err
		}
	}
	if text, err = io.ReadAll(io.LimitReader(f, most)); err == nil && size > most {
		_, text, _ = bytes.Cut(text, []byte("\n")) // the first line is cut in two
	}
	return text, size, err
}

// reason says why a file cannot be read, without its path.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return ": " + at.Err.Error()
	}
	return ""
}

// put writes a file under root so that whoever reads it sees the old text or the
// new, whole. A link in its place is replaced, not followed.
func put(root *os.Root, name, text string) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	// renameio makes its temporary file at the top of the root it is given.
	dir, err := root.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return renameio.WriteFile(path.Base(name), []byte(text), 0o644, renameio.WithRoot(dir), renameio.WithExistingPermissions())
}
