package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/work"

	"offrun/backend/redact"
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

// S24: a secret that lies across the border of two pages is in neither, not even
// half of it: in a line that is longer than a page, and in a key of many lines.
func TestS24PagesCutNoSecret(t *testing.T) {
	b := &Bench{Options: Options{Secrets: &redact.Known{}}}
	b.Secrets.Add("canary of the settings")
	long := strings.Repeat("x", pageSize-10)
	key := strings.Repeat("Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5Q2FuYXJ5\n", 20)
	for _, tt := range []struct{ text, canary, want string }{
		{long + " canary of the settings.\n", "canary", long + " [redacted: configured secret].\n"},
		{long[:len(long)-40] + "\n-----BEGIN PRIVATE " + "KEY-----\n" + key + "-----END PRIVATE " + "KEY-----\n", "Q2FuYXJ5",
			long[:len(long)-40] + "\n-----BEGIN PRIVATE " + "KEY-----[redacted: private key]-----END PRIVATE " + "KEY-----\n"},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		shown, pages := "", 0
		for from, more := int64(0), true; more; pages++ {
			var raw []byte
			var err error
			if raw, more, err = readPiece(path, from, true); err != nil {
				t.Fatal(err)
			}
			page, err := b.withoutSecrets(path, from, raw)
			if err != nil || strings.Contains(string(page), tt.canary) {
				t.Errorf("page from %d has %q: %v", from, tt.canary, err)
			}
			shown += string(page)
			from += int64(len(raw))
		}
		if shown != tt.want || pages < 2 {
			t.Errorf("%d pages show %d bytes that end with %q", pages, len(shown), shown[max(0, len(shown)-90):])
		}
	}
}
