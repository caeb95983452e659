package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offrun/backend/ops"
	"offrun/backend/work"
)

func (a *app) compareCommand() *cobra.Command {
	var markdown bool
	c := &cobra.Command{Example: "  offrun compare last\n  offrun compare last --markdown > verdict.md"}
	c = asks(ops.RunCompare.Row, "RUN", c, func(ctx context.Context, args []string) error {
		comparison, err := ops.RunCompare.Ask(ctx, a.door, ops.RunRef{Run: work.RunID(args[0])})
		if err != nil {
			return err
		}
		return a.answer(comparison, func() string {
			if markdown {
				return comparisonMarkdown(comparison)
			}
			return headline(comparison, a.out) + comparisonText(comparison, a.out)
		})
	})
	c.Flags().BoolVar(&markdown, "markdown", false, "print a table for a document")
	return c
}

// A measure is a column of the comparison.
type measure struct {
	column
	cell func(work.Verdict) string
	drop int // the lowest above 0 is left out first where the screen is too narrow
}

var measures = []measure{
	{column{"ATTEMPT", false}, func(v work.Verdict) string { return verdictName(v) }, 0},
	{column{"STATE", false}, func(v work.Verdict) string { return string(v.State) }, 10},
	{column{"TESTS", false}, func(v work.Verdict) string { return string(v.Tests.Status) }, 0},
	{column{"BASE", false}, func(v work.Verdict) string { return orDash(v.Tests.Baseline != "", string(v.Tests.Baseline)) }, 7},
	{column{"FILES", true}, func(v work.Verdict) string { return fmt.Sprint(v.Files) }, 0},
	{column{"LINES", true}, func(v work.Verdict) string { return lines(v.Added, v.Deleted) }, 9},
	{column{"OUT OF SCOPE", true}, func(v work.Verdict) string { return some(len(v.OutOfScope)) }, 8},
	{column{"PROTECTED", true}, func(v work.Verdict) string { return some(len(v.Protected)) }, 5},
	{column{"NOISE", true}, func(v work.Verdict) string { return percent(v.Noise) }, 6},
	{column{"OVERLAP", false}, func(v work.Verdict) string { return overlapText(v.Overlap) }, 2},
	{column{"TIME", true}, func(v work.Verdict) string { return clock(v.Seconds.Duration()) }, 4},
	{column{"TOKENS", true}, func(v work.Verdict) string { return orDash(v.Tokens > 0, tokens(v.Tokens)) }, 1},
	{column{"COST", true}, func(v work.Verdict) string { return orDash(v.CostUSD > 0, cost(v.CostUSD)) }, 3},
	{column{"NOTES", true}, func(v work.Verdict) string { return orDash(v.Notes != "", "yes") }, 1},
}

// headline says what is compared.
func headline(c work.Comparison, s screen) string {
	return fmt.Sprintf("run %s from %s: %s\n\n", s.paint(bold, string(c.Run)), short(c.Base), oneLine(c.Card))
}

// comparisonText puts attempts side by side, best first, failing ones struck out;
// below the table stands what is worth reading about each.
func comparisonText(c work.Comparison, s screen) string {
	if len(c.Attempts) == 0 {
		return "the run has no attempts\n"
	}
	ms := slices.Clone(measures)
	for !fits(c, ms, s) {
		i := leastWorth(ms)
		if i < 0 {
			break
		}
		ms = slices.Delete(ms, i, i+1)
	}
	text := tableText(columnsIn(ms), cells(c, ms, s), s)
	if left := len(measures) - len(ms); left > 0 {
		text += s.paint(faint, fmt.Sprintf("%s left out: the terminal is narrow", count(left, "column"))) + "\n"
	}
	for _, v := range c.Attempts {
		if details := detailLines(v); len(details) > 0 {
			text += "\n" + s.paint(bold, verdictName(v)) + "\n  " + strings.Join(details, "\n  ") + "\n"
		}
	}
	return text
}

func fits(c work.Comparison, ms []measure, s screen) bool {
	if s.width == 0 {
		return true
	}
	for line := range strings.Lines(tableText(columnsIn(ms), cells(c, ms, screen{}), screen{})) {
		if columnsOf(strings.TrimSuffix(line, "\n")) > s.width {
			return false
		}
	}
	return true
}

func leastWorth(ms []measure) int {
	least := -1
	for i, m := range ms {
		if m.drop > 0 && (least < 0 || m.drop < ms[least].drop) {
			least = i
		}
	}
	return least
}

func columnsIn(ms []measure) []column {
	cs := make([]column, len(ms))
	for i, m := range ms {
		cs[i] = m.column
	}
	return cs
}

// cells are the rows of the table. Where nothing can be struck out, the state
// says that the attempt is failing.
func cells(c work.Comparison, ms []measure, s screen) [][]string {
	var rows [][]string
	for _, v := range c.Attempts {
		row := make([]string, len(ms))
		for i, m := range ms {
			row[i] = m.cell(v)
			switch {
			case v.Failing && s.colour:
				row[i] = s.paint(struck, row[i])
			case v.Failing && i == 0:
				row[i] = "✗ " + row[i]
			case v.Failing:
			case m.name == "TESTS" && v.Tests.Status == work.Pass:
				row[i] = s.paint(green, row[i])
			case m.name == "OUT OF SCOPE", m.name == "PROTECTED":
				if row[i] != "–" {
					row[i] = s.paint(yellow, row[i])
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// comparisonMarkdown is comparisonText for a document.
func comparisonMarkdown(c work.Comparison) string {
	rows := cells(c, measures, screen{})
	for i, v := range c.Attempts {
		rows[i][0] = strings.TrimPrefix(rows[i][0], "✗ ")
		for j, cell := range rows[i] {
			if rows[i][j] = escapeMarkdown(cell); v.Failing {
				rows[i][j] = "~~" + rows[i][j] + "~~"
			}
		}
	}
	text := fmt.Sprintf("## %s\n\nRun %s, base %s\n\n", escapeMarkdown(oneLine(c.Card)), c.Run, short(c.Base)) +
		markdownTable(columnsIn(measures), rows)
	for _, v := range c.Attempts {
		if details := detailLines(v); len(details) > 0 {
			text += "\n### " + escapeMarkdown(verdictName(v)) + "\n\n"
			for _, d := range details {
				text += "- " + escapeMarkdown(d) + "\n"
			}
		}
	}
	return text
}

// escapeMarkdown keeps text from being taken for markup. The table escapes its
// own bars.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "~", `\~`).Replace(s)
}

func verdictName(v work.Verdict) string {
	name := string(v.Attempt)
	if v.Simulated {
		name += " (simulated)"
	}
	return name
}

// detailLines is what is worth reading about an attempt.
func detailLines(v work.Verdict) []string {
	var ds []string
	add := func(name, text string) {
		if text != "" {
			ds = append(ds, name+": "+text)
		}
	}
	if v.Failing {
		add("failing", failingText(v))
	}
	if v.Model != "" {
		add("model", oneLine(v.Model))
	}
	if v.Landed != "" {
		add("landed", short(v.Landed))
	}
	add("out of scope", list(v.OutOfScope))
	add("protected", list(v.Protected))
	add("the card says not to touch", list(v.Forbidden))
	for _, t := range v.Touched {
		add("changed outside", oneLine(touchText(t)))
	}
	for _, n := range v.Notices {
		add("notice", oneLine(n))
	}
	for line := range strings.Lines(shown(v.Notes)) {
		add("notes", strings.TrimSpace(strings.TrimLeft(line, "-* ")))
	}
	return ds
}

// failingText says why an attempt is struck out.
func failingText(v work.Verdict) string {
	switch {
	case v.State != work.Done:
		return strings.TrimSuffix(string(v.State)+", "+firstLine(v.Why), ", ")
	case v.Files == 0:
		return cmp.Or(firstLine(v.Why), "changed nothing")
	}
	return cmp.Or(firstLine(v.Tests.Text), testsText(v.Tests.Status))
}

// maxListed is how many paths of a list are shown.
const maxListed = 8

func list(paths []string) string {
	short := make([]string, 0, maxListed)
	for _, p := range paths[:min(len(paths), maxListed)] {
		short = append(short, oneLine(p))
	}
	text := strings.Join(short, ", ")
	if more := len(paths) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// overlapText names the attempt whose files are most the same.
func overlapText(overlap map[work.AttemptName]float64) string {
	var with work.AttemptName
	for _, name := range slices.Sorted(maps.Keys(overlap)) {
		if overlap[name] > overlap[with] {
			with = name
		}
	}
	if with == "" {
		return "–"
	}
	return percent(overlap[with]) + " " + string(with)
}

func some(n int) string { return orDash(n > 0, fmt.Sprint(n)) }

func orDash(there bool, text string) string {
	if there {
		return text
	}
	return "–"
}

// cost is an amount of money, or "" if nothing is known to be spent.
func cost(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return fmt.Sprintf("$%.2f", usd)
}
