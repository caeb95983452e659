package compare

import (
	"io"
	"path"
	"strings"

	"offrun/backend/diff"
)

// Noise counts the changed lines of a patch that nobody needs to read. A line
// counts once: as part of a lock file, else of a generated file, else as
// formatting. Binary files have no lines.
type Noise struct {
	Changed    int // lines, all of them
	Lock       int // in files that a package manager writes: lockFiles
	Generated  int // in files that a program writes: generatedPaths, generatedMark
	Formatting int // white space, and what a formatter may change in that language: syntaxes
}

// Share returns the part of the changed lines that is noise, from 0 to 1.
func (n Noise) Share() float64 {
	if n.Changed == 0 {
		return 0
	}
	return float64(n.Lock+n.Generated+n.Formatting) / float64(n.Changed)
}

// Count reads a patch of git and counts the noise in it. heads may hold the
// first lines of changed files as they were before, by path; where a file has
// none, only a generated file's mark that the patch itself shows is seen.
func Count(patch io.Reader, heads map[string]string) (Noise, error) {
	var n Noise
	lock, generated := Guard(lockFiles...), Guard(generatedPaths...)
	for f, err := range diff.Each(patch) {
		if err != nil {
			return Noise{}, err
		}
		lines := changedLines(&f)
		n.Changed += lines
		switch {
		case lock.Match(f.Path):
			n.Lock += lines
		case generated.Match(f.Path) || markedGenerated(&f, heads[f.Path]):
			n.Generated += lines
		default:
			syn := syntaxOf(f.Path)
			for i := range f.Hunks {
				n.Formatting += f.Hunks[i].Formatting(syn)
			}
		}
	}
	return n, nil
}

func changedLines(f *diff.File) int {
	n := 0
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			if f.Hunks[i].Lines[j].Op != diff.Context {
				n++
			}
		}
	}
	return n
}

// markedGenerated reports whether one of the first lines of f says that a program
// wrote it. In a file that was there before, the lines before the change count:
// a mark that came with the change proves nothing.
func markedGenerated(f *diff.File, head string) bool {
	if f.Status != "added" && isMark(firstLines(head)) {
		return true
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			number := l.Old
			if f.Status == "added" {
				number = l.New
			}
			if number > 0 && number <= markWithin && isMark(l.Text) {
				return true
			}
		}
	}
	return false
}

// isMark asks the slow expression only about text that has the one word which all
// marks share.
func isMark(text string) bool {
	return strings.Contains(strings.ToLower(text), "generated") && generatedMark().MatchString(text)
}

func firstLines(head string) string {
	lines := strings.SplitN(head, "\n", markWithin+1)
	return strings.Join(lines[:min(len(lines), markWithin)], "\n")
}

// syntaxOf returns what a formatter may change in a file called name.
func syntaxOf(name string) diff.Syntax {
	base := strings.ToLower(path.Base(name))
	for _, s := range syntaxes {
		for end := range strings.FieldsSeq(s.files) {
			if base == end || strings.HasPrefix(end, ".") && strings.HasSuffix(base, end) {
				return s.syntax
			}
		}
	}
	return diff.Syntax{}
}
