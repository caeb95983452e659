package cli

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
	pipe    = screen{}
	wide    = screen{terminal: true, colour: true, width: 160, height: 40}
	narrow  = screen{terminal: true, colour: true, width: 60, height: 12}
	noColor = screen{terminal: true, width: 100, height: 40}
)
