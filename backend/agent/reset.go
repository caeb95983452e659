package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"offrun/backend/work"
)

// The ways in which agents tell when a limit ends.
var (
	epoch    = regexp.MustCompile(`\|(\d{10})\b`)
	stamp    = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
	clock    = regexp.MustCompile(`(?i)(?:resets?|try again)(?: at| on)? +(?:([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? +)?(\d{1,2})(?::(\d\d))? ?([ap]m)(?: \(([A-Za-z_]+(?:/[A-Za-z_+-]+)*)\))?`)
	duration = regexp.MustCompile(`(?i)(?:resets?|retry|try again)(?: in| after) +` + amount)
	retrying = regexp.MustCompile(`(?i)retrying(?: in| after) +` + amount)
	part     = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?) ?(ms|mil|d|h|m|s)`)
)

// amount matches "2h0m0s", "3 days 4 hours", "7574687ms".
const amount = `((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s),? ?(?:and )?)+)`

var units = map[string]time.Duration{"ms": time.Millisecond, "mil": time.Millisecond, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}

// ResetTime reads from text when a usage limit ends. Seen is when the text was
// printed; a time of day without a date is the next one after seen, in the zone
// that the text names or else in that of seen. The second result is false if
// text tells nothing.
func ResetTime(text string, seen time.Time) (time.Time, bool) {
	if m := epoch.FindStringSubmatch(text); m != nil {
		sec, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(sec, 0).UTC(), err == nil
	}
	if m := clock.FindStringSubmatch(text); m != nil {
		return clockTime(m, seen)
	}
	if d, ok := delay(duration, text); ok {
		return seen.Add(d).UTC(), true
	}
	if m := stamp.FindString(text); m != "" {
		t, err := time.Parse(time.RFC3339, m)
		return t.UTC(), err == nil
	}
	return time.Time{}, false
}

// clockTime takes the groups of clock: month, day, year, hour, minute, am or pm, zone.
func clockTime(m []string, seen time.Time) (time.Time, bool) {
	if zone, err := time.LoadLocation(m[7]); m[7] != "" && err == nil {
		seen = seen.In(zone)
	}
	hour, _ := strconv.Atoi(m[4]) // digits only, by the pattern; so are the others
	minute, _ := strconv.Atoi(m[5])
	if hour < 1 || hour > 12 || minute > 59 {
		return time.Time{}, false
	}
	hour %= 12
	if strings.EqualFold(m[6], "pm") {
		hour += 12
	}
	if m[1] == "" {
		t := time.Date(seen.Year(), seen.Month(), seen.Day(), hour, minute, 0, 0, seen.Location())
		if t.Before(seen.Truncate(time.Minute)) {
			t = t.AddDate(0, 0, 1)
		}
		return t.UTC(), true
	}
	month, err := time.Parse("Jan", m[1])
	if err != nil {
		return time.Time{}, false
	}
	day, _ := strconv.Atoi(m[2])
	year := seen.Year()
	if m[3] != "" {
		year, _ = strconv.Atoi(m[3])
	} else if month.Month() < seen.Month() {
		year++
	}
	return time.Date(year, month.Month(), day, hour, minute, 0, 0, seen.Location()).UTC(), true
}

// RetryDelay reads from text after how long a program will try again by itself.
func RetryDelay(text string) (time.Duration, bool) { return delay(retrying, text) }

// Waiting reads a line such as "Attempt 1 failed: …. Retrying after 7574687ms...",
// that some programs print on standard error and nowhere else.
func Waiting(text string) []work.Entry {
	wait, ok := RetryDelay(text)
	if !ok {
		return nil
	}
	e := work.Entry{Kind: work.Retried, Class: ClassOf(text), Text: Clean(text), Wait: work.SecondsOf(wait)}
	switch e.Class {
	case work.ClassLimited:
		e.Kind = work.Hit
	case work.ClassFailed:
		e.Class = work.ClassNetwork
	}
	return []work.Entry{e}
}

func delay(from *regexp.Regexp, text string) (time.Duration, bool) {
	m := from.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	var d time.Duration
	for _, p := range part.FindAllStringSubmatch(m[1], -1) {
		n, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			return 0, false
		}
		d += time.Duration(n * float64(units[strings.ToLower(p[2])]))
	}
	return d, d > 0
}
