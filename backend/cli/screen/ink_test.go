package screen

import (
	"bytes"
	"regexp"
	"testing"
)

var filtered = []struct{ in, want string }{
	{"plain\ttext\n", "plain\ttext\n"},
	{"\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"},
	{"\x1b[38:5:196mcolon\x1b[m", "\x1b[38:5:196mcolon\x1b[m"},
	{"\x1b[2J\x1b[Hhome", "home"},
	{"\x1b[?25lhidden", "hidden"},
	{"\x1b[>4;2mkeys", "keys"}, // ends in m, and is not SGR
	{"\x1b]0;title\x07after", "after"},
	{"\x1b]52;c;ZXZpbA==\x1b\\after", "after"},
	{"\x1bPdevice\x1b\\after", "after"},
	{"\x1b]0;never ended\nnext", "\nnext"},
	{"\x1bcreset", "reset"},
	{"\x1b(0charset", "charset"},
	{"over\rwritten\b\b", "overwritten"},
	{"\u009b31mC1\u0085", "31mC1"},
	{"\x9b31m", "\uFFFD31m"},
	{"登录 ünïcode 🚧", "登录 ünïcode 🚧"},
	{"\x1b[\x1b[31mtwice", "\x1b[31mtwice"},
	{"\x1b[1\n2mbroken", "\n2mbroken"},
}

func TestInk(t *testing.T) {
	for _, tt := range filtered {
		var whole bytes.Buffer
		(&Ink{to: &whole}).Write([]byte(tt.in))
		if whole.String() != tt.want {
			t.Errorf("filter(%q) = %q, want %q", tt.in, whole.String(), tt.want)
		}
		var pieces bytes.Buffer
		f := &Ink{to: &pieces}
		for i := range len(tt.in) {
			f.Write([]byte(tt.in[i : i+1]))
		}
		if pieces.String() != whole.String() {
			t.Errorf("filter(%q) byte by byte = %q, want %q", tt.in, pieces.String(), whole.String())
		}
	}
}

func FuzzInk(f *testing.F) {
	for _, tt := range filtered {
		f.Add([]byte(tt.in))
	}
	sgr := regexp.MustCompile(`\x1b\[[0-9:;]*m`)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if n, err := (&Ink{to: &out}).Write(in); n != len(in) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
		for _, r := range sgr.ReplaceAllString(out.String(), "") {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("filter(%q) lets %q through: %q", in, r, out.String())
			}
		}
	})
}
