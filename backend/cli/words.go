package cli

import (
	"fmt"
	"strings"
	"time"
)

// count is a number with its noun: "1 file", "3 files".
func count(n int, noun string) string { return plural(n, noun, noun+"s") }

// plural is a number with what is said of one, or of several.
func plural(n int, one, several string) string {
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
