package card

import (
	_ "embed"
	"strings"
)

// TemplateName is the file in tasks/ that new cards start from.
const TemplateName = "_template.md"

var (
	//go:embed template.en.md
	english []byte
	//go:embed template.zh.md
	chinese []byte
)

// Template returns the built-in template in language, a tag such as "en" or
// "zh-CN"; English where there is none in that language.
func Template(language string) []byte {
	if language == "zh" || strings.HasPrefix(language, "zh-") || strings.HasPrefix(language, "zh_") {
		return chinese
	}
	return english
}

func languageOf(text string) string {
	if strings.ContainsFunc(text, isHan) {
		return "zh"
	}
	return "en"
}

// withKind returns text with the kind in its front matter.
func withKind(text []byte, kind string) []byte {
	d := read(string(text))
	if d.front == "" {
		rest, marked := strings.CutPrefix(d.text, bom)
		front := strings.ReplaceAll("---\nkind: "+kind+"\n---\n", "\n", d.newline())
		if marked {
			front = bom + front
		}
		return []byte(front + rest)
	}
	at := strings.Index(d.text, d.front)
	front := "kind: " + kind + d.newline()
	for text := range strings.Lines(d.front) {
		if !strings.HasPrefix(text, "kind:") {
			front += text
		}
	}
	return []byte(d.text[:at] + front + d.text[at+len(d.front):])
}
