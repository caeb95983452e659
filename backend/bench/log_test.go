package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/work"
)

func TestReadLogRefusesNonsense(t *testing.T) {
	for _, q := range []LogQuery{{File: "diff"}, {File: "../attempt.json"}, {Turn: -1}, {From: -1}} {
		if _, err := new(Bench).ReadLog(t.Context(), "last", "claude", q); work.CodeOf(err) != work.Invalid {
			t.Errorf("%+v: %v, want invalid", q, err)
		}
	}
}

func TestReadPieceGivesWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat("x", pageSize+10)
	for _, tt := range []struct {
		text  string
		from  int64
		ended bool
		want  string
		more  bool
	}{
		{"one\ntwo\n", 0, false, "one\ntwo\n", false},
		{"one\ntw", 0, false, "one\n", false}, // its other half comes
		{"one\ntw", 4, false, "", false},
		{"one\ntw", 4, true, "tw", false},
		{"one\ntw", 99, true, "", false},
		{"one\n" + long, 0, true, "one\n", true},
		{long, 0, true, long[:pageSize], true},
		{long, pageSize, true, long[pageSize:], false},
	} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, more, err := readPiece(path, tt.from, tt.ended)
		if err != nil || string(got) != tt.want || more != tt.more {
			t.Errorf("%.12q from %d, ended %v: %.12q (%d bytes), more %v, %v", tt.text, tt.from, tt.ended, got, len(got), more, err)
		}
	}
	if got, more, err := readPiece(filepath.Join(t.TempDir(), "none"), 0, true); len(got) > 0 || more || err != nil {
		t.Errorf("no file: %q, %v, %v", got, more, err)
	}
}
