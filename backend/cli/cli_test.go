package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"offrun/backend/ops"
)

// alone are the commands that ask no row by themselves.
var alone = []string{"offrun", "offrun project", "offrun accounts", "offrun agents", "offrun memory", "offrun card", "offrun serve", "offrun demo", "offrun version", "offrun exit-codes"}

// Every row is asked by the command it names, and every command has a row.
func TestRowsAndCommands(t *testing.T) {
	root := newApp(Env{}).root()
	rows := map[string]bool{}
	for _, o := range ops.Table {
		row := o.Info()
		rows[row.Name] = true
		c, rest, err := root.Find(strings.Fields(row.Command))
		if err != nil || len(rest) > 0 {
			t.Errorf("%s is asked by %q, which is no command", row.Name, row.Command)
			continue
		}
		if got := c.Annotations["row"]; got != row.Name {
			t.Errorf("offrun %s asks %q, want %s", row.Command, got, row.Name)
		}
	}
	walk(root, func(c *cobra.Command) {
		if row := c.Annotations["row"]; row == "" && !slices.Contains(alone, c.CommandPath()) {
			t.Errorf("%s asks no row", c.CommandPath())
		} else if row != "" && !rows[row] {
			t.Errorf("%s asks %q, which is not in the table", c.CommandPath(), row)
		}
	})
}

// Every command says what it does, and the longer ones how.
func TestHelp(t *testing.T) {
	walk(newApp(Env{}).root(), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: Short is %q", c.CommandPath(), c.Short)
		}
		if !c.HasSubCommands() && c.Flags().HasFlags() && c.Example == "" {
			t.Errorf("%s has flags and no example", c.CommandPath())
		}
		for _, text := range []string{c.Long, c.Example} {
			for line := range strings.Lines(text) {
				if len(line) > 100 {
					t.Errorf("%s: a line of help is too long: %q", c.CommandPath(), line)
				}
			}
		}
	})
}

func walk(c *cobra.Command, each func(*cobra.Command)) {
	each(c)
	for _, sub := range c.Commands() {
		walk(sub, each)
	}
}

func TestGetenv(t *testing.T) {
	e := Env{Environ: []string{"A=1", "AB=2", "A=3", "EMPTY="}}
	for name, want := range map[string]string{"A": "3", "AB": "2", "EMPTY": "", "MISSING": ""} {
		if got := e.Getenv(name); got != want {
			t.Errorf("Getenv(%q) = %q, want %q", name, got, want)
		}
	}
}

// JSON carries text of agents: what terminals obey is escaped there, too.
func TestInert(t *testing.T) {
	if got, want := inert([]byte("{\"a\":\"\u009b2J 登录\"}")), `{"a":"\u009b2J 登录"}`; got != want {
		t.Errorf("inert = %s, want %s", got, want)
	}
}
