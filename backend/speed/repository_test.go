package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestSourceIsTheSameForTheSameSeed(t *testing.T) {
	once, again, other := newSource(3).text(), newSource(3).text(), newSource(4).text()
	if once != again || once == other {
		t.Error("the seed does not decide the text")
	}
}

// The bars are about trees like real ones: many small files, few big ones.
func TestSizesAreThoseOfASourceTree(t *testing.T) {
	s := newSource(1)
	total, big := 0, 0
	for range 1000 {
		n := len(s.text())
		total += n
		if n > 100<<10 {
			big++
		}
	}
	if mean := total / 1000; mean < 8<<10 || mean > 15<<10 || big == 0 || big > 50 {
		t.Errorf("mean %d bytes, %d of 1000 above 100 KB", mean, big)
	}
}

func TestHistoryNamesEachFileOnce(t *testing.T) {
	var b bytes.Buffer
	if err := writeHistory(&b, 50); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for l := range strings.Lines(b.String()) {
		if path, ok := strings.CutPrefix(l, "M 100644 inline "); ok {
			seen[path] = true
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d files, want 50", len(seen))
	}
}
