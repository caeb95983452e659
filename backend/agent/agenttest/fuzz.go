package agenttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"offrun/backend/agent"
)

// Fuzz feeds decode with the recorded lines of testdata and what a fuzzer makes
// of them: it never panics, and what it returns can be stored.
func Fuzz(f *testing.F, decode agent.Decoder) {
	for _, pattern := range []string{"testdata/*.jsonl", "testdata/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				f.Add(bytes.TrimRight(line, "\n"), filepath.Ext(file) == ".txt")
			}
		}
	}
	f.Add([]byte("caf\xe9 \x1b[31mred\x1b[0m"), false)
	f.Fuzz(func(t *testing.T, line []byte, stderr bool) {
		var facts agent.Facts
		for _, e := range decode(line, stderr) {
			checkEntry(t, e)
			if !utf8.ValidString(e.Text) {
				t.Errorf("text %q is not valid", e.Text)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Errorf("%+v: %v", e, err)
			}
			facts.Add(e)
		}
		facts.Impatient()
	})
}
