package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	unknown    = Syntax{}
	yaml       = Syntax{Indent: true}
	python     = Syntax{Indent: true, Tokens: true, Comments: []string{"#"}}
	golang     = Syntax{Tokens: true, Comments: []string{"//"}, Commas: true}
	clang      = Syntax{Tokens: true, Free: true, Comments: []string{"//"}}
	javascript = Syntax{Tokens: true, Comments: []string{"//"}, Quotes: true, Semicolons: true, Commas: true}
)

// One run of changed lines: is it formatting as a whole?
func TestFormattingRun(t *testing.T) {
	for _, tt := range []struct {
		syn           Syntax
		before, after string
		want          bool
	}{
		{unknown, "a b", "a  b", true},
		{unknown, "a b", "  a b \t", true},
		{unknown, "a b\r", "a b", true},
		{unknown, "a\n\n\nb", "a\nb", true},
		{unknown, "", "\n\n", true}, // blank lines came
		{unknown, "a b", "ab", false},
		{unknown, "a=1", "a = 1", false}, // in shell another thing
		{unknown, "a b", "a\nb", false},
		{unknown, "a", "", false},
		{yaml, "a:\n  b: 1", "a:\n    b: 1", false}, // might have moved to another parent
		{yaml, "a:   1", "a: 1  ", true},
		{python, "x=1", "x = 1", true},
		{python, "x = f(a, b)", "x = f(\n    a,\n    b)", true},
		{python, "x = {'a': 1}", "x = {\n    'a': 1\n}", true},
		{python, "    return x", "return x", false},
		{python, "f(a)\ng(b)", "f(a) g(b)", false},
		{python, "f(a,)", "f(a)", false}, // a tuple, elsewhere
		{golang, "a:=-1", "a := -1", true},
		{golang, "f(a, b)", "f(\n\ta,\n\tb,\n)", true},
		{golang, "return\nx", "return x", false},
		{golang, "a.b().c()", "a.\n\tb().\n\tc()", true},
		{golang, `x("a b")`, `x("a  b")`, false},
		{golang, `x("a", "b")`, `x( "a","b" )`, true},
		{golang, "x = 1 // a", "x = 1 //  a", true},
		{golang, "// go:build x", "//go:build x", false},
		{golang, "x() // a\ny()", "x() // a y()", false}, // y is a comment now
		{golang, "a + +b", "a ++b", false},
		{golang, "x[`a\n b`]", "x[`a\n   b`]", true}, // the text goes on in the next line: not seen
		{golang, "[]int{1,,}", "[]int{1,}", false},
		{clang, "int a;\nint b;", "int a; int b;", true},
		{clang, "if (x)\n{", "if (x) {", true},
		{clang, "return\nx;", "return x;", true},
		{clang, "#define f(x) 1", "#define f (x) 1", false},
		{clang, "#define A\nint b;", "#define A int b;", false},
		{clang, "a; // b\nc;", "a; // b c;", false},
		{javascript, "a('x');", `a("x")`, true},
		{javascript, `a('x"')`, `a("x'")`, false},
		{javascript, `a('it\'s')`, `a("it's")`, false}, // the same, but not worth knowing escapes
		{javascript, "a = b;\nc()", "a = b\nc()", true},
		{javascript, "[a, b]", "[\n  a,\n  b,\n]", true},
		{javascript, "return\n x", "return x", false},
		{javascript, "x\n  .then(a)", "x.then(a)", true},
		{javascript, "// don't\na", "// don't a", false},
		{javascript, "x = 'a", "x = 'a b", false},
	} {
		h := hunk(append(signed("-", tt.before), signed("+", tt.after)...)...)
		if got := h.Formatting(tt.syn) == len(h.Lines); got != tt.want {
			t.Errorf("%q → %q: formatting %v, want %v", tt.before, tt.after, got, tt.want)
		}
	}
}

func signed(sign, text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = sign + lines[i]
	}
	return lines
}

// Within a run that is more than formatting, the lines that are not still count.
func TestFormattingWithin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		syn   Syntax
		lines []string
		want  int
	}{
		{"one real change in re-indented lines", golang,
			[]string{"-a()", "-b()", "-c()", "+\ta()", "+\tB()", "+\tc()"}, 4},
		{"wrapped beside a real change", golang,
			[]string{"-f(a, b)", "-one()", "-x()", "+f(", "+\ta,", "+\tb,", "+)", "+\tone()", "+y()"}, 7},
		{"moved lines are real", golang,
			[]string{"-a()", "-b()", "+\tb()", "+\ta()"}, 2},
		{"brackets that come often", golang,
			[]string{"-a", "-}", "-b", "-}", "+ a", "+ }", "+ c", "+ }"}, 6},
		{"nothing in common", golang, []string{"-a", "-b", "+c", "+d"}, 0},
		{"runs apart", unknown, []string{"-a b", "+a  b", " x", "+new", " y", "-", " z"}, 3},
		{"signs mixed, as git never does", unknown, []string{"+ a", "-a", "+  b", "-b"}, 0},
		{"context only", unknown, []string{" a"}, 0},
	} {
		if got := hunk(tt.lines...).Formatting(tt.syn); got != tt.want {
			t.Errorf("%s: %d lines of formatting, want %d", tt.name, got, tt.want)
		}
	}
}

func TestAlign(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		want          []match
	}{
		{"", "", nil},
		{"a", "b", nil},
		{"abc", "abc", []match{{0, 0}, {1, 1}, {2, 2}}},
		{"axbxc", "axcxd", []match{{0, 0}, {1, 1}, {4, 2}}},
		{"xxaxx", "xaxxx", []match{{0, 0}, {2, 1}, {3, 2}, {4, 3}}},
		{"abcd", "dabc", []match{{0, 1}, {1, 2}, {2, 3}}},
		{"aab", "aac", []match{{0, 0}, {1, 1}}},
		{"baa", "caa", []match{{1, 1}, {2, 2}}},
	} {
		got := align(strings.Split(tt.before, ""), strings.Split(tt.after, ""))
		if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(match{})); d != "" {
			t.Errorf("align(%q, %q) (-want +got):\n%s", tt.before, tt.after, d)
		}
	}
}

// Lines in another order are the worst case of edit scripts: minutes there.
func TestAlignLarge(t *testing.T) {
	const n = 100_000
	before, after := make([]string, n), make([]string, n)
	for i := range n {
		before[i] = fmt.Sprint(i)
		after[i] = fmt.Sprint(i * 7919 % n)
	}
	got := align(before, after)
	if len(got) == 0 {
		t.Error("no line is aligned")
	}
	for i, m := range got {
		if before[m.before] != after[m.after] || i > 0 && (m.before <= got[i-1].before || m.after <= got[i-1].after) {
			t.Fatalf("match %d is %v after %v", i, m, got[i-1])
		}
	}
}
