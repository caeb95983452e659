package modelstub

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// An answer is one answer of the model, on its way in the words of its API.
type answer struct {
	w      http.ResponseWriter
	r      *request
	t      Turn
	calls  []call
	id     string
	events int
}

func (a *answer) send() {
	switch a.r.api {
	case "anthropic":
		a.anthropic()
	case "responses":
		a.responses()
	case "chat":
		a.chat()
	case "gemini":
		a.gemini()
	}
}

// speaks reports whether the answer has a text; one without calls always has.
func (a *answer) speaks() bool { return a.t.Say != "" || len(a.calls) == 0 }

func (a *answer) start() {
	a.w.Header().Set("Content-Type", "text/event-stream")
	a.w.Header().Set("Cache-Control", "no-cache")
	a.w.Header().Set("request-id", "req_"+a.id)
	a.w.WriteHeader(200)
}

// event sends v as a server-sent event; name may be "".
func (a *answer) event(name string, v any) {
	a.events++
	if a.t.Fault == "cut" && a.events > 3 {
		panic(http.ErrAbortHandler) // drops the connection in mid-answer
	}
	if name != "" {
		fmt.Fprintf(a.w, "event: %s\n", name)
	}
	fmt.Fprintf(a.w, "data: %s\n\n", compact(v))
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// halves splits text, so that programs see more than one piece.
func halves(s string) []string {
	if len(s) < 8 {
		return []string{s}
	}
	h := len(s) / 2
	for h < len(s) && s[h]&0xC0 == 0x80 {
		h++
	}
	return []string{s[:h], s[h:]}
}

func (a *answer) anthropic() {
	stop := "end_turn"
	if len(a.calls) > 0 {
		stop = "tool_use"
	}
	message := object{"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.r.model, "stop_sequence": nil}
	usage := object{"input_tokens": a.t.In, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message["usage"] = usage
	if !a.r.stream {
		var content []any
		if a.speaks() {
			content = append(content, object{"type": "text", "text": a.t.Say})
		}
		for _, c := range a.calls {
			content = append(content, object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": json.RawMessage(c.args)})
		}
		usage["output_tokens"] = a.t.Out
		message["content"], message["stop_reason"] = content, stop
		reply(a.w, 200, message)
		return
	}
	a.start()
	message["content"], message["stop_reason"] = []any{}, nil
	a.event("message_start", object{"type": "message_start", "message": message})
	a.anthropicBlocks()
	a.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": a.t.Out}})
	a.event("message_stop", object{"type": "message_stop"})
}

func (a *answer) anthropicBlocks() {
	index := 0
	block := func(start object, deltas ...object) {
		a.event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			a.event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d})
		}
		a.event("content_block_stop", object{"type": "content_block_stop", "index": index})
		index++
	}
	if a.t.Think != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			object{"type": "thinking_delta", "thinking": a.t.Think}, object{"type": "signature_delta", "signature": "c3R1Yg=="})
	}
	if a.speaks() {
		var deltas []object
		for _, text := range halves(a.t.Say) {
			deltas = append(deltas, object{"type": "text_delta", "text": text})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range a.calls {
		block(object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": object{}}, object{"type": "input_json_delta", "partial_json": c.args})
	}
}

func (a *answer) gemini() {
	usage := object{"promptTokenCount": a.t.In, "candidatesTokenCount": a.t.Out, "totalTokenCount": a.t.In + a.t.Out}
	response := func(parts []any, finish string) any {
		c := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		if finish != "" {
			c["finishReason"] = finish
		}
		return a.r.wrap(object{"candidates": []any{c}, "usageMetadata": usage, "modelVersion": a.r.model, "responseId": a.id})
	}
	var texts, calls []any
	if a.t.Think != "" {
		texts = append(texts, object{"text": a.t.Think, "thought": true})
	}
	if a.speaks() {
		for _, text := range halves(a.t.Say) {
			texts = append(texts, object{"text": text})
		}
	}
	for _, c := range a.calls {
		calls = append(calls, object{"functionCall": object{"id": c.id, "name": c.name, "args": json.RawMessage(c.args)}, "thoughtSignature": "c3R1Yg=="})
	}
	if !a.r.stream {
		reply(a.w, 200, response(append(texts, calls...), "STOP"))
		return
	}
	a.start()
	for _, text := range texts {
		a.event("", response([]any{text}, ""))
	}
	if calls != nil {
		a.event("", response(calls, ""))
	}
	a.event("", response([]any{object{"text": ""}}, "STOP"))
}
