// Package diff reads patches as git writes them, finds what changed within a
// line, and tells a change of formatting from one of content.
//
// It works on the bytes of a patch and on nothing else: no repository, no
// files, no clock. The same patch always gives the same answer.
package diff

// A File is what a patch does to one file. A file that turns into another type,
// such as a symlink, comes as two of them for one path: deleted, then added.
type File struct {
	Path    string // after the change; of a deleted file, before it
	From    string // path before a rename or copy
	Status  string // as in work.Change: added, changed, deleted, renamed, copied
	OldMode string // "100644"; "" where there is no file, or where the patch does not say
	NewMode string
	Old     string // blob ids, as long as the patch has them
	New     string
	Binary  bool   // its content is not in Hunks
	Hunks   []Hunk // none if only name or mode changed
}

// A Hunk is a piece of a file with changed lines and a few around them.
type Hunk struct {
	OldStart, OldLines int // from 1; a start of 0 is an empty side
	NewStart, NewLines int
	Section            string // the function or heading that git found above it
	Lines              []Line
}

// A Line is one line of a hunk.
type Line struct {
	Op    Op
	Text  string // the bytes without the newline: any encoding, a final \r kept
	Old   int    // line number before, 0 for an added line
	New   int    // line number after, 0 for a deleted line
	NoEOL bool   // the file ends here without a newline
	Marks []Span // what differs from its partner; see Hunk.Mark
}

// Op is the sign in front of a line.
type Op byte

// The signs, as they stand in a patch.
const (
	Context Op = ' '
	Deleted Op = '-'
	Added   Op = '+'
)

// A Span is a part of a line's Text, in bytes: Text[Start:End].
type Span struct{ Start, End int }

// runs calls do with every run of changed lines of h: the deleted ones and the
// added ones between two context lines. The slices are parts of h.Lines.
func (h *Hunk) runs(do func(deleted, added []Line)) {
	for at := 0; at < len(h.Lines); {
		if h.Lines[at].Op == Context {
			at++
			continue
		}
		// git writes the deleted lines of a run first. Other programs may mix
		// them; such a run is taken in several pieces.
		start := at
		for at < len(h.Lines) && h.Lines[at].Op == Deleted {
			at++
		}
		mid := at
		for at < len(h.Lines) && h.Lines[at].Op == Added {
			at++
		}
		do(h.Lines[start:mid], h.Lines[mid:at])
	}
}
