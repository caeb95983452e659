package screen

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is drawn to testdata/golden")

// golden compares text with testdata/golden/name.txt. Escapes are written as \e,
// so that the files can be read.
func golden(t *testing.T, name, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "\x1b", `\e`)
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// The screens on which things are drawn.
var (
	pipe    = Output{}
	wide    = Output{Terminal: true, Colour: true, Width: 160, Height: 40}
	narrow  = Output{Terminal: true, Colour: true, Width: 60, Height: 12}
	noColor = Output{Terminal: true, Width: 100, Height: 40}
)
