package screen

import (
	"os"
	"testing"
)

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"any width", 0, "any width"},
		{"much too long", 8, "much to…"},
		{"登录接口", 8, "登录接口"},
		{"登录接口", 7, "登录接…"},
		{"登录接口", 6, "登录…"},
		{"🚧🚧🚧", 5, "🚧🚧…"},
		{"\x1b[31mred and long\x1b[0m", 4, "\x1b[31mred\x1b[0m…"},
	} {
		got := fit(tt.line, tt.width)
		if got != tt.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
		if w := Width(got); tt.width > 0 && w > tt.width {
			t.Errorf("fit(%q, %d) takes %d columns", tt.line, tt.width, w)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"two\nlines":                     "two\nlines",
		"\x1b]0;title\x07\x1b[31mred":    "red",
		"C1 \u009b2J":                    "C1 2J",
		"right\u202eto left":             "right\uFFFDto left",
		"bell\x07 back\b return\r\nline": "bell back return\nline",
		"bad \xff utf-8":                 "bad \uFFFD utf-8",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPath(t *testing.T) {
	for in, want := range map[string]string{
		"src/登录 接口.ts":  "src/登录 接口.ts",
		`a"b\c`:         `a"b\c`,
		"":              "",
		"a\x1b[2J.txt":  `"a\x1b[2J.txt"`,
		"two\nlines":    `"two\nlines"`,
		"\u202egpj.exe": `"\u202egpj.exe"`,
		"caf\xe9":       `"caf\xe9"`,
	} {
		if got := Path(in); got != want {
			t.Errorf("Path(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	if got := Of(nil, os.Getenv); got != (Output{}) {
		t.Errorf("Of a pipe = %+v, want plain text of any width", got)
	}
}
