package modelstub

import "strings"

func anthropicRequest(r *request, o object) {
	if s := flat(o["system"]); s != "" {
		r.add("system", s)
	}
	for _, e := range list(o, "messages") {
		m := asObject(e)
		parts, ok := m["content"].([]any)
		if role := str(m, "role"); !ok || role != "user" {
			r.add(role, flat(m["content"]))
			continue
		}
		// One user message may hold tool results and, after them, a new prompt
		// (claude --resume merges them so): keep the two apart.
		var texts []string
		for _, p := range parts {
			if part := asObject(p); str(part, "type") == "tool_result" {
				r.add("tool", flat(part["content"]))
			} else {
				texts = append(texts, flat(p))
			}
		}
		if texts != nil {
			r.add("user", strings.Join(texts, "\n"))
		}
	}
	r.offerTools(list(o, "tools"))
}

// roleOf maps OpenAI's newer word for the system's role.
func roleOf(m object) string {
	if role := str(m, "role"); role != "developer" {
		return role
	}
	return "system"
}

func chatRequest(r *request, o object) {
	for _, e := range list(o, "messages") {
		m := asObject(e)
		text := flat(m["content"])
		if calls := m["tool_calls"]; calls != nil {
			text += "\n" + compact(calls)
		}
		r.add(roleOf(m), text)
	}
	r.offerTools(list(o, "tools"))
}

func responsesRequest(r *request, o object) {
	if s := str(o, "instructions"); s != "" {
		r.add("system", s)
	}
	if s, ok := o["input"].(string); ok {
		r.add("user", s)
	}
	for _, e := range list(o, "input") {
		m := asObject(e)
		switch t := str(m, "type"); {
		case t == "message" || t == "":
			r.add(roleOf(m), flat(m["content"]))
		case t == "reasoning":
		case t == "additional_tools": // codex may move its tool list into the input
			r.offerTools(list(m, "tools"))
		case strings.HasSuffix(t, "_output"):
			r.add("tool", flat(m["output"]))
		case strings.HasSuffix(t, "_call"):
			r.add("assistant", str(m, "name")+" "+str(m, "arguments")+str(m, "input"))
		default:
			r.add("other:"+t, flat(m))
		}
	}
	r.offerTools(list(o, "tools"))
}

func geminiRequest(r *request, o object) {
	system := o["systemInstruction"]
	if parts := asObject(system); parts != nil {
		system = parts["parts"]
	}
	if s := flat(system); s != "" {
		r.add("system", s)
	}
	for _, e := range list(o, "contents") {
		m := asObject(e)
		role := str(m, "role")
		if role == "model" {
			role = "assistant"
		}
		var texts []string
		for _, p := range list(m, "parts") {
			part := asObject(p)
			if part["functionResponse"] != nil {
				role = "tool"
			}
			if s := str(part, "text"); s != "" {
				texts = append(texts, s)
			} else {
				texts = append(texts, compact(part))
			}
		}
		r.add(role, strings.Join(texts, "\n"))
	}
	for _, e := range list(o, "tools") {
		r.offerTools(list(asObject(e), "functionDeclarations"))
	}
}
