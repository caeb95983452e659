package diff

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Whatever a patch holds, reading it ends with files or an error, marks lie
// within their lines, and no more lines are formatting than have changed.
func FuzzParse(f *testing.F) {
	seed, err := os.ReadFile("testdata/mixed.patch")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	for part := range bytes.SplitAfterSeq(seed, []byte("\n@@")) {
		f.Add(part)
	}
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-é\xff\n-\u200d'\"\n+\ufffd\n\\ No newline at end of file\n"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		files, err := Parse(bytes.NewReader(patch))
		if err != nil && files != nil {
			t.Fatalf("%d files and %v", len(files), err)
		}
		for _, file := range files {
			for i := range file.Hunks {
				checkHunk(t, &file.Hunks[i])
			}
		}
	})
}

func checkHunk(t *testing.T, h *Hunk) {
	h.Mark()
	changed := 0
	for _, l := range h.Lines {
		if l.Op != Context {
			changed++
		}
		end := 0
		for _, m := range l.Marks {
			if m.Start < end || m.End <= m.Start || m.End > len(l.Text) {
				t.Fatalf("marks %v in %q", l.Marks, l.Text)
			}
			end = m.End
		}
	}
	for _, syn := range []Syntax{{}, {Indent: true}, {Tokens: true}, {Tokens: true, Free: true},
		{Tokens: true, Indent: true, Quotes: true, Semicolons: true, Commas: true, Comments: []string{"//", "#"}}} {
		if n := h.Formatting(syn); n < 0 || n > changed {
			t.Fatalf("%d of %d changed lines are formatting", n, changed)
		}
	}
}

// Marks leave the same text on both sides, and joined tokens are the line.
func FuzzMark(f *testing.F) {
	f.Add("the quick brown fox", "the slow brown fox")
	f.Add("caf\xe9 au lait", "caf\xe8 au lait")
	f.Add("👨‍👩‍👧 a e\u0301 🇩🇪🇫🇷", "👨‍👩‍👦 a é 🇩🇪🇮🇹")
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, s := range []string{before, after} {
			if got := strings.Join(tokens(s), ""); got != s {
				t.Fatalf("tokens of %q make %q", s, got)
			}
		}
		if len(before) > maxMarked || len(after) > maxMarked {
			return
		}
		a, b := marks(before, after)
		if a == nil && b == nil {
			return
		}
		same := func(s string, spans []Span) string {
			at, out := 0, ""
			for _, m := range spans {
				out += s[at:m.Start]
				at = m.End
			}
			return strings.Join(strings.Fields(out+s[at:]), "")
		}
		if x, y := same(before, a), same(after, b); x != y {
			t.Fatalf("unmarked %q and %q", x, y)
		}
	})
}

func bigPatch(files int) []byte {
	var b bytes.Buffer
	for i := range files {
		fmt.Fprintf(&b, "diff --git a/dir/f%d.go b/dir/f%[1]d.go\nindex 1111111..2222222 100644\n--- a/dir/f%[1]d.go\n+++ b/dir/f%[1]d.go\n@@ -10,16 +10,16 @@ func f() {\n", i)
		for n := range 3 {
			fmt.Fprintf(&b, " \tcontext line %d\n", n)
		}
		for n := range 10 {
			fmt.Fprintf(&b, "-\told := call(%d, \"a text\", other)\n", n)
		}
		for n := range 10 {
			fmt.Fprintf(&b, "+\t\tnew  := call(%d, \"a text\", other%d)\n", n, n%2)
		}
		for n := range 3 {
			fmt.Fprintf(&b, " \tcontext line %d\n", n)
		}
	}
	return b.Bytes()
}

func BenchmarkParse2000Files(b *testing.B) {
	patch := bigPatch(2000)
	b.SetBytes(int64(len(patch)))
	for b.Loop() {
		for _, err := range Each(bytes.NewReader(patch)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkMark2000Files(b *testing.B) {
	files, err := Parse(bytes.NewReader(bigPatch(2000)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range files {
			files[i].Hunks[0].Mark()
		}
	}
}

func BenchmarkFormatting2000Files(b *testing.B) {
	files, err := Parse(bytes.NewReader(bigPatch(2000)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range files {
			files[i].Hunks[0].Formatting(Syntax{Tokens: true, Commas: true})
		}
	}
}
