package fake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// speech are steps that print.
var speech = map[string]step{
	"quiet":   do(func(*fake, string) error { return nil }), // as the first step: prints no beginning
	"began":   do(func(f *fake, _ string) error { return f.began() }),
	"say":     do(func(f *fake, arg string) error { return f.say(strings.ReplaceAll(arg, "_", " ")) }),
	"prompt":  do(func(f *fake, _ string) error { return f.say("prompt: " + f.prompt) }),
	"env":     do(func(f *fake, _ string) error { return f.say(strings.Join(os.Environ(), "\n")) }),
	"session": do(func(f *fake, _ string) error { return f.say("session: " + f.session) }),
	"result":  do(func(f *fake, _ string) error { return f.result("", "") }),
	"garbage": do(func(f *fake, _ string) error {
		return f.raw("not json\n{\"type\":\"from the future\"}\n{\"type\":7}\n{broken\n\n")
	}),
	"latin1":   do(func(f *fake, _ string) error { return f.raw("caf\xe9 \x1b[31mred\x1b[0m\r\n") }),
	"longline": do(longLine), // =MB
	"flood":    do(flood),    // =lines
	"burst":    burst,        // 200 KB in one line, and it is gone
	"split":    do(split),    // characters and escapes in two writes
	"ask":      do(func(f *fake, _ string) error { return f.ask() }),
	"denied":   do(func(f *fake, _ string) error { return f.denied() }),
	"limit":    limit, // =claude, apikey, text, hidden, sleeping, retry
	"login":    do(func(f *fake, _ string) error { return f.result("Not logged in · Please run /login", "") }),
	"offline":  do(func(f *fake, _ string) error { return f.retry("unknown", 0.5) }),
	"warn":     do(func(f *fake, _ string) error { return f.window("allowed_warning") }),
	"stderr": do(func(_ *fake, arg string) error {
		_, err := fmt.Fprintln(os.Stderr, strings.ReplaceAll(arg, "_", " "))
		return err
	}),
}

type object map[string]any

func (f *fake) raw(text string) error {
	_, err := f.out.WriteString(text)
	return err
}

// print writes one line at once, or nothing where plain text is spoken.
func (f *fake) print(line object) error {
	if f.text || f.peer != nil {
		return nil
	}
	line["session_id"] = f.session
	j, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = f.out.Write(append(j, '\n'))
	return err
}

func (f *fake) began() error {
	return f.print(object{"type": "system", "subtype": "init", "model": "fake", "apiKeySource": "none"})
}

func (f *fake) say(text string) error {
	if f.peer != nil {
		return f.peer.say(text)
	}
	if f.text {
		return f.raw(text + "\n")
	}
	return f.print(message("assistant", object{"type": "text", "text": text}))
}

func message(role string, block object) object {
	return object{"type": role, "message": object{"role": role, "content": []object{block}}}
}

// used prints the call of a tool and its result.
func (f *fake) used(tool, path string) error {
	f.calls++
	id := fmt.Sprintf("toolu_%d", f.calls)
	if f.peer != nil {
		return f.peer.used(id, tool, path)
	}
	if err := f.print(message("assistant", object{"type": "tool_use", "id": id, "name": tool, "input": object{"file_path": path}})); err != nil {
		return err
	}
	return f.print(message("user", object{"type": "tool_result", "tool_use_id": id, "content": "ok"}))
}

// result prints the final word; text makes it a failure.
func (f *fake) result(text, apiError string) error {
	switch {
	case f.text:
		return f.raw(text)
	case f.peer != nil && apiError != "":
		return f.peer.fail(f.peer.prompt, -32603, "Internal error: "+text, "rate_limit")
	case f.peer != nil && text != "":
		return f.peer.fail(f.peer.prompt, -32603, text, "")
	case f.peer != nil:
		return f.peer.stop("end_turn")
	}
	line := object{"type": "result", "subtype": "success", "is_error": text != "", "result": text, "total_cost_usd": 0.01,
		"usage": object{"input_tokens": 100, "output_tokens": 10}}
	if apiError != "" {
		line["api_error"], line["api_error_status"] = apiError, 429
	}
	return f.print(line)
}

func (f *fake) ask() error {
	if f.text {
		return f.raw("Which port shall I use?\n")
	}
	question := object{"questions": []object{{"question": "Which port shall I use?"}}}
	return f.print(message("assistant", object{"type": "tool_use", "id": "q1", "name": "AskUserQuestion", "input": question}))
}

func (f *fake) denied() error {
	return f.print(object{"type": "system", "subtype": "permission_denied", "tool_name": "Write", "tool_use_id": "t1", "message": "not allowed here"})
}

func (f *fake) retry(cause string, seconds float64) error {
	return f.print(object{"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": seconds * 1000, "error": cause})
}

func (f *fake) window(status string) error { return f.windowFor(status, 2*time.Hour) }

// windowFor tells of a stretch of time for which usage is counted, and when it ends.
func (f *fake) windowFor(status string, rest time.Duration) error {
	return f.print(object{"type": "rate_limit_event", "rate_limit_info": object{"status": status, "rateLimitType": "five_hour", "utilization": 0.93,
		"resetsAt": time.Now().Add(rest).Unix() + 1}})
}

// limit runs into a usage limit, in one of the ways in which agents tell it.
func limit(f *fake, how string) (int, bool) {
	const text = "You've hit your 5-hour limit · resets 1:17pm (UTC)"
	code, err := 1, error(nil)
	switch how {
	case "text": // in words only
		fmt.Fprintln(os.Stderr, text)
	case "hidden": // in the middle, with exit status 0 and no final word
		code, err = 0, f.window("rejected")
	case "apikey": // without a time
		err = f.result("API Error: Request rejected (429)", "")
	case "retry": // says when it will try again, and sleeps
		err = f.print(object{"type": "system", "subtype": "retry", "data": object{"attempt": 1, "maxRetries": 10, "delayMs": 7_200_000}})
		time.Sleep(time.Hour) // as it would: the test is that somebody ends it
	default:
		if err = f.window("rejected"); err == nil {
			err = f.result(text, "usage_limit_reached")
		}
	}
	if err != nil {
		return 70, true
	}
	return code, true
}

func longLine(f *fake, arg string) error {
	w := bufio.NewWriterSize(f.out, 1<<20)
	if _, err := w.WriteString(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"`); err != nil {
		return err
	}
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range count(arg, 100) {
		if _, err := w.Write(chunk); err != nil {
			return err
		}
	}
	if _, err := w.WriteString("\"}]}}\n"); err != nil {
		return err
	}
	return w.Flush()
}

func flood(f *fake, arg string) error {
	for i := range count(arg, 100_000) {
		if err := f.say(fmt.Sprintf("line %d of a flood", i)); err != nil {
			return err
		}
	}
	return nil
}

func burst(f *fake, _ string) (int, bool) {
	if err := f.say(strings.Repeat("b", 200<<10)); err != nil {
		return 70, true
	}
	return 0, true
}

// split writes a line in pieces that end inside of a character and of an escape.
func split(f *fake, _ string) error {
	line := []byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"日本 \u001b[31mred\u001b[0m 🙂"}]}}` + "\n")
	for piece := range bytes.SplitSeq(line, []byte("\xe6")) {
		if _, err := f.out.Write(piece); err != nil {
			return err
		}
		if !bytes.HasSuffix(piece, []byte("\n")) {
			if _, err := f.out.Write([]byte("\xe6")); err != nil {
				return err
			}
		}
	}
	return nil
}
