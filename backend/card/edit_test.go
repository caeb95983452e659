package card

import (
	"strings"
	"testing"

	"offrun/backend/work"
)

func TestReplace(t *testing.T) {
	for name, tt := range map[string]struct {
		section          Section
		text, body, want string
	}{
		"text":            {Goal, "# T\n\n## Goal\n\nold\n\n## Scope\n\nx\n", "new", "# T\n\n## Goal\n\nnew\n\n## Scope\n\nx\n"},
		"odd space stays": {Goal, "## Goal  \n\n\n  old\n\n\n\n##   Scope\n", "new", "## Goal  \n\n\nnew\n\n\n\n##   Scope\n"},
		"CRLF":            {Goal, "## Goal\r\n\r\nold\r\n", "a\nb", "## Goal\r\n\r\na\r\nb\r\n"},
		"no last newline": {Goal, "## Goal\nold", "new", "## Goal\nnew"},
		"empty":           {Goal, "## Goal\n\n## Scope\n", "new", "## Goal\n\nnew\n\n## Scope\n"},
		"empty at end":    {Goal, "## Goal", "new", "## Goal\n\nnew\n"},
		"empty, bare":     {Goal, "Goal\nScope\nx\n", "new", "Goal\nnew\nScope\nx\n"},
		"to nothing":      {Goal, "## Goal\n\nold\n\n## Scope\n", "", "## Goal\n\n\n\n## Scope\n"},
		"inline":          {Goal, "Goal: old\nScope: x\n", "new", "Goal: new\nScope: x\n"},
		"inline, list":    {Goal, "目标：old\n", "- a\n- b", "目标：\n- a\n- b\n"},
		"title":           {Title, "# Task: old\n\n## Goal\n", "new", "# Task: new\n\n## Goal\n"},
		"bare title":      {Title, "任务：旧\n背景\nx\n", "新", "任务：新\n背景\nx\n"},
		"empty title":     {Title, "# 任务：\n", "新", "# 任务：新\n"},
		"missing title":   {Title, "## Goal\n\nx\n", "new", "# Task: new\n\n## Goal\n\nx\n"},
		"missing":         {Goal, "# T\n\n## Background\n\nb\n\n## Scope\n\nx\n", "new", "# T\n\n## Background\n\nb\n\n## Goal\n\nnew\n\n## Scope\n\nx\n"},
		"missing at end":  {Deliverables, "# T\n\n### Goal\n\ng", "new", "# T\n\n### Goal\n\ng\n\n### Deliverables\n\nnew\n"},
		"missing, bare":   {Goal, "任务：T\n背景\nb\n验收标准\n- x\n", "新", "任务：T\n背景\nb\n目标\n新\n验收标准\n- x\n"},
		"missing, all":    {Goal, "", "new", "## Goal\n\nnew\n"},
		"rule stays":      {Goal, "## Goal\n\nold\n\n---\n\n## Scope\n", "new", "## Goal\n\nnew\n\n---\n\n## Scope\n"},
	} {
		got, err := Replace([]byte(tt.text), tt.section, tt.body)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}

func TestReplaceRefused(t *testing.T) {
	text := "# T\n\n## Goal\n\nold\n\n## Scope\n\n- x\n"
	for _, body := range []string{"a\n\n## Scope\n\nb", "a\nScope: b", "## Background", "a\n# Other", "```\n"} {
		if got, err := Replace([]byte(text), Goal, body); err == nil && body != "```\n" {
			t.Errorf("%q accepted: %q", body, got)
		} else if err != nil && work.CodeOf(err) != work.Invalid {
			t.Errorf("%q: code %s", body, work.CodeOf(err))
		}
	}
	if _, err := Replace([]byte(text), Title, "two\nlines"); err == nil {
		t.Error("a title of two lines was accepted")
	}
}

// checkEdit fails if the edited text changed more than what d says under s.
func checkEdit(t *testing.T, d *document, s Section, edited string) {
	t.Helper()
	if !strings.HasPrefix(edited, d.text[:len(d.text)-len(d.body())]) {
		t.Fatalf("%s: the front matter changed", s)
	}
	start, stop := len(d.text), len(d.text)
	if p := d.part(s); p != nil {
		start, stop = d.span(p)
	}
	if p := d.part(s); p != nil && start < stop {
		before, after := strings.TrimRight(d.text[:start], blank), d.text[stop:]
		if !strings.HasPrefix(edited, before) || !strings.HasSuffix(edited, after) {
			t.Fatalf("%s: more than the section changed:\n%q\n%q", s, d.text, edited)
		}
	}
}
