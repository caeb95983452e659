package screen

import (
	"fmt"
	"strings"
	"time"
)

// Count is a number with its noun: "1 file", "3 files".
func Count(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural is a number with what is said of one, or of several.
func Plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// lines is how many lines were added and deleted.
func lines(added, deleted int) string { return fmt.Sprintf("+%d −%d", added, deleted) }

// clock is a duration in at most two units: "0.4s", "42s", "3m07s", "2h05m", "3d04h".
func clock(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return strings.Replace(fmt.Sprintf("%.1fs", d.Seconds()), ".0s", "s", 1)
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// tokens is a count of tokens as people say it: "640", "18k", "1.2M".
func tokens(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// percent is a share, 0..1.
func percent(share float64) string { return fmt.Sprintf("%.0f%%", share*100) }

// short is the beginning of a commit id.
func short(commit string) string { return fmt.Sprintf("%.10s", commit) }

// words are names as plain strings.
func words[T ~string](names []T) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = string(n)
	}
	return all
}

// about is text with what leads to it, or nothing if there is no text.
func about(lead, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return lead + text
}

// prefixed puts prefix before every line of text.
func prefixed(prefix, text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(lines, "\n")
}

func list(paths []string) string {
	short := make([]string, 0, maxListed)
	for _, p := range paths[:min(len(paths), maxListed)] {
		short = append(short, Path(p))
	}
	text := strings.Join(short, ", ")
	if more := len(paths) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxListed is how many paths of a list are shown.
const maxListed = 8

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
