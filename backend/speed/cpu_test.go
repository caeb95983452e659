package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseProc(t *testing.T) {
	const stat = "4242 (a ) b) S 1 4242 4242 0 -1 4194304 900 0 0 0 250 50 7000 8000 20 0 9 0 12345 1 2"
	const status = "Name:\ta ) b\nVmPeak:\t 999999 kB\nVmHWM:\t   34170 kB\nVmRSS:\t   20000 kB\n"
	got, err := parseProc(stat, status)
	want := usage{cpu: 3 * time.Second, peak: 34170 << 10}
	if err != nil || got != want {
		t.Errorf("parseProc = %+v, %v; want %+v: user and system time of the process alone, in hundredths", got, err, want)
	}
	for _, bad := range [][2]string{{"", status}, {stat, ""}, {"1 (x) S 1", status}, {strings.Replace(stat, "250", "x", 1), status}} {
		if _, err := parseProc(bad[0], bad[1]); err == nil {
			t.Errorf("parseProc(%q, %q): no error", bad[0], bad[1])
		}
	}
}

func TestParsePS(t *testing.T) {
	got, err := parsePS("  1:02.50  34170\n")
	want := usage{cpu: 62500 * time.Millisecond, peak: 34170 << 10}
	if err != nil || got != want {
		t.Errorf("parsePS = %+v, %v; want %+v", got, err, want)
	}
	if _, err := parsePS(""); err == nil {
		t.Error("nothing was read without an error")
	}
}

// What a child uses counts, as soon as it has been waited for.
func TestCostOfCountsChildren(t *testing.T) {
	var child cost
	whole, err := costOf(func() (err error) {
		_, child, err = typed(t.Context(), "", nil, "/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if child.cpu <= 0 || whole.cpu < child.cpu || whole.wall < child.wall {
		t.Errorf("cost %+v of a child that cost %+v", whole, child)
	}
}

func TestUsageOf(t *testing.T) {
	u, err := usageOf(t.Context(), os.Getpid())
	if err != nil || u.peak < 1<<20 {
		t.Errorf("usage of this process: %+v, %v", u, err)
	}
}
