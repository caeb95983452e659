package screen

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A column is one of a table's. Right sets its cells flush right.
type column struct {
	name  string
	right bool
}

// columns names the columns of a table, all flush left.
func columns(names ...string) []column {
	cs := make([]column, len(names))
	for i, n := range names {
		cs[i].name = n
	}
	return cs
}

// grid returns a table writer that draws columns without lines around them.
func grid(cols []column, rows [][]string) table.Writer {
	t := table.NewWriter()
	header := make(table.Row, len(cols))
	var configs []table.ColumnConfig
	for i, c := range cols {
		header[i] = c.name
		if c.right {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, r := range rows {
		row := make(table.Row, len(r))
		for i, cell := range r {
			row[i] = cell
		}
		t.AppendRow(row)
	}
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	return t
}

// tableText draws a table, its header faint, every line cut to the screen.
func tableText(cols []column, rows [][]string, s Output) string {
	var b strings.Builder
	head := true
	for line := range strings.Lines(grid(cols, rows).Render()) {
		line = fit(strings.TrimRight(line, " \n"), s.Width)
		if head {
			line, head = s.paint(faint, line), false
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// markdownTable draws the same table for a document.
func markdownTable(cols []column, rows [][]string) string {
	return grid(cols, rows).RenderMarkdown() + "\n"
}
