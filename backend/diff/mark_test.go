package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hunk makes a hunk of lines that begin with their sign.
func hunk(lines ...string) *Hunk {
	h := &Hunk{}
	for _, l := range lines {
		h.Lines = append(h.Lines, Line{Op: Op(l[0]), Text: l[1:]})
	}
	return h
}

func TestMark(t *testing.T) {
	for _, tt := range []struct{ lines, want []string }{
		{[]string{"-a := 1", "+a := 2"}, []string{"a := ⟦1⟧", "a := ⟦2⟧"}},
		{ // whole words, joined over the space between them
			[]string{"-const options = load(file)", "+const compilerOptions = load(file)"},
			[]string{"const ⟦options⟧ = load(file)", "const ⟦compilerOptions⟧ = load(file)"},
		},
		{[]string{"-one two three four", "+one 2 3 four"}, []string{"one ⟦two three⟧ four", "one ⟦2 3⟧ four"}},
		{ // too little in common
			[]string{"-nothing of this", "+stays the same here"},
			[]string{"nothing of this", "stays the same here"},
		},
		{ // a character of several code points is never split
			[]string{"-crew of three: 👨‍👩‍👧", "+crew of three: 👨‍👩‍👦"},
			[]string{"crew of three: ⟦👨\\u200d👩\\u200d👧⟧", "crew of three: ⟦👨\\u200d👩\\u200d👦⟧"},
		},
		{[]string{"-accent: cafe\u0301", "+accent: cafe\u0300"}, []string{"accent: ⟦cafe\u0301⟧", "accent: ⟦cafe\u0300⟧"}},
		{[]string{"-flags 🇩🇪 🇫🇷", "+flags 🇩🇪 🇮🇹"}, []string{"flags 🇩🇪 ⟦🇫🇷⟧", "flags 🇩🇪 ⟦🇮🇹⟧"}},
		{[]string{"-latin caf\xe9 x", "+latin caf\xe8 x"}, []string{`latin caf⟦\xe9⟧ x`, `latin caf⟦\xe8⟧ x`}}, // F56
		{[]string{"-text\r", "+text"}, []string{`text⟦\r⟧`, "text"}},
		{ // partners in a run of unequal length
			[]string{"-first line here", "-second line here", "+a new one before", "+first line there", "+a new one between", "+second line there"},
			[]string{"first line ⟦here⟧", "second line ⟦here⟧", "a new one before", "first line ⟦there⟧", "a new one between", "second line ⟦there⟧"},
		},
		{ // a run of one side only has no partners
			[]string{"+alone here", " between", "-alone there"},
			[]string{"alone here", "between", "alone there"},
		},
		{
			[]string{"-" + strings.Repeat("a b ", 600), "+" + strings.Repeat("a b ", 600) + "c"},
			[]string{strings.Repeat("a b ", 600), strings.Repeat("a b ", 600) + "c"},
		},
	} {
		h := hunk(tt.lines...)
		h.Mark()
		var got []string
		for _, l := range h.Lines {
			got = append(got, marked(l))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%.60q (-want +got):\n%s", tt.lines, d)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a_b1  +=c", []string{"a_b1", "  ", "+", "=", "c"}},
		{"并发 high高", []string{"并", "发", " ", "high", "高"}},
		{"가나 다", []string{"가나", " ", "다"}},
		{"e\u0301a👍🏽!", []string{"e\u0301a", "👍🏽", "!"}},
		{"a\xff\xfe\ufffdb", []string{"a", "\xff", "\xfe", "\ufffd", "b"}},
	} {
		if d := cmp.Diff(tt.want, tokens(tt.in)); d != "" {
			t.Errorf("tokens(%q) (-want +got):\n%s", tt.in, d)
		}
	}
}
