package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"offrun/backend/work"
)

// seconds is a flag that takes a duration, or a number of seconds.
type seconds work.Seconds

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return work.Seconds(*s).Duration().String()
}

func (s *seconds) Type() string { return "time" }

func (s *seconds) Set(text string) error {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 {
		*s = seconds(n)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("not a time; allowed: 90s, 30m, 2h, or a number of seconds")
	}
	*s = seconds(work.SecondsOf(d))
	return nil
}

// choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }

func (c *choice) Type() string { return "name" }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		return fmt.Errorf("%q is not known; allowed: %s", text, strings.Join(c.allowed, ", "))
	}
	c.value = text
	return nil
}
