package screen

import (
	"fmt"
	"strings"

	"offrun/backend/work"
)

// Memory shows a project's conventions and notes with what is known of who wrote
// them; or the brief, if that was asked for.
func Memory(m work.Memory, s Output) string {
	if m.Brief != nil {
		return strings.TrimLeft(Clean(m.Brief.Text), "\n")
	}
	var b strings.Builder
	for _, f := range m.Files {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s.paint(bold, Line(f.File)) + "\n")
		if text := strings.TrimSpace(Clean(f.Text)); text != "" {
			b.WriteString(prefixed("  ", text) + "\n")
		}
		if f.Notice != "" {
			b.WriteString("  " + s.paint(yellow, Line(f.Notice)) + "\n")
		}
		for _, w := range f.Written {
			text := fmt.Sprintf("  %s by %s in run %s, turn %d", spans(w.Lines), w.Attempt, w.Run, w.Turn)
			b.WriteString(s.paint(faint, text) + "\n")
		}
	}
	if b.Len() == 0 {
		return "nothing is noted yet; offrun memory add TEXT writes a convention\n"
	}
	return b.String()
}

// spans names lines: "line 3", "lines 1–4, 9".
func spans(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		k := i
		for k+1 < len(lines) && lines[k+1] == lines[k]+1 {
			k++
		}
		if k == i {
			parts = append(parts, fmt.Sprint(lines[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", lines[i], lines[k]))
		}
		i = k + 1
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}

// MemoryHits lists lines as file:line: text, so that editors can jump there.
func MemoryHits(hits []work.MemoryHit, s Output) string {
	if len(hits) == 0 {
		return "no line has all of these words\n"
	}
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(fit(s.paint(faint, fmt.Sprintf("%s:%d:", Line(h.File), h.Line))+" "+strings.TrimSpace(Line(h.Text)), s.Width) + "\n")
	}
	return b.String()
}
