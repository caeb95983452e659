package memory

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"offrun/backend/work"
)

var (
	agentID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
)

// File returns the file that agent and name mean: without an agent the
// conventions, with one of its notes; "" is dead-ends. The error is work.Invalid.
func File(agent work.AgentID, name string) (string, error) {
	name = strings.TrimSuffix(name, ".md")
	switch {
	case agent == "" && (name == "" || name == "conventions"):
		return Conventions, nil
	case agent == "":
		return "", work.Errorf(work.Invalid, "whose %s is not said", name).Do("Name the agent; without one, notes go into " + Conventions + ".")
	case !agentID.MatchString(string(agent)):
		return "", work.Errorf(work.Invalid, "%q is not the id of an agent", agent).Do("offrun agents list names them.")
	case name == "conventions":
		return "", work.Errorf(work.Invalid, "conventions are for every agent").Do("Leave out the agent.")
	case name == "":
		name = "dead-ends"
	case !slices.Contains(Names, name):
		return "", work.Errorf(work.Invalid, "%q cannot be the name of a note", name).Do("Use one of: " + strings.Join(Names, ", ") + ".")
	}
	return path.Join(Folder(agent), name+".md"), nil
}

// Agents returns the agents that have notes in the project at root.
func Agents(root string) ([]work.AgentID, error) {
	r, err := openProject(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	entries, err := fs.ReadDir(r.FS(), agents)
	if err != nil {
		return nil, nil // there are none, or a link leads out of the project
	}
	var ids []work.AgentID
	for _, e := range entries {
		if agentID.MatchString(e.Name()) {
			ids = append(ids, work.AgentID(e.Name()))
		}
	}
	return ids, nil
}

func openProject(root string) (*os.Root, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", root))
	}
	return r, nil
}

// Files returns the conventions and the notes of an agent, or of all if agent is
// "", with what is known of who wrote them.
func Files(root string, agent work.AgentID) ([]work.MemoryFile, error) {
	ids := []work.AgentID{agent}
	if agent == "" {
		var err error
		if ids, err = Agents(root); err != nil {
			return nil, err
		}
	} else if _, err := File(agent, ""); err != nil {
		return nil, err
	}
	r, err := openProject(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	files := []work.MemoryFile{}
	if n := readNote(r, Conventions, maxFile); n.taken || n.notice != "" {
		files = append(files, work.MemoryFile{File: n.name, Text: n.text, Notice: n.notice})
	}
	known := records(root)
	for _, id := range ids {
		for _, n := range notes(r, Folder(id), maxFile) {
			files = append(files, work.MemoryFile{File: n.name, Agent: id, Text: n.text, Notice: n.notice, Written: written(n, known)})
		}
	}
	return files, nil
}

// written finds the lines of a note that a turn is known to have added. Of
// several that did, the first counts.
func written(n note, known []added) []work.Written {
	from := map[string]int{} // key → index in known
	for i := range slices.Backward(known) {
		for _, raw := range known[i].Files[n.name] {
			for _, l := range parse(raw) {
				from[l.key] = i
			}
		}
	}
	if len(from) == 0 {
		return nil
	}
	lines := map[int][]int{}
	number := 1
	for _, l := range parse(n.text) {
		next := number + strings.Count(l.raw, "\n") + 1
		if i, ok := from[l.key]; ok && !l.blank() {
			for ; number < next; number++ {
				lines[i] = append(lines[i], number)
			}
		}
		number = next
	}
	var all []work.Written
	for i, a := range known {
		if len(lines[i]) > 0 {
			all = append(all, work.Written{Run: a.Run, Attempt: a.Attempt, Turn: a.Turn, At: a.At, Lines: lines[i]})
		}
	}
	return all
}

// Search returns the lines that hold every one of words, in any case and as part
// of other words, which is how Chinese is found. Of a file of more than 16 MB only the end is
// read, and its lines are counted from there.
func Search(root string, words []string) ([]work.MemoryHit, error) {
	want := strings.Fields(strings.ToLower(strings.Join(words, " ")))
	if len(want) == 0 {
		return nil, work.Errorf(work.Invalid, "there is nothing to search for").Do("Name a word or several; lines with all of them are found.")
	}
	files, err := Files(root, "")
	if err != nil {
		return nil, err
	}
	r, err := openProject(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	hits := []work.MemoryHit{}
	for _, f := range files {
		if n := readNote(r, f.File, maxWhole); f.Text != "" && n.taken { // from its beginning, so that lines have their numbers
			f.Text = n.text
		}
		number := 0
		for raw := range strings.Lines(f.Text) {
			number++
			low := strings.ToLower(raw)
			if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(low, w) }) {
				hits = append(hits, work.MemoryHit{File: f.File, Agent: f.Agent, Line: number, Text: strings.TrimRight(raw, "\r\n")})
			}
		}
	}
	return hits, nil
}

// Add adds a line to the end of a file, which it makes if need be, as a list item
// unless it is Markdown of another kind. A line that is there already is not
// added again. lock is the file that writers hold.
func Add(ctx context.Context, root, lock, file, text string) error {
	text, _ = clean(file, strings.TrimSpace(text)) // a person sees what they wrote
	if text == "" {
		return work.Errorf(work.Invalid, "the note is empty").Do("Say what agents should know.")
	}
	if !strings.Contains(text, "\n") && !listed(newLine(text)) && !strings.ContainsAny(text[:1], "#>|`") {
		text = "- " + text
	}
	return change(ctx, root, lock, file, func(now string) string {
		was := parse(now)
		theirs := append(slices.Clip(was), parse(text)...)
		adopt(theirs)
		return merge(was, now, theirs, additions(was, theirs))
	})
}

// Edit makes after of a file that read before when somebody began to edit it.
// What agents have added to it meanwhile stays.
func Edit(ctx context.Context, root, lock, file, before, after string) error {
	if after != "" && !strings.HasSuffix(after, "\n") {
		after += "\n"
	}
	return change(ctx, root, lock, file, func(now string) string {
		if now == before {
			return after
		}
		was, theirs := parse(before), parse(now)
		return merge(was, after, theirs, additions(was, theirs))
	})
}

// change writes a file of the project anew, under the lock.
func change(ctx context.Context, root, lock, file string, do func(now string) string) error {
	r, err := openProject(root)
	if err != nil {
		return err
	}
	defer r.Close()
	held, err := Lock(ctx, lock)
	if err != nil {
		return err
	}
	defer held.Close()
	n := readNote(r, file, maxFile)
	if n.notice == "" && !utf8.ValidString(n.text) {
		n.notice = file + " is not UTF-8"
	}
	if n.notice != "" {
		return work.Errorf(work.Conflict, "%s: it was left alone", n.notice).Do("Mend the file yourself; it is plain text.")
	}
	next := do(n.text)
	if next == n.text {
		return nil
	}
	if err := put(r, file, next); err != nil {
		return work.Hide(work.Unavailable, err, file+" cannot be written").Do("Check its permissions, that no link leads out of the project, and the free disk space.")
	}
	return nil
}
