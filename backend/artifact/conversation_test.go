package artifact

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

const talk = `{"kind":"began","session":"s"}
{"kind":"told","text":"do it"}

{"kind":"said","text":"I look.\nThen I write."}
no entry
{"kind":"did","tool":"Edit","path":"src/a.go","text":"old → new"}
{"kind":"did","text":"result of the call","id":"1"}
{"kind":"did","tool":"Bash","text":"go test ./...\n"}
{"kind":"asked","text":"May I?"}
{"kind":"said","te`

func TestEntries(t *testing.T) {
	var got []work.EntryKind
	if err := Entries(strings.NewReader(talk), func(e work.Entry) { got = append(got, e.Kind) }); err != nil {
		t.Fatal(err)
	}
	want := []work.EntryKind{work.Began, work.Told, work.Said, work.Did, work.Did, work.Did, work.Asked}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	broken := errors.New("broken disk")
	if err := Entries(iotest.ErrReader(broken), func(work.Entry) {}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestAction(t *testing.T) {
	for _, tt := range []struct {
		entry work.Entry
		want  string
	}{
		{work.Entry{Kind: work.Said, Text: "\n  Hello \nthere"}, "Hello"},
		{work.Entry{Kind: work.Said, Text: strings.Repeat("长", 99)}, strings.Repeat("长", 32) + "…"},
		{work.Entry{Kind: work.Did, Tool: "Edit", Path: "a.go", Text: "x"}, "Edit a.go"},
		{work.Entry{Kind: work.Did, Tool: "Bash", Text: "go test"}, "Bash go test"},
		{work.Entry{Kind: work.Did, Text: "a result"}, ""},
		{work.Entry{Kind: work.Asked, Text: "May I?"}, "asks: May I?"},
		{work.Entry{Kind: work.Retried, Text: "overloaded"}, "waits and tries again: overloaded"},
		{work.Entry{Kind: work.Spent}, ""},
	} {
		got := Action(tt.entry, nil)
		if got != tt.want || len(got) > maxAction || !utf8.ValidString(got) {
			t.Errorf("Action(%+v) = %q, want %q", tt.entry, got, tt.want)
		}
	}
}

func TestTranscript(t *testing.T) {
	path := filepath.Join(t.TempDir(), Conversation)
	if got, err := Transcript(path, 1000, nil); got != "" || err != nil {
		t.Errorf("of no file: %q, %v", got, err)
	}
	put(t, path, talk)
	whole := "User: do it\nAgent: I look.\nThen I write.\n(Edit src/a.go)\n(Bash go test ./...)\nAgent asked: May I?\n"
	for _, tt := range []struct {
		size int
		want string
	}{
		{1000, whole},
		{len(whole), whole},
		{len(whole) - 1, strings.TrimPrefix(whole, "User: do it\n")},
		{25, "Agent asked: May I?\n"},
		{10, "ed: May I?\n"[1:]},
	} {
		got, err := Transcript(path, tt.size, nil)
		if d := cmp.Diff(tt.want, got); err != nil || d != "" {
			t.Errorf("%d bytes: %v (-want +got):\n%s", tt.size, err, d)
		}
	}
}

// F131, S24: a secret that an agent printed does not reach the next agent, and
// stays in the raw log, which is private.
func TestF131Transcript(t *testing.T) {
	const canary = "sk-ant-" + "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFi" // in two, so that no scanner takes it for a leak
	path := filepath.Join(t.TempDir(), Conversation)
	put(t, path, `{"kind":"said","text":"the key is `+canary+`"}`+"\n")
	got, err := Transcript(path, 1000, nil)
	if err != nil || got != "Agent: the key is [redacted: anthropic key]\n" {
		t.Errorf("transcript %q, %v", got, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), canary) {
		t.Errorf("the file itself was changed: %s, %v", raw, err)
	}
}
