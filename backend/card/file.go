package card

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"offrun/backend/work"
)

// Folder is where a project keeps its cards.
const Folder = "tasks"

// maxSize is the largest file that is read as a card, in bytes. A card is a page
// that a person wrote.
const maxSize = 1 << 20

// Load reads the card called name in the project at dir: a file relative to dir,
// an absolute one within it, or a card of tasks/ by its id or file name. Files
// outside of the project are not read, not even through a symbolic link.
func Load(dir, name string) (work.Card, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return work.Card{}, work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", dir))
	}
	defer root.Close()
	file, err := locate(root, dir, name)
	if err != nil {
		return work.Card{}, err
	}
	return load(root, file)
}

// locate returns the slash path of the card called name.
func locate(root *os.Root, dir, name string) (string, error) {
	if filepath.IsAbs(name) {
		rel, ok := within(dir, name)
		if !ok {
			return "", work.Errorf(work.Invalid, "card %q lies outside of the project %s", name, dir).
				Do("Copy it into tasks/.")
		}
		name = rel
	}
	file := path.Clean(filepath.ToSlash(name))
	tries := []string{file}
	if !strings.Contains(file, "/") {
		tries = append(tries, Folder+"/"+file, Folder+"/"+file+".md")
	}
	for _, try := range tries {
		if _, err := root.Stat(try); !errors.Is(err, fs.ErrNotExist) {
			return try, nil
		}
	}
	for _, try := range files(root) {
		if idOf(try) == work.CardID(name) {
			return try, nil
		}
	}
	return "", work.Errorf(work.NotFound, "card %q is not there", name).
		Do("See the cards with offrun card list, or make one with offrun card new.")
}

// within returns the path of the absolute name relative to dir, also where one of
// them is written through a symbolic link, as /tmp is on a Mac.
func within(dir, name string) (string, bool) {
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return rel, true
	}
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(realDir, filepath.Join(parent, filepath.Base(name)))
	return rel, err == nil && filepath.IsLocal(rel)
}

func load(root *os.Root, file string) (work.Card, error) {
	text, err := readFile(root, file)
	if err != nil {
		return work.Card{}, err
	}
	c := Parse(file, text)
	if strings.TrimSpace(strings.TrimPrefix(read(c.Text).body(), bom)) == "" {
		return work.Card{}, work.Errorf(work.Invalid, "card %s is empty", file).
			Do("Write what is to be done; offrun card new starts from the template.")
	}
	return c, nil
}

// readFile reads a file that may be a card: regular, small, UTF-8.
func readFile(root *os.Root, file string) ([]byte, error) {
	info, err := root.Stat(file)
	switch {
	case err != nil:
		return nil, work.Hide(work.Invalid, err, fmt.Sprintf("card %s cannot be read", file)).
			Do("Check its permissions, and that it is no link out of the project.")
	case !info.Mode().IsRegular():
		return nil, work.Errorf(work.Invalid, "card %s is not a file", file).Do("Name a Markdown file, such as tasks/login.md.")
	case info.Size() > maxSize:
		return nil, tooLarge(file, info.Size())
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, work.Hide(work.Invalid, err, fmt.Sprintf("card %s cannot be read", file)).Do("Check its permissions.")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		return nil, work.Hide(work.Unavailable, err, fmt.Sprintf("card %s cannot be read", file))
	case len(text) > maxSize:
		return nil, tooLarge(file, int64(len(text)))
	case bytes.IndexByte(text, 0) >= 0:
		return nil, work.Errorf(work.Invalid, "card %s is not text: it has null bytes", file).Do("Save it as UTF-8 text.")
	case !utf8.Valid(text):
		return nil, work.Errorf(work.Invalid, "card %s is not UTF-8 text", file).Do("Save it as UTF-8.")
	}
	return text, nil
}

func tooLarge(file string, size int64) error {
	return work.Errorf(work.Invalid, "card %s is too large: %.1f MB; at most 1 MB is read", file, float64(size)/(1<<20)).
		Do("Keep the card short and name long material as files in the project.")
}

// List reads the cards of tasks/, its folders included, in the order of their
// file names. Names that begin with a dot or an underscore are not cards. The
// errors are about the files that could not be read, and about cards that share
// an id; the other cards are returned all the same. No tasks/ means no cards.
func List(dir string) ([]work.Card, []error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, []error{work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", dir))}
	}
	defer root.Close()
	var cards []work.Card
	var bad []error
	first := map[work.CardID]string{}
	for _, file := range files(root) {
		c, err := load(root, file)
		switch other, taken := first[c.ID]; {
		case err != nil:
			bad = append(bad, err)
		case taken:
			bad = append(bad, work.Errorf(work.Conflict, "cards %s and %s have the same id %s", other, file, c.ID).
				Do("Rename one of them."))
		default:
			first[c.ID] = file
			cards = append(cards, c)
		}
	}
	return cards, bad
}

// files returns the slash paths of the Markdown files in tasks/.
func files(root *os.Root) []string {
	var found []string
	// An error is a folder that cannot be listed: its cards are as good as not there.
	_ = fs.WalkDir(root.FS(), Folder, func(file string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(path.Base(file), ".") || strings.HasPrefix(path.Base(file), "_")
		switch {
		case err != nil:
			return fs.SkipDir
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case !entry.IsDir() && !hidden && strings.EqualFold(path.Ext(file), ".md"):
			found = append(found, file)
		}
		return nil
	})
	slices.Sort(found)
	return found
}

// New writes a card with the title into tasks/, and returns its slash path. It
// starts from the project's tasks/_template.md; without one, from Template in the
// title's language. A file that is there is never overwritten.
func New(dir, title, kind string) (string, error) {
	m := matter{}
	if m.setKind(kind); kind != "" && m.kind == "" {
		return "", work.Errorf(work.Invalid, "kind %q is not known; allowed: %s", kind, strings.Join(kinds, ", "))
	}
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return "", work.Errorf(work.Invalid, "a card needs a title")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", work.Hide(work.NotFound, err, fmt.Sprintf("project folder %q cannot be opened", dir))
	}
	defer root.Close()
	text, err := draft(root, title, m.kind)
	if err != nil {
		return "", err
	}
	if err := root.MkdirAll(Folder, 0o755); err != nil {
		return "", work.Hide(work.Unavailable, err, "folder tasks/ cannot be made").Do("Check its permissions.")
	}
	return create(root, Slug(title), text)
}

// draft returns the text of a new card.
func draft(root *os.Root, title, kind string) ([]byte, error) {
	text, err := readFile(root, Folder+"/"+TemplateName)
	if _, missing := root.Stat(Folder + "/" + TemplateName); errors.Is(missing, fs.ErrNotExist) {
		text, err = Template(languageOf(title)), nil
	}
	if err != nil {
		return nil, err
	}
	if text, err = Replace(text, Title, title); err != nil {
		return nil, err
	}
	if kind != "" {
		text = withKind(text, kind)
	}
	return text, nil
}

// create writes text to a new file called after id, with -2, -3 … where one is
// there.
func create(root *os.Root, id work.CardID, text []byte) (string, error) {
	for n := 1; ; n++ {
		file := fmt.Sprintf("%s/%s.md", Folder, id)
		if n > 1 {
			file = fmt.Sprintf("%s/%s-%d.md", Folder, id, n)
		}
		f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", work.Hide(work.Unavailable, err, fmt.Sprintf("card %s cannot be written", file)).Do("Check the permissions of tasks/.")
		}
		_, err = f.Write(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", work.Hide(work.Unavailable, err, fmt.Sprintf("card %s cannot be written", file)).Do("Free some disk space.")
		}
		return file, nil
	}
}
