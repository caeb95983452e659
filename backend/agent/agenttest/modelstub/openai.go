package modelstub

import (
	"fmt"
	"maps"
	"time"
)

func (a *answer) responses() {
	items := a.items()
	if !a.r.stream {
		reply(a.w, 200, a.response("completed", items))
		return
	}
	a.start()
	number := -1
	event := func(name string, o object) {
		number++
		o["type"], o["sequence_number"] = name, number
		a.event(name, o)
	}
	event("response.created", object{"response": a.response("in_progress", []any{})})
	for i, it := range items {
		a.item(event, i, it.(object))
	}
	event("response.completed", object{"response": a.response("completed", items)})
}

func (a *answer) response(status string, output []any) object {
	o := object{"id": "resp_" + a.id, "object": "response", "created_at": time.Now().Unix(), "status": status, "model": a.r.model,
		"output": output, "error": nil, "incomplete_details": nil}
	if status == "completed" {
		o["usage"] = object{"input_tokens": a.t.In, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": a.t.Out, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.t.In + a.t.Out}
	}
	return o
}

// items are the parts of an answer, each an object.
func (a *answer) items() []any {
	var items []any
	if a.t.Think != "" {
		items = append(items, object{"type": "reasoning", "id": "rs_" + a.id, "summary": []any{object{"type": "summary_text", "text": a.t.Think}}})
	}
	if a.speaks() {
		items = append(items, object{"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed", "content": []any{text(a.t.Say)}})
	}
	for _, c := range a.calls {
		if c.freeform {
			items = append(items, object{"type": "custom_tool_call", "id": "ctc_" + c.id, "call_id": c.id, "name": c.name, "input": c.args, "status": "completed"})
		} else {
			items = append(items, object{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.name, "arguments": c.args, "status": "completed"})
		}
	}
	return items
}

func text(s string) object { return object{"type": "output_text", "text": s, "annotations": []any{}} }

// item sends one item: begun and empty, its pieces, then whole.
func (a *answer) item(event func(string, object), index int, item object) {
	begun := maps.Clone(item)
	begun["status"] = "in_progress"
	at := func(o object) object {
		o["item_id"], o["output_index"] = item["id"], index
		return o
	}
	switch item["type"] {
	case "message":
		begun["content"] = []any{}
	case "function_call":
		begun["arguments"] = ""
	case "custom_tool_call":
		begun["input"] = ""
	}
	event("response.output_item.added", object{"output_index": index, "item": begun})
	switch item["type"] {
	case "message":
		event("response.content_part.added", at(object{"content_index": 0, "part": text("")}))
		for _, half := range halves(a.t.Say) {
			event("response.output_text.delta", at(object{"content_index": 0, "delta": half}))
		}
		event("response.output_text.done", at(object{"content_index": 0, "text": a.t.Say}))
		event("response.content_part.done", at(object{"content_index": 0, "part": text(a.t.Say)}))
	case "function_call":
		event("response.function_call_arguments.delta", at(object{"delta": item["arguments"]}))
		event("response.function_call_arguments.done", at(object{"arguments": item["arguments"]}))
	}
	event("response.output_item.done", object{"output_index": index, "item": item})
}

func (a *answer) chat() {
	finish := "stop"
	var calls []any
	for i, c := range a.calls {
		finish = "tool_calls"
		calls = append(calls, object{"index": i, "id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.args}})
	}
	usage := object{"prompt_tokens": a.t.In, "completion_tokens": a.t.Out, "total_tokens": a.t.In + a.t.Out}
	if !a.r.stream {
		m := object{"role": "assistant", "content": a.t.Say}
		if calls != nil {
			m["tool_calls"] = calls
		}
		o := a.completion("chat.completion", []any{object{"index": 0, "message": m, "finish_reason": finish}})
		o["usage"] = usage
		reply(a.w, 200, o)
		return
	}
	a.start()
	chunk := func(delta object, finish any) {
		a.event("", a.completion("chat.completion.chunk", []any{object{"index": 0, "delta": delta, "finish_reason": finish}}))
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if a.t.Think != "" {
		chunk(object{"reasoning_content": a.t.Think}, nil)
	}
	if a.t.Say != "" {
		for _, half := range halves(a.t.Say) {
			chunk(object{"content": half}, nil)
		}
	}
	if calls != nil {
		chunk(object{"tool_calls": calls}, nil)
	}
	chunk(object{}, finish)
	last := a.completion("chat.completion.chunk", []any{})
	last["usage"] = usage
	a.event("", last)
	fmt.Fprint(a.w, "data: [DONE]\n\n")
}

func (a *answer) completion(kind string, choices []any) object {
	return object{"id": "chatcmpl-" + a.id, "object": kind, "created": time.Now().Unix(), "model": a.r.model, "choices": choices}
}
