package screen

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"offrun/backend/work"
)

// Landing shows a landing, or the preview of one, with the warnings about it.
func Landing(l work.Landing, warnings ...string) string {
	var b strings.Builder
	if l.At == nil {
		fmt.Fprintf(&b, "would land on %s %s", Line(l.Trunk), short(l.Parent))
	} else {
		fmt.Fprintf(&b, "landed on %s as %s", Line(l.Trunk), short(l.Commit))
	}
	fmt.Fprintf(&b, ": %s, %s\n", Count(l.Files, "file"), lines(l.Added, l.Deleted))
	if l.Behind > 0 {
		fmt.Fprintf(&b, "  merged with %s that came to %s since the run started\n", Count(l.Behind, "commit"), Line(l.Trunk))
	}
	for _, g := range l.Gates {
		how := string(g.Status)
		if l.At == nil {
			how = "would run"
		}
		fmt.Fprintf(&b, "  gate %s: %s\n", Line(g.Command), how)
	}
	if l.At == nil && len(l.Gates) == 0 {
		b.WriteString("  no gate would run: .offrun/project.yaml has none\n")
	}
	for _, d := range warnings {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if l.Checkout != "" {
		fmt.Fprintf(&b, "  moved forward in %s\n", Path(l.Checkout))
	}
	b.WriteString("\n" + prefixed("    ", strings.TrimSpace(Clean(l.Message))) + "\n")
	return b.String()
}

// Warnings say what a person should know of a result before it lands: what breaks
// a rule, and files whose diff shows nothing.
func Warnings(v work.Verdict, changes []work.Change) []string {
	var binary, warnings []string
	for _, c := range changes {
		if c.Added < 0 {
			binary = append(binary, c.Path)
		}
	}
	for _, d := range []struct {
		name  string
		paths []string
	}{
		{"out of scope", v.OutOfScope},
		{"protected", v.Protected},
		{"the card says not to touch", v.Forbidden},
		{"binary", binary},
	} {
		if len(d.paths) > 0 {
			warnings = append(warnings, d.name+": "+list(d.paths))
		}
	}
	return warnings
}

// Undo says what was taken back, and how.
func Undo(l work.Landing) string {
	what := fmt.Sprintf("took back %s of run %s from %s", l.Attempt, l.Run, Line(l.Trunk))
	if l.UndoneBy == "" {
		return fmt.Sprintf("%s: it is at %s again\n", what, short(l.Parent))
	}
	return fmt.Sprintf("%s: reverted by %s\n", what, short(l.UndoneBy))
}

// Cleaning lists what was removed, or would be.
func Cleaning(cs []work.Cleaning) string {
	if len(cs) == 0 {
		return "nothing to clean\n"
	}
	var b strings.Builder
	var freed int64
	for _, c := range cs {
		if c.Refused != "" {
			continue // it is an error, and told there
		}
		word := "removed"
		if c.DryRun {
			word = "would remove"
		}
		freed += c.Freed
		fmt.Fprintf(&b, "%s %s (%s)\n", word, Path(c.Dir), humanize.Bytes(uint64(max(0, c.Freed))))
		if c.Archive != "" {
			fmt.Fprintf(&b, "  kept at %s\n", Line(c.Archive))
		}
		if len(c.Ignored) > 0 {
			fmt.Fprintf(&b, "  with ignored files: %s\n", list(c.Ignored))
		}
	}
	if b.Len() > 0 {
		fmt.Fprintf(&b, "%s of disk space\n", humanize.Bytes(uint64(max(0, freed))))
	}
	return b.String()
}
