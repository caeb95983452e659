package screen

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A conversation of every kind of entry, with a line that is no entry.
const talk = `{"at":"2026-01-02T03:04:05Z","kind":"began","session":"8d02bb77","model":"claude-sonnet"}
{"at":"2026-01-02T03:04:06Z","kind":"said","text":"I look at \u001b[2Jsrc/登录.ts first.\nThen I run the tests."}
{"at":"2026-01-02T03:04:07Z","kind":"did","text":"npm test -- login\n  --verbose","tool":"Bash","id":"1"}
{"at":"2026-01-02T03:04:08Z","kind":"did","text":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11","id":"1"}
{"at":"2026-01-02T03:04:08Z","kind":"did","tool":"Write","id":"2","path":"/w/src/a.ts"}
{"at":"2026-01-02T03:04:08Z","kind":"did","id":"2"}
{"at":"2026-01-02T03:04:09Z","kind":"did","text":"no such file","id":"3","failed":true}
{"at":"2026-01-02T03:04:10Z","kind":"asked","text":"May I remove it?"}
{"at":"2026-01-02T03:04:10Z","kind":"asked","text":"Bash: rm -rf /","failed":true}
{"at":"2026-01-02T03:04:11Z","kind":"limited","text":"80 % of the 5 hour limit used","resets_at":"2026-01-02T08:00:00Z"}
{"at":"2026-01-02T03:04:12Z","kind":"retried","text":"tries again, 1 of 10"}
{"at":"2026-01-02T03:04:13Z","kind":"noted","text":"a line of 100000000 bytes, too long to show"}
{"at":"2026-01-02T03:04:14Z","kind":"told","text":"Please go on.\nAnd add a test."}
not an entry
{"at":"2026-01-02T03:04:15Z","kind":"spent","usage":{"input_tokens":18412,"output_tokens":640,"cost_usd":0.0733}}
{"at":"2026-01-02T03:04:16Z","kind":"ended"}
{"at":"2026-01-02T03:04:17Z","kind":"ended","failed":true,"text":"Usage limit reached"}
{"at":"2026-01-02T03:04:18Z","kind":"of a later version"}
`

func TestConversation(t *testing.T) {
	utc(t)
	for name, s := range map[string]Output{"pipe": pipe, "wide": wide} {
		var out bytes.Buffer
		c := &Conversation{to: &out, out: s}
		for piece := range strings.SplitSeq(talk, "e") { // pages end anywhere
			c.Write([]byte(piece))
			c.Write([]byte("e"))
		}
		golden(t, "conversation-"+name, out.String())
	}
}

// utc makes local times the same on every machine.
func utc(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
}
