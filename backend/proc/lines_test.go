package proc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// seen is a Line that may be kept.
type seen struct {
	Offset, Size int64
	Text         string
	Cut          bool
}

func keep(l Line) seen { return seen{l.Offset, l.Size, string(l.Bytes), l.Cut} }

func TestLines(t *testing.T) {
	const max = 4
	for _, tt := range []struct {
		text string
		want []seen
		rest *seen
	}{
		{"", nil, nil},
		{"a\nbc\n", []seen{{0, 2, "a", false}, {2, 3, "bc", false}}, nil},
		{"a\r\n\n\r\n", []seen{{0, 3, "a", false}, {3, 1, "", false}, {4, 2, "", false}}, nil},
		{"abcd\nabcde\n", []seen{{0, 5, "abcd", false}, {5, 6, "abcd", true}}, nil},
		{"abcd\r\nabcde\r\n", []seen{{0, 6, "abcd", false}, {6, 7, "abcd", true}}, nil},
		{"abcdefgh\nz\n", []seen{{0, 9, "abcd", true}, {9, 2, "z", false}}, nil},
		{"a\nb", []seen{{0, 2, "a", false}}, &seen{2, 1, "b", false}},
		{"abcdefgh", nil, &seen{0, 8, "abcd", true}},
		{"\xff\x00\n", []seen{{0, 3, "\xff\x00", false}}, nil},
	} {
		for name, r := range map[string]io.Reader{
			"whole":        strings.NewReader(tt.text),
			"byte by byte": iotest.OneByteReader(strings.NewReader(tt.text)),
		} {
			var got []seen
			tail := NewTail(r, max)
			for line, err := range tail.Lines() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, keep(line))
			}
			var rest *seen
			if line, ok := tail.Rest(); ok {
				k := keep(line)
				rest = &k
			}
			if diff := cmp.Diff(tt.want, got) + cmp.Diff(tt.rest, rest); diff != "" {
				t.Errorf("%q, %s (-want +got):\n%s", tt.text, name, diff)
			}
		}
	}
}

func TestTailGoesOnWhenTheFileGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tail := NewTail(r, 10)
	for _, step := range []struct {
		grows string
		want  []seen
	}{
		{"on", nil},
		{"e\ntw", []seen{{0, 4, "one", false}}},
		{"", nil},
		{strings.Repeat("x", 200<<10), nil},
		{"\nthree\n", []seen{{4, 2 + 200<<10 + 1, "twxxxxxxxx", true}, {4 + 2 + 200<<10 + 1, 6, "three", false}}},
	} {
		if _, err := w.WriteString(step.grows); err != nil {
			t.Fatal(err)
		}
		var got []seen
		for line, err := range tail.Lines() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, keep(line))
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestLinesStopsAndReportsErrors(t *testing.T) {
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken))
	var texts []string
	var last error
	for line, err := range FinalLines(r, 10) {
		if err != nil {
			last = err
			continue
		}
		texts = append(texts, string(line.Bytes))
	}
	if diff := cmp.Diff([]string{"a", "b"}, texts); diff != "" || !errors.Is(last, broken) {
		t.Errorf("error = %v, lines (-want +got):\n%s", last, diff)
	}

	tail := NewTail(strings.NewReader("a\nb\n"), 10)
	for range tail.Lines() {
		break
	}
	for line := range tail.Lines() {
		if string(line.Bytes) != "b" {
			t.Errorf("after a break comes %q, want b", line.Bytes)
		}
	}
}

// One line of 100 MB takes no more memory than its head, and the line after it
// still counts.
func TestF68NoLineLimit(t *testing.T) {
	const size, max = 100 << 20, 64 << 10
	r := io.MultiReader(io.LimitReader(endless('x'), size), strings.NewReader("\n{\"type\":\"result\"}\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got []seen
	for line, err := range Lines(r, max) {
		if err != nil {
			t.Fatal(err)
		}
		k := keep(line)
		k.Text = k.Text[:4]
		got = append(got, k)
	}
	runtime.ReadMemStats(&after)
	want := []seen{{0, size + 1, "xxxx", true}, {size + 1, 17 + 1, `{"ty`, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("reading took %d bytes of memory", used)
	}
}

// endless is a reader of one byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func FuzzFinalLines(f *testing.F) {
	f.Add([]byte("a\r\nbc\n\nd"), 3)
	f.Add([]byte("\r\r\n"), 0)
	f.Fuzz(func(t *testing.T, text []byte, max int) {
		if max < 0 || max > 1<<20 {
			t.Skip()
		}
		var joined []byte
		for line, err := range FinalLines(bytes.NewReader(text), max) {
			if err != nil {
				t.Fatal(err)
			}
			if line.Offset != int64(len(joined)) || len(line.Bytes) > max {
				t.Fatalf("line at %d with %d bytes, want %d and at most %d", line.Offset, len(line.Bytes), len(joined), max)
			}
			whole := text[line.Offset : line.Offset+line.Size]
			if !bytes.HasPrefix(whole, line.Bytes) || !line.Cut && len(bytes.TrimRight(whole, "\r\n")) > len(line.Bytes) {
				t.Fatalf("%q is shown as %q, cut %v", whole, line.Bytes, line.Cut)
			}
			joined = append(joined, whole...)
		}
		if !bytes.Equal(joined, text) {
			t.Fatalf("lines make %q, want %q", joined, text)
		}
	})
}

func BenchmarkTail(b *testing.B) {
	text := bytes.Repeat([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"one line of an agent"}]}}`+"\n"), 20_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Lines(bytes.NewReader(text), 1<<20) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
