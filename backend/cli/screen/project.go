package screen

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"offrun/backend/work"
)

// Projects lists projects.
func Projects(ps []work.Project, s Output) string {
	if len(ps) == 0 {
		return "no project yet; offrun init makes one of the repository you are in\n"
	}
	var rows [][]string
	for _, p := range ps {
		rows = append(rows, []string{string(p.ID), Path(p.Path)})
	}
	return tableText(columns("PROJECT", "PATH"), rows, s)
}

// Project shows a project: what was written, what may run, and whether it is
// trusted.
func Project(s work.ProjectState, out Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "project %s in %s\n", out.paint(bold, string(s.Project.ID)), Path(s.Project.Path))
	for _, f := range s.Created {
		fmt.Fprintf(&b, "  wrote %s\n", Path(f))
	}
	if s.Settings.Trunk != "" {
		fmt.Fprintf(&b, "  trunk: %s\n", Line(s.Settings.Trunk))
	}
	if len(s.Settings.Select) > 0 {
		fmt.Fprintf(&b, "  agents: %s\n", strings.Join(words(s.Settings.Select), ", "))
	}
	if len(s.Runnables) > 0 {
		b.WriteString("  may run:\n")
		for _, r := range s.Runnables {
			fmt.Fprintf(&b, "    %s: %s\n", Line(r.What), Line(r.Text))
		}
	}
	if s.Trusted {
		b.WriteString("  trusted\n")
	} else {
		b.WriteString(out.paint(yellow, "  not trusted: nothing of this runs until you say offrun project trust") + "\n")
	}
	return b.String()
}

// Findings lists findings, each with where it is and what to do about it.
func Findings(found []work.Finding, s Output) string {
	var b strings.Builder
	for _, f := range found {
		mark := s.paint(map[work.Level]string{work.OK: green, work.Warning: yellow, work.Problem: red}[f.Level], pad(string(f.Level), len("warning")))
		text := Line(f.Text)
		if f.Took > 0 {
			text += fmt.Sprintf(" (%s)", clock(f.Took.Duration()))
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", mark, Line(f.Check), text)
		if f.File != "" {
			fmt.Fprintf(&b, "         %s\n", s.paint(faint, Path(f.File)))
		}
		if f.Next != "" {
			fmt.Fprintf(&b, "         next: %s\n", Line(f.Next))
		}
	}
	return b.String()
}

// Bench describes a running bench.
func Bench(b work.BenchState) string {
	text := fmt.Sprintf("offrun %s, process %d, works on %s\ndata in %s\n", b.Version, b.PID, Count(b.Working, "attempt"), Path(b.Home))
	for _, n := range b.Notices {
		text += "note: " + Line(n) + "\n"
	}
	return text
}

// Artifacts lists the files that an attempt handed in. Their paths are for
// copying, and never cut.
func Artifacts(files []work.Artifact, s Output) string {
	if len(files) == 0 {
		return "nothing was handed in\n"
	}
	var rows [][]string
	for _, f := range files {
		rows = append(rows, []string{humanize.Bytes(uint64(max(0, f.Size))), Path(f.Path)})
	}
	return tableText([]column{{"SIZE", true}, {"FILE", false}}, rows, Output{Colour: s.Colour}) // paths are for copying: never cut
}
