package conversation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/agent"
	"offrun/backend/artifact"
	"offrun/backend/work"
)

// echo says each line of output, and notes each line of standard error.
var echo = agent.Agent{ID: "echo", Decode: func(line []byte, stderr bool) []work.Entry {
	kind := work.Said
	if stderr {
		kind = work.Noted
	}
	return []work.Entry{{Kind: kind, Text: string(line)}}
}}

func open(t *testing.T, dir string) *Reader {
	t.Helper()
	r, err := Open(dir, echo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// texts returns what the conversation on disk says, with the offsets it came from.
func texts(t *testing.T, dir string) (all []string, offsets []int64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, artifact.Conversation))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var e work.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all, offsets = append(all, e.Text), append(offsets, e.Log)
	}
	return all, offsets
}

func pump(t *testing.T, r *Reader, final bool) {
	t.Helper()
	if err := r.Pump(final); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, r *Reader) {
	t.Helper()
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
}

// A reader that is killed is followed by one that goes on: what was read after
// the last save is read again, what was read before is not.
func TestGoesOnAfterAKill(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	pump(t, r, false) // nothing is there yet
	write(t, dir, artifact.Log, "one\ntw")
	write(t, dir, artifact.ErrLog, "oops\n")
	pump(t, r, false)
	save(t, r)
	write(t, dir, artifact.Log, "o\nthree\n")
	pump(t, r, false)
	if err := r.conv.Flush(); err != nil { // the kill comes between flush and save
		t.Fatal(err)
	}

	r = open(t, dir)
	if r.Facts.Said != "one" {
		t.Errorf("facts of the first reader are lost: %+v", r.Facts)
	}
	write(t, dir, artifact.Log, "four")
	pump(t, r, false)
	pump(t, r, true)
	save(t, r)
	got, offsets := texts(t, dir)
	if diff := cmp.Diff([]string{"one", "oops", "two", "three", "four"}, got); diff != "" {
		t.Errorf("conversation (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{0, 0, 4, 8, 14}, offsets); diff != "" {
		t.Errorf("offsets (-want +got):\n%s", diff)
	}
}

// F68: a line without end is kept on disk and shown cut; the next one counts.
func TestF68LongLine(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, artifact.Log, strings.Repeat("x", maxLine+100)+"\nnext\n")
	r := open(t, dir)
	pump(t, r, true)
	save(t, r)
	got, offsets := texts(t, dir)
	if len(got) != 2 || !strings.Contains(got[0], "too long to show") || got[1] != "next" || offsets[1] != maxLine+101 {
		t.Errorf("conversation %.200q at %v", got, offsets)
	}
}

func TestJudgeReadsTheEnd(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	write(t, dir, artifact.Log, "no newline at the end")
	v, err := r.Judge(work.Exit{Reason: work.Exited, Code: 3, StartedAt: time.Now(), EndedAt: time.Now()})
	if err != nil || v.Class != work.ClassFailed {
		t.Errorf("verdict %+v, %v", v, err)
	}
	if got, _ := texts(t, dir); len(got) != 1 {
		t.Errorf("conversation %q", got)
	}
}

func BenchmarkPump(b *testing.B) {
	line := `{"type":"assistant","message":{"content":[{"text":"I will create hello.txt.","type":"text"}]}}` + "\n"
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, artifact.Log), []byte(strings.Repeat(line, 20000)), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := os.Remove(filepath.Join(dir, "read.json")); err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
		r, err := Open(dir, echo)
		if err == nil {
			err = r.Pump(true)
		}
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
	b.SetBytes(int64(20000 * len(line)))
}
