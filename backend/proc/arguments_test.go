package proc

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseArguments(t *testing.T) {
	for _, tt := range []struct {
		raw       string
		argv, env []string
		ok        bool
	}{
		{"\x02\x00\x00\x00/bin/sh\x00\x00\x00\x00sh\x00-i\x00A=1\x00B=2\x00\x00ptr=\x00", []string{"sh", "-i"}, []string{"A=1", "B=2"}, true},
		{"\x02\x00\x00\x00/bin/sh\x00sh\x00\x00A=1\x00", []string{"sh", ""}, []string{"A=1"}, true},
		{"\x01\x00\x00\x00/bin/sh\x00sh\x00", []string{"sh"}, []string{}, true},
		{"\x09\x00\x00\x00/bin/sh\x00sh\x00", nil, nil, false},
		{"\xff\xff\xff\xff/bin/sh\x00sh\x00", nil, nil, false},
		{"\x01", nil, nil, false},
	} {
		argv, env, err := parseArguments([]byte(tt.raw))
		if !cmp.Equal(argv, tt.argv) || !cmp.Equal(env, tt.env) || (err == nil) != tt.ok {
			t.Errorf("parseArguments(%q) = %q, %q, %v", tt.raw, argv, env, err)
		}
	}
}

func FuzzParseArguments(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00/bin/sh\x00\x00sh\x00A=1\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if argv, env, err := parseArguments(raw); err != nil && (argv != nil || env != nil) {
			t.Errorf("%q, %q and %v", argv, env, err)
		}
	})
}

func TestParseClock(t *testing.T) {
	for _, tt := range []struct {
		clock string
		want  time.Duration
	}{
		{"0:00.25", 250 * time.Millisecond},
		{"125:01.50", 125*time.Minute + 1500*time.Millisecond},
		{"01:02:03", time.Hour + 2*time.Minute + 3*time.Second},
		{"2-01:00:00", 49 * time.Hour},
		{"", 0},
		{"-", 0},
	} {
		if got := parseClock(tt.clock); got != tt.want {
			t.Errorf("parseClock(%q) = %v, want %v", tt.clock, got, tt.want)
		}
	}
}
