package agent

import (
	"strings"
	"testing"
	"unicode/utf8"

	"offrun/backend/work"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"},
		{"a\tb\nc", "a\tb\nc"},
		{"a\r\nb", "a\nb"},
		{"\x1b[1;31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07text", "text"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"caf\xe9", "caf\uFFFD"},
		{"日本\x00語", "日本語"},
		{"half \xe6\x97", "half \uFFFD"},
	} {
		if got := Clean(tt.text); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	if long := Clean(strings.Repeat("日", work.MaxEntryText)); len(long) > work.MaxEntryText || !utf8.ValidString(long) {
		t.Errorf("cut to %d bytes, valid: %v", len(long), utf8.ValidString(long))
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		line   string
		stderr bool
		want   string
	}{
		{"hello \r", false, "hello"},
		{"\x1b[32m\x1b[0m", false, ""},
		{"hello", true, ""},
	} {
		got := Text([]byte(tt.line), tt.stderr)
		if len(got) != min(len(tt.want), 1) || len(got) == 1 && got[0].Text != tt.want {
			t.Errorf("Text(%q, %v) = %v, want %q", tt.line, tt.stderr, got, tt.want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	line := []byte(strings.Repeat("a line of text ", 8))
	for b.Loop() {
		Text(line, false)
	}
}

func TestShown(t *testing.T) {
	c := Command{Argv: []string{"/opt/a", "--say", "fix it; now", "--note=fix it; now!", "it's", ""}}
	if got, want := c.Shown("fix it; now"), `/opt/a --say {{prompt}} '--note={{prompt}}!' 'it'\''s' ''`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
