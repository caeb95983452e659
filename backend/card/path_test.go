package card

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		text   string
		scope  []string // what it says as Allowed scope
		others []string // what it says in a section that is no list of paths
	}{
		{"- src/api/", []string{"src/api/"}, []string{"src/api/"}},
		{"- src/api", []string{"src/api"}, nil},
		{"- Makefile", []string{"Makefile"}, nil},
		{"- ./src//a.go", []string{"src/a.go"}, []string{"src/a.go"}},
		{"- /src/a.go", []string{"src/a.go"}, []string{"src/a.go"}},
		{"- **/*.go", []string{"**/*.go"}, []string{"**/*.go"}},
		{"- src/{api,web}/**", []string{"src/{api,web}/**"}, []string{"src/{api,web}/**"}},
		{"- `src/api` and `docs/`", []string{"src/api", "docs/"}, []string{"docs/"}},
		{"- `login` in `src/a.ts`", []string{"login", "src/a.ts"}, []string{"src/a.ts"}},
		{"- the function `login`", nil, nil},
		{"- src/a.ts, src/b.ts", []string{"src/a.ts", "src/b.ts"}, []string{"src/a.ts", "src/b.ts"}},
		{"- src/a.ts、src/b.ts", []string{"src/a.ts", "src/b.ts"}, []string{"src/a.ts", "src/b.ts"}},
		{"- src/api/login.ts (the timeout only)", []string{"src/api/login.ts"}, []string{"src/api/login.ts"}},
		{"- src/api 目录", []string{"src/api"}, nil},
		{"- 修改src/api/login.ts", []string{"src/api/login.ts"}, []string{"src/api/login.ts"}},
		{"- 文档/说明.md", []string{"文档/说明.md"}, []string{"文档/说明.md"}},
		{"- src/文档/a.md", []string{"src/文档/a.md"}, []string{"src/文档/a.md"}},
		{"- `文档 与 说明/`", nil, nil},
		{"- .github/workflows/", []string{".github/workflows/"}, []string{".github/workflows/"}},
		{"- .env", []string{".env"}, []string{".env"}},
		{"- ../other/", nil, nil},
		{"- src/../../other/", nil, nil},
		{"- 不要跑 prettier/eslint --fix", nil, nil},
		{"- no clean-up and/or renames, e.g. of tests", nil, nil},
		{"- upgrade to 1.2 or v2.0.1", nil, nil},
		{"- see https://example.com/a/b.html", nil, nil},
		{"- anything else", nil, nil},
		{"Only these:\n- a/\n- b/", []string{"a/", "b/"}, []string{"a/", "b/"}},
		{"a/\nb/c.go", []string{"a/", "b/c.go"}, []string{"a/", "b/c.go"}},
		{"```\na/\nMakefile\n```", []string{"a/", "Makefile"}, nil},
		{"- a/\n- ./a/\n- `a/`", []string{"a/"}, []string{"a/"}},
	} {
		for section, want := range map[Section][]string{Scope: tt.scope, DoNot: tt.others} {
			d := read(map[Section]string{Scope: "## Scope\n\n", DoNot: "## Do not\n\n"}[section] + tt.text + "\n")
			got := globs(paths(items(d.blocks(section)), section == Scope))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q under %s (-want +got):\n%s", tt.text, section, diff)
			}
		}
	}
}
