package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offrun/backend/agent/claude"
	"offrun/backend/artifact"
	"offrun/backend/work"
)

func TestStamps(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	if err := stamp(dir, at); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "1.new"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := stamps(dir)
	if err != nil || len(got) != 1 || !got[0].Equal(at) {
		t.Errorf("stamps = %v, %v; want %v", got, err, at)
	}
}

func TestNumberOf(t *testing.T) {
	for text, want := range map[string]int{spoken(0): 0, spoken(399_999): 399_999, "line x: y": -1, "line 7": -1, "done": -1} {
		if got := numberOf(text); got != want {
			t.Errorf("numberOf(%q) = %d, want %d", text, got, want)
		}
	}
}

// What the writers print is what the decoder of Claude Code reads.
func TestLinesAreClaudes(t *testing.T) {
	l := line{Type: "assistant", Timestamp: "2026-01-02T03:04:05.678Z", Message: message{Content: []block{{Type: "text", Text: spoken(3)}}}}
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	got := claude.Decode(b, false)
	if len(got) != 1 || got[0].Kind != work.Said || numberOf(got[0].Text) != 3 || got[0].At.Year() != 2026 {
		t.Errorf("decoded: %+v", got)
	}
}

func TestHeard(t *testing.T) {
	for _, tt := range []struct {
		name    string
		numbers []int
		want    int
		wrong   string
	}{
		{"all", []int{0, 1, 2}, 3, ""},
		{"one lost", []int{0, 2}, 2, ""},
		{"one repeated", []int{0, 1, 1}, 3, "line 1 after line 1"},
		{"out of order", []int{1, 0}, 2, "line 0 after line 1"},
		{"nothing", nil, 0, ""},
	} {
		text := `{"kind":"began"}` + "\n"
		for _, n := range tt.numbers {
			text += `{"kind":"said","text":"` + spoken(n) + `"}` + "\n"
		}
		path := filepath.Join(t.TempDir(), artifact.Conversation)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		n, err := heard(path)
		if n != tt.want || (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %d, %v; want %d, %q", tt.name, n, err, tt.want, tt.wrong)
		}
	}
}
