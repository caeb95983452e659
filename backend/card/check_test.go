package card

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	dir := project(t, map[string]string{"src/a.go": ""})
	complete := "# Task: x\n\n## Background\nb\n## Goal\ng\n## Acceptance\n- `npm test`\n## Scope\n- src/\n## Do not\n- d\n## Deliverables\n- n\n"
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"complete": {complete, nil},
		"nothing": {"hello\n", []string{
			"0: no title; the file's name stands for it",
			"0: no section Background", "0: no section Goal", "0: no section Acceptance criteria",
			"0: no section Allowed scope", "0: no section Do not", "0: no section Deliverables",
		}},
		"no command":      {replace(complete, "- `npm test`", "- it works"), []string{"7: no acceptance command"}},
		"doubtful":        {replace(complete, "- `npm test`", "- make sure it works"), []string{"8: this looks like a command and is not run"}},
		"doubtful fence":  {replace(complete, "- `npm test`", "- `npm test`\n```\n\nmytool check\n```"), []string{"11: this looks like a command and is not run"}},
		"no path":         {replace(complete, "- src/", "- what you need"), []string{"9: no path in the allowed scope; every file may change"}},
		"path not there":  {replace(complete, "- src/", "- src/b.go\n- src/**/*.go\n- web/**/*.ts"), []string{"10: src/b.go is not there", "12: web/**/*.ts is not there"}},
		"do not":          {replace(complete, "- d", "- lib/"), []string{"12: lib/ is not there"}},
		"empty section":   {replace(complete, "\ng\n", "\n<!-- hint -->\n"), []string{"5: section Goal is empty"}},
		"open fence":      {replace(complete, "\nb\n", "\n```\n"), []string{"4: this code fence is never closed and is read as text"}},
		"two of one":      {complete + "## Goal\nh\n", []string{"15: a second heading for the same section; only the first counts"}},
		"kind":            {"---\nkind: chore\n---\n" + complete, []string{`1: kind "chore" is not known`}},
		"front matter":    {"---\nkind: [\n---\n" + complete, []string{"1: the front matter is not understood"}},
		"external":        {"---\nexternal: ture\n---\n" + complete, []string{`1: external "ture" is not understood; the card counts as external`}},
		"external, no":    {"---\nexternal: no\n---\n" + complete, nil},
		"external, bad":   {"---\nexternal: [yes\n---\n" + complete, []string{"1: the front matter is not understood; the card counts as external"}},
		"lines are those": {"---\nkind: bug\n---\n" + replace(complete, "- src/", "- src/b.go"), []string{"13: src/b.go is not there"}},
	} {
		var got []string
		for _, w := range Check(Parse("tasks/x.md", []byte(tt.text)), dir) {
			got = append(got, fmt.Sprintf("%d: %s", w.Line, w.Text))
			if w.Next == "" {
				t.Errorf("%s: %q has no next step", name, w.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Nobody can learn through a card what lies outside of the project.
func TestCheckOutside(t *testing.T) {
	dir := project(t, map[string]string{"src/a.go": ""})
	if err := os.Symlink("/", dir+"/root"); err != nil {
		t.Fatal(err)
	}
	c := Parse("x.md", []byte("## Scope\n- ../../etc/passwd\n- root/etc/\n- root/nothing-such/\n"))
	for _, w := range Check(c, dir) {
		if w.Line == 3 || w.Line == 4 {
			t.Errorf("warning %+v", w)
		}
	}
}
