package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"offrun/backend/work"
)

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

// Comparison puts attempts side by side, best first, failing ones struck out;
// below the table stands what is worth reading about each.
func Comparison(c work.Comparison, s Output) string {
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
		text += s.paint(faint, fmt.Sprintf("%s left out: the terminal is narrow", Count(left, "column"))) + "\n"
	}
	for _, v := range c.Attempts {
		if details := detailLines(v); len(details) > 0 {
			text += "\n" + s.paint(bold, verdictName(v)) + "\n  " + strings.Join(details, "\n  ") + "\n"
		}
	}
	return text
}

// Headline says what is compared.
func Headline(c work.Comparison, s Output) string {
	return fmt.Sprintf("run %s from %s: %s\n\n", s.paint(bold, string(c.Run)), short(c.Base), Line(c.Card))
}

func fits(c work.Comparison, ms []measure, s Output) bool {
	if s.Width == 0 {
		return true
	}
	for line := range strings.Lines(tableText(columnsIn(ms), cells(c, ms, Output{}), Output{})) {
		if Width(strings.TrimSuffix(line, "\n")) > s.Width {
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
func cells(c work.Comparison, ms []measure, s Output) [][]string {
	var rows [][]string
	for _, v := range c.Attempts {
		row := make([]string, len(ms))
		for i, m := range ms {
			row[i] = m.cell(v)
			switch {
			case v.Failing && s.Colour:
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

// Markdown is Comparison for a document.
func Markdown(c work.Comparison) string {
	rows := cells(c, measures, Output{})
	for i, v := range c.Attempts {
		rows[i][0] = strings.TrimPrefix(rows[i][0], "✗ ")
		for j, cell := range rows[i] {
			if rows[i][j] = escapeMarkdown(cell); v.Failing {
				rows[i][j] = "~~" + rows[i][j] + "~~"
			}
		}
	}
	text := fmt.Sprintf("## %s\n\nRun %s, base %s\n\n", escapeMarkdown(Line(c.Card)), c.Run, short(c.Base)) +
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
		add("model", Line(v.Model))
	}
	if v.Landed != "" {
		add("landed", short(v.Landed))
	}
	add("out of scope", list(v.OutOfScope))
	add("protected", list(v.Protected))
	add("the card says not to touch", list(v.Forbidden))
	for _, t := range v.Touched {
		add("changed outside while it ran", Line(touchText(t)))
	}
	for _, n := range v.Notices {
		add("notice", Line(n))
	}
	for line := range strings.Lines(Clean(v.Notes)) {
		add("notes", strings.TrimSpace(strings.TrimLeft(line, "-* ")))
	}
	return ds
}

// failingText says why an attempt is struck out.
func failingText(v work.Verdict) string {
	switch {
	case v.State != work.Done:
		return string(v.State) + about(", ", reason(v.State, v.Why))
	case v.Files == 0:
		return cmp.Or(firstLine(v.Why), "changed nothing")
	}
	return cmp.Or(firstLine(v.Tests.Text), testsText(v.Tests.Status))
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

// Next says what to do with the best attempt, if it is any good.
func Next(c work.Comparison) string {
	if len(c.Attempts) == 0 {
		return ""
	}
	best := c.Attempts[0]
	if best.Failing || best.Landed != "" || !best.State.Final() || best.Tests.Status == work.Fail {
		return ""
	}
	return fmt.Sprintf("\nnext: offrun artifacts %s %s, offrun land %s %s\n", c.Run, best.Attempt, c.Run, best.Attempt)
}
