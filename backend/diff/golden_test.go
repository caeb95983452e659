package diff

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// Each patch in testdata is read, marked and written out again for people.
func TestGolden(t *testing.T) {
	patches, err := filepath.Glob("testdata/*.patch")
	if err != nil || len(patches) == 0 {
		t.Fatal(patches, err)
	}
	for _, name := range patches {
		patch, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Parse(bytes.NewReader(patch))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := show(files)
		golden := strings.TrimSuffix(name, ".patch") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// show writes files with line numbers, marks in ⟦⟧, and the number of changed
// lines that are only formatting for files nobody knows.
func show(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %q", f.Status, f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " from %q", f.From)
		}
		if f.Binary {
			b.WriteString(" binary")
		}
		fmt.Fprintf(&b, " %s→%s %.7s→%.7s\n", f.OldMode, f.NewMode, f.Old, f.New)
		for i := range f.Hunks {
			h := &f.Hunks[i]
			h.Mark()
			fmt.Fprintf(&b, "  %d,%d → %d,%d %q, formatting %d\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section, h.Formatting(Syntax{}))
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "  %4d %4d %c%s", l.Old, l.New, l.Op, marked(l))
				if l.NoEOL {
					b.WriteString("⏎̸")
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

func marked(l Line) string {
	var b strings.Builder
	at := 0
	for _, m := range l.Marks {
		b.WriteString(l.Text[at:m.Start] + "⟦" + l.Text[m.Start:m.End] + "⟧")
		at = m.End
	}
	quoted := fmt.Sprintf("%q", b.String()+l.Text[at:])
	return quoted[1 : len(quoted)-1]
}
