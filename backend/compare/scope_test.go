package compare

import "testing"

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		scope, guard  bool
	}{
		{"src/api/login.ts", "src/api/login.ts", true, true},
		{"src/api/login.ts", "src/api/login.tsx", false, false},
		{"src/api/login.ts", "packages/src/api/login.ts", false, false},
		{"src/api/", "src/api/login.ts", true, true},
		{"src/api/", "src/api/__tests__/a/b.ts", true, true},
		{"src/api/", "src/api", false, false}, // a file of that name
		{"src/api/", "src/api2/x", false, false},
		{"src/api", "src/api/x", true, true},
		{"src", "src/x", true, true},
		{"src", "packages/a/src/x", false, true}, // what flags more
		{"src/", "packages/a/src/x", false, true},
		{"go.sum", "go.sum", true, true},
		{"go.sum", "tools/go.sum", false, true},
		{"go.sum", "tools/go.sum.orig", false, false},
		{"/go.sum", "tools/go.sum", false, false},
		{"./go.sum", "go.sum", true, true},
		{"./go.sum", "tools/go.sum", false, false},
		{"**/*.go", "a.go", true, true},
		{"**/*.go", "a/b/c.go", true, true},
		{"*.go", "a/b/c.go", true, true},
		{"/*.go", "a/b/c.go", false, false},
		{"src/*.go", "src/a.go", true, true},
		{"src/*.go", "src/a/b.go", false, false},
		{"src/*/", "src/a/b/c", true, true},
		{"src/*/", "src/a", false, false},
		{"src/**", "src/a/b", true, true},
		{"src/**/test", "src/a/b/test/x.go", true, true},
		{"{a,b}/x", "b/x", true, true},
		{"a?.txt", "sub/ab.txt", true, true},
		{".", "any/thing", true, true},
		{"./", "any", true, true},
		{"/", "any/thing", true, true},
		{"**", "any/thing", true, true},
		{"app/[id]/page.tsx", "app/[id]/page.tsx", true, true}, // as it is written
		{"app/[id]/page.tsx", "app/i/page.tsx", true, true},
		{"app/[id]/", "app/[id]/page.tsx", true, true},
		{"[", "[", true, true},
		{"[", "x", false, false},
		{"{a,b", "a", false, false},
		{"docs/naïve.md", "docs/nai\u0308ve.md", true, true},
		{"Docs/", "docs/x", false, false},
		{"", "x", false, false},
		{"  src/ ", "src/x", true, true},
		{"a b/", "a b/c", true, true},
		{"new\nline", "new\nline", true, true},
	} {
		if got := Scope(tt.pattern).Match(tt.path); got != tt.scope {
			t.Errorf("Scope(%q).Match(%q) = %v, want %v", tt.pattern, tt.path, got, tt.scope)
		}
		if got := Guard(tt.pattern).Match(tt.path); got != tt.guard {
			t.Errorf("Guard(%q).Match(%q) = %v, want %v", tt.pattern, tt.path, got, tt.guard)
		}
	}
}

func FuzzGlobs(f *testing.F) {
	f.Add("src/**/[a-z]*.{go,ts}", "src/a/b.go")
	f.Add("{[", "\xff/")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if Scope(pattern).Match(path) && !Guard(pattern).Match(path) {
			t.Errorf("%q has %q in scope, but does not guard it", pattern, path)
		}
	})
}
