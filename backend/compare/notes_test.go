package compare

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUncertain(t *testing.T) {
	for _, tt := range []struct{ notes, want string }{
		{"", ""},
		{"# Notes\n\nI fixed it.\n\nBy a lock.\n", "I fixed it.\nBy a lock."},
		{"# Notes\n## What\nfixed\n## Uncertain points\n- a\r\n\n- b\n### more\n- c\n## Next\nx\n", "- a\n- b\n### more\n- c"},
		{"## Risks\n\n## Open questions\n- is it?\n", "- is it?"}, // the first one says nothing
		{"做了什么：\n加锁\n不确定的地方：\n- 超时是否够长\n为什么：\nx", "- 超时是否够长"},
		{"**Done**\nall\n**Not sure about:**\n1. one\n**Else**\n", "1. one"},
		{"I fixed it.\nI am not sure about b.\nThe rest is fine.", "I am not sure about b."},
		{"- risk: it may be slow\n- done", "- risk: it may be slow"},
		{"bad \xff byte", "bad \ufffd byte"},
		{strings.Repeat("长", 400), strings.Repeat("长", 165) + "…"},
	} {
		got := Uncertain(tt.notes)
		if got != tt.want {
			t.Errorf("Uncertain(%.60q) = %q, want %q", tt.notes, got, tt.want)
		}
		if len(got) > maxNotes || !utf8.ValidString(got) {
			t.Errorf("Uncertain(%.60q): %d bytes, or no UTF-8", tt.notes, len(got))
		}
	}
}

func FuzzUncertain(f *testing.F) {
	f.Add("# a\n## risk\n- x\n")
	f.Add("**不确定**\n\xff" + strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, notes string) {
		if got := Uncertain(notes); len(got) > maxNotes || !utf8.ValidString(got) {
			t.Errorf("%d bytes, or no UTF-8", len(got))
		}
	})
}
