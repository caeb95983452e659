package card

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// The card that a person wrote with bare Chinese headings reads completely.
func TestParseBareChinese(t *testing.T) {
	text, err := os.ReadFile("testdata/appendix.md")
	if err != nil {
		t.Fatal(err)
	}
	want := work.Card{
		ID: "login", File: "tasks/login.md",
		Title:        "修复登录接口偶发超时",
		Background:   "src/api/login.ts 里的登录请求在并发较高时会超时，\n错误日志中可见连接池耗尽的提示。相关代码集中在 src/api/ 目录。",
		Goal:         "让登录接口在 50 并发下稳定返回，不出现超时错误。",
		Acceptance:   "1. npm test -- login 全部通过\n2. 新增至少一个覆盖并发场景的测试用例\n3. 不修改 src/api/login.ts 以外的公开接口签名",
		Scope:        "- src/api/login.ts\n- src/api/__tests__/",
		DoNot:        "- 不要跑全量格式化工具（prettier/eslint --fix），会产生大量无关 diff\n- 不要重构无关模块\n- 不要升级任何依赖版本",
		Deliverables: "- 代码改动\n- 在\nNOTES.md中写：你做了什么、为什么这么做、有哪些不确定的地方",
		Commands:     []string{"npm test -- login"},
		Allowed:      []string{"src/api/login.ts", "src/api/__tests__/"},
		Donts: []string{
			"不要跑全量格式化工具（prettier/eslint --fix），会产生大量无关 diff",
			"不要重构无关模块",
			"不要升级任何依赖版本",
		},
		Files: []string{"NOTES.md"},
		Text:  string(text),
	}
	if diff := cmp.Diff(want, Parse("tasks/login.md", text)); diff != "" {
		t.Errorf("card (-want +got):\n%s", diff)
	}
}

// Every way to write the same card reads the same.
func TestParseForms(t *testing.T) {
	english := "# Task: Fix login\n\n## Background\n\nIt times out.\n\n## Goal\n\nIt answers.\n\n" +
		"## Acceptance criteria\n\n1. `npm test -- login` passes\n\n## Allowed scope\n\n- src/api/\n\n" +
		"## Do not\n\n- upgrade anything\n\n## Deliverables\n\n- NOTES.md\n"
	swap := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	zh := []string{"Task: ", "任务：", "Background", "背景", "Goal", "目标", "Acceptance criteria", "验收标准", "Allowed scope", "允许改动的范围", "Do not", "不要做的事", "Deliverables", "交付物"}
	for name, text := range map[string]string{
		"English":             english,
		"Chinese":             swap(english, zh...),
		"bare":                swap(english, "## ", "", "# ", ""),
		"bare, dense":         swap(english, "## ", "", "# ", "", "\n\n", "\n"),
		"bare Chinese":        swap(swap(english, "## ", "", "# ", ""), zh...),
		"bare, colons":        swap(english, "## Background", "Background:", "## Goal", "Goal:", "## Acceptance criteria", "Acceptance criteria:", "## Allowed scope", "Allowed scope:", "## Do not", "Do not:", "## Deliverables", "Deliverables:"),
		"full-width colons":   swap(swap(english, zh...), "背景", "背景：", "目标", "目标：", "验收标准", "验收标准：", "允许改动的范围", "允许改动的范围：", "不要做的事", "不要做的事：", "交付物", "交付物："),
		"text after colon":    swap(english, "## Background\n\n", "Background: ", "## Goal\n\n", "**Goal:** "),
		"text after 冒号":       swap(english, "## Background\n\n", "背景：", "## Goal\n\n", "## 目标："),
		"CRLF":                swap(english, "\n", "\r\n"),
		"BOM":                 bom + english,
		"BOM and CRLF":        bom + swap(english, "\n", "\r\n"),
		"front matter":        "---\nassignee: me\n---\n" + english,
		"CRLF front matter":   swap("---\nassignee: me\n---\n"+english, "\n", "\r\n"),
		"underlined":          swap(english, "# Task: Fix login", "Fix login\n=========", "## Goal", "Goal\n----"),
		"closing marks":       swap(english, "## Goal", "## Goal ##", "Fix login", "Fix login #"),
		"no space":            swap(swap(english, zh...), "## ", "##", "# ", "#"),
		"numbered":            swap(english, "## Background", "## 1. Background", "## Goal", "## 2) Goal"),
		"Chinese numbers":     swap(swap(english, zh...), "## 背景", "一、背景", "## 目标", "## 二、目标"),
		"emphasis":            swap(english, "## Background", "**Background**", "## Goal", "**Goal:**"),
		"emoji":               swap(english, "## Background", "## 📚 Background", "## Goal", "## 🎯 Goal"),
		"capitals":            swap(english, "## Background", "## BACKGROUND", "## Goal", "## goal"),
		"remarks":             swap(english, "## Background", "## Background (read first)", "## Goal", "## 目标（必读）"),
		"curly":               swap(english, "## Do not", "## Don’t"),
		"other levels":        swap(english, "## ", "### "),
		"level one":           swap(english, "## ", "# "),
		"plain title":         swap(english, "# Task: ", "# "),
		"title below":         swap(english, "# Task: ", "# Task\n\n"),
		"rules between":       swap(english, "\n\n## ", "\n\n---\n\n## "),
		"unknown in between":  swap(english, "## Deliverables", "## Links\n\nhttp://example.com\n\n## Deliverables"),
		"task boxes":          swap(english, "1. ", "- [ ] ", "- src", "* [x] src"),
		"bullets":             swap(english, "\n- ", "\n• "),
		"no newline at end":   strings.TrimSuffix(english, "\n"),
		"trailing spaces":     swap(english, "\n", "  \n"),
		"command in a fence":  swap(english, "1. `npm test -- login` passes", "```sh\n$ npm test -- login\n```"),
		"command bare":        swap(english, "`npm test -- login`", "npm test -- login"),
		"command bare, 全部通过":  swap(english, "`npm test -- login` passes", "npm test -- login全部通过"),
		"path in backticks":   swap(english, "- src/api/", "- `src/api/`"),
		"path with remark":    swap(english, "- src/api/", "- ./src/api/ (all of it)"),
		"path in a sentence":  swap(english, "- src/api/", "只改src/api/下的文件"),
		"path without a list": swap(english, "- src/api/", "src/api/"),
	} {
		t.Run(name, func(t *testing.T) {
			c := Parse("tasks/x.md", []byte(text))
			want := work.Card{
				Title: "Fix login", Background: "It times out.", Goal: "It answers.",
				Commands: []string{"npm test -- login"}, Allowed: []string{"src/api/"},
				Donts: []string{"upgrade anything"}, Files: []string{"NOTES.md"},
			}
			got := work.Card{
				Title: c.Title, Background: c.Background, Goal: c.Goal,
				Commands: c.Commands, Allowed: c.Allowed, Donts: c.Donts, Files: c.Files,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.Text != text {
				t.Error("Text is not the file")
			}
		})
	}
}

// What looks like a heading and is none.
func TestParseNoHeading(t *testing.T) {
	for name, text := range map[string]string{
		"in a fence":        "## Background\n\n```\nGoal\n## Goal\n```\nend",
		"in a comment":      "## Background\n\n<!--\n## Goal\n-->\nend",
		"item":              "## Background\n\n- Goal: x\n1. Goal\nend",
		"small":             "## Background\n\nwe reach our\ngoal\nend",
		"word of prose":     "## Background\n\nGoals are many\nend",
		"indented code":     "## Background\n\n    Goal\nend",
		"hashtag":           "## Background\n\n#goal and #12\nend",
		"deeper, unknown":   "## Background\n\n### Details\nend",
		"continued item":    "## Background\n\n- one\n  Goal: x\nend",
		"late title":        "## Background\n\nTask: another\n任务：另一个\nend",
		"second of its own": "## Background\n\nBackground\nend",
	} {
		c := Parse("x.md", []byte(text))
		if !strings.HasSuffix(c.Background, "end") || c.Goal != "" || c.Title != "" {
			t.Errorf("%s: background %q, goal %q, title %q", name, c.Background, c.Goal, c.Title)
		}
	}
}

// A fence or comment that is never closed swallows nothing.
func TestParseUnclosed(t *testing.T) {
	for _, open := range []string{"```", "~~~sh", "<!-- note", "- ```"} {
		c := Parse("x.md", []byte("## Background\n\n"+open+"\ntext\n\n## Goal\n\ndone\n"))
		if c.Goal != "done" {
			t.Errorf("after %q: goal %q", open, c.Goal)
		}
	}
}

func TestParseFrontMatter(t *testing.T) {
	for _, tt := range []struct {
		text string
		kind string
		on   []work.CardID
	}{
		{"---\nkind: bug\ndepends_on: [login, tasks/数据库.md]\n---\n# x\n", "bug", []work.CardID{"login", "数据库"}},
		{"---\nkind: Bug fix\ndepends_on: login.md\n---\n", "bug", []work.CardID{"login"}},
		{"---\nkind: 重构\n...\n", "refactor", nil},
		{"---\nkind: chore\n---\n", "", nil},
		{"---\nkind: [\n---\n", "", nil},
		{"---\nkind: bug\n", "", nil}, // never closed
		{"text\n---\nkind: bug\n---\n", "", nil},
	} {
		c := Parse("x.md", []byte(tt.text))
		if c.Kind != tt.kind || !cmp.Equal(c.DependsOn, tt.on) {
			t.Errorf("%q: kind %q, depends on %q", tt.text, c.Kind, c.DependsOn)
		}
	}
	if c := Parse("x.md", []byte("---\ntitle: From above\n---\n## Goal\n")); c.Title != "From above" {
		t.Errorf("title %q", c.Title)
	}
}

func FuzzParse(f *testing.F) {
	appendix, err := os.ReadFile("testdata/appendix.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(appendix), string(english), string(chinese), bom + "---\r\nkind: bug\r\n---\r\n# x\r\n## Goal\r\n\r\n- a\r\n",
		"Goal: a\n\nScope\n---\n- `a`\n", "```\n<!--\n~~~~\n-->", "---\n\n---", "## Acceptance\n\n```sh\ncd x\nmake\n```\n- ``a`b`` passes",
	} {
		f.Add([]byte(seed), "new text")
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, body string) {
		c := Parse("tasks/x.md", text)
		if c.Text != string(text) {
			t.Fatal("Text is not the file")
		}
		Check(c, root)

		d := read(string(text))
		rest := d.body()
		for _, p := range d.parts {
			whole := d.text[d.lines[p.head].start:p.stop]
			if rest, _ = strings.CutPrefix(rest, whole); p.start > p.stop {
				t.Fatalf("part %q from %d to %d", p.section, p.start, p.stop)
			}
		}
		if rest != "" {
			t.Fatalf("no part holds %q", rest)
		}
		for _, s := range append(sections(), Title) {
			if same, err := Replace(text, s, d.of(s)); d.part(s) != nil && (err != nil || string(same) != c.Text) {
				t.Fatalf("replacing %s by itself: %q, %v", s, same, err)
			}
			if edited, err := Replace(text, s, body); err == nil {
				checkEdit(t, d, s, string(edited))
			}
		}
	})
}

func replace(s, old, by string) string { return strings.Replace(s, old, by, 1) }

// S23: only a plain no makes a card one of the user's own.
func TestExternal(t *testing.T) {
	for front, want := range map[string]bool{
		"external: true": true, "external: yes": true, `external: "true"`: true, "external: 1": true, "external: ture": true,
		"External: true": true, `"external": on`: true, "external: [yes]": true, "kind: [bug]\nexternal: true": true,
		"external: [yes": true, "kind: [\nexternal: true": true, "{external: true": true,
		"external: false": false, "external: no": false, "external: Off": false, "external:": false, `external: ""`: false,
		"kind: bug": false, "kind: [": false, "external_tracker: x": false, "1: x": false,
	} {
		if got := Parse("tasks/x.md", []byte("---\n"+front+"\n---\n# Task: x\n")).External; got != want {
			t.Errorf("%q: external is %v, want %v", front, got, want)
		}
	}
}
