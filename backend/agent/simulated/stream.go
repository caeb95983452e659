package simulated

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"offrun/backend/work"
)

// A stream prints lines in the format of Claude Code.
type stream struct {
	out     io.Writer
	session string
	calls   int
}

// object is a line, or a part of one.
type object map[string]any

func (s *stream) print(line object) {
	line["session_id"], line["timestamp"] = s.session, time.Now().UTC().Format(time.RFC3339Nano)
	// Encode writes one line at once; a reader that has gone is the caller's
	// business, as it is for any program.
	_ = json.NewEncoder(s.out).Encode(line)
}

func (s *stream) began(dir string) {
	s.print(object{"type": "system", "subtype": "init", "cwd": dir, "model": "simulated", "apiKeySource": "none"})
}

func (s *stream) say(text string) { s.assistant(object{"type": "text", "text": text}) }

func (s *stream) assistant(block object) {
	s.print(object{"type": "assistant", "message": object{"role": "assistant", "content": []object{block}}})
}

// call prints that a tool is used and returns the id of the call.
func (s *stream) call(tool string, input map[string]string) string {
	s.calls++
	id := fmt.Sprintf("toolu_%d", s.calls)
	s.assistant(object{"type": "tool_use", "id": id, "name": tool, "input": input})
	return id
}

func (s *stream) result(call, text string, failed bool) {
	s.print(object{"type": "user", "message": object{"role": "user", "content": []object{
		{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed},
	}}})
}

func (s *stream) ended(u work.Usage, text string, failed bool) {
	subtype := "success"
	if failed {
		subtype = "error_during_execution"
	}
	s.print(object{"type": "result", "subtype": subtype, "is_error": failed, "result": text, "total_cost_usd": u.CostUSD,
		"usage": object{"input_tokens": u.Input, "output_tokens": u.Output}})
}
