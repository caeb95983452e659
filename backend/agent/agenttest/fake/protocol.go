package fake

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Protocol is the variable that says how the fake agent behaves when it is
// started with --acp, in words: no-load (it cannot go on with a session), resume
// (it can without telling the past), gone (it finds no session), version=2, login
// (it wants one first), mute (it answers nothing), noisy (it prints what is no
// message), modes and options (it offers modes and models, in the one way and in
// the other).
const Protocol = "FAKE_ACP"

// dialogue are steps of an agent that speaks the Agent Client Protocol, beside all
// others.
var dialogue = map[string]step{
	"permit": do(permit),  // =kind:path, asks whether it may and writes the file if so
	"plan":   do(planned), // makes one and goes on with it
	"thought": do(func(f *fake, _ string) error {
		return f.peer.update("agent_thought_chunk", object{"content": piece("hm, let me see")})
	}),
	"strange": do(strange), // sends what no client can know
	"spend": do(func(f *fake, _ string) error {
		return f.peer.update("usage_update", object{"used": 9, "size": 100, "cost": object{"amount": 0.25, "currency": "USD"}})
	}),
	"refuse": do(func(f *fake, arg string) error { return f.peer.fail(f.peer.prompt, -32603, "Internal error", arg) }), // =errorKind
	"code": do(func(f *fake, arg string) error {
		return f.peer.fail(f.peer.prompt, count(arg, -32603), "it went wrong", "")
	}),
	"stop": do(func(f *fake, arg string) error { return f.peer.stop(arg) }), // =stopReason
}

// A peer is the other side of the protocol: the client.
type peer struct {
	words   []string
	session string
	prompt  json.RawMessage // id of the prompt that waits for its answer; nil if none does

	mu      sync.Mutex
	out     *os.File
	sent    int // requests
	said    int // messages
	replies chan reply
}

// A received is what comes from the client.
type received struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params struct {
		Session string `json:"sessionId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
		Mode  string `json:"modeId"`
		Value string `json:"value"`
	} `json:"params"`
	reply
}

// A reply is an answer to a request of ours.
type reply struct {
	Result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// serve speaks the protocol until its input ends, and returns the exit status.
func serve(args []string) int {
	p := &peer{words: strings.Fields(os.Getenv(Protocol)), out: os.Stdout, replies: make(chan reply)}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return 0
		}
		var m received
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err == nil {
			err = p.take(m, args)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "fake:", err)
			return 70
		}
	}
}

func (p *peer) is(word string) bool { return slices.Contains(p.words, word) }

// take answers one message of the client's.
func (p *peer) take(m received, args []string) error {
	switch {
	case p.is("mute"):
		return nil
	case m.Method == "" && m.ID != nil:
		p.replies <- m.reply
		return nil
	case m.Method == "initialize":
		return p.introduce(m.ID)
	case m.Method == "session/new":
		if p.is("login") {
			return p.fail(m.ID, -32000, "Authentication required", "")
		}
		p.session = fmt.Sprintf("fake-%d", os.Getpid())
		return p.answer(m.ID, p.offers(object{"sessionId": p.session}))
	case m.Method == "session/load" || m.Method == "session/resume":
		return p.load(m)
	case m.Method == "session/set_mode" || m.Method == "session/set_config_option":
		fmt.Fprintln(os.Stderr, "fake: set to", m.Params.Mode+m.Params.Value)
		return p.answer(m.ID, object{})
	case m.Method == "session/prompt":
		p.prompt = m.ID
		go p.play(m.Params.Prompt[0].Text, args)
		return nil
	case m.Method == "session/cancel":
		return p.stop("cancelled")
	}
	return p.fail(m.ID, -32601, "Method not found: "+m.Method, "")
}

func (p *peer) introduce(id json.RawMessage) error {
	if p.is("noisy") {
		if _, err := p.out.WriteString("loading plug-ins …\n\n{broken\n[]\n7\n{\"jsonrpc\":\"2.0\"}\n"); err != nil {
			return err
		}
	}
	version := 1
	if p.is("version=2") {
		version = 2
	}
	can := object{"loadSession": !p.is("no-load")}
	if p.is("resume") {
		can["sessionCapabilities"] = object{"resume": object{}}
	}
	return p.answer(id, object{"protocolVersion": version, "agentCapabilities": can, "agentInfo": object{"name": "fake", "version": "1.0.0"},
		"authMethods": []object{{"id": "login", "name": "Log in with Fake"}}})
}

// offers adds modes and models to what is known of a session.
func (p *peer) offers(o object) object {
	modes := []object{{"id": "default", "name": "Default"}, {"id": "yolo", "name": "Yolo"}}
	if p.is("modes") {
		o["modes"] = object{"currentModeId": "default", "availableModes": modes}
		o["models"] = object{"currentModelId": "fake-1", "availableModels": []object{{"modelId": "fake-1"}, {"modelId": "fake-2"}}}
	}
	if p.is("options") {
		o["configOptions"] = []object{
			{"id": "m", "category": "mode", "type": "select", "currentValue": "default", "options": []object{{"value": "default"}, {"value": "yolo"}}},
			{"id": "model", "category": "model", "type": "select", "currentValue": "fake-1", "options": []object{{"group": "g", "options": []object{{"value": "fake-1"}, {"value": "fake-2"}}}}},
		}
	}
	return o
}

// load goes on with a session; loading it tells its past.
func (p *peer) load(m received) error {
	if p.is("gone") {
		return p.fail(m.ID, -32602, "Invalid params", "unknown session")
	}
	p.session = m.Params.Session
	if m.Method == "session/load" {
		if err := p.update("user_message_chunk", object{"content": piece("the past")}); err != nil {
			return err
		}
		if err := p.update("agent_message_chunk", object{"content": piece("what was said in the past")}); err != nil {
			return err
		}
	}
	return p.answer(m.ID, p.offers(object{}))
}

// play performs the steps of a prompt. Without a final word the program ends.
func (p *peer) play(prompt string, args []string) {
	f := &fake{prompt: prompt, session: p.session, out: p.out, peer: p}
	code := f.perform(script(os.Getenv(Steps), prompt, strings.Join(args, "\n")))
	if p.prompt != nil || code != 0 {
		os.Exit(code)
	}
}

func (p *peer) send(o object) error {
	o["jsonrpc"] = "2.0"
	j, err := json.Marshal(o)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.out.Write(append(j, '\n'))
	return err
}

func (p *peer) answer(id json.RawMessage, result object) error {
	return p.send(object{"id": id, "result": result})
}

func (p *peer) update(kind string, o object) error {
	o["sessionUpdate"] = kind
	return p.send(object{"method": "session/update", "params": object{"sessionId": p.session, "update": o}})
}

// ask sends a request and waits for the reply.
func (p *peer) ask(method string, params object) (reply, error) {
	p.sent++
	err := p.send(object{"id": "fake-" + strconv.Itoa(p.sent), "method": method, "params": params})
	if err != nil {
		return reply{}, err
	}
	return <-p.replies, nil
}

// stop answers the prompt, unless that has its answer.
func (p *peer) stop(reason string) error {
	id := p.answered()
	if id == nil {
		return nil
	}
	return p.answer(id, object{"stopReason": reason, "usage": object{"inputTokens": 100, "outputTokens": 10, "totalTokens": 110}})
}

// answered returns the id of the prompt that waits for its answer, for the last time.
func (p *peer) answered() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := p.prompt
	p.prompt = nil
	return id
}

// fail answers a request with an error.
func (p *peer) fail(id json.RawMessage, code int, text, kind string) error {
	if string(id) == string(p.prompt) {
		p.answered()
	}
	e := object{"code": code, "message": text}
	if kind != "" {
		e["data"] = object{"errorKind": kind, "message": strings.ReplaceAll(kind, "_", " ")}
	}
	return p.send(object{"id": id, "error": e})
}

func piece(text string) object { return object{"type": "text", "text": text} }

// say says text in two pieces.
func (p *peer) say(text string) error {
	p.said++
	id := fmt.Sprintf("message-%d", p.said)
	half := strings.IndexByte(text, ' ') + 1
	for _, part := range []string{text[:half], text[half:]} {
		if err := p.update("agent_message_chunk", object{"messageId": id, "content": piece(part)}); err != nil {
			return err
		}
	}
	return nil
}

// used tells of a tool call as agents do: announced, named, done.
func (p *peer) used(id, tool, path string) error {
	if err := p.update("tool_call", object{"toolCallId": id, "title": tool, "kind": "edit", "status": "pending"}); err != nil {
		return err
	}
	err := p.update("tool_call_update", object{"toolCallId": id, "title": tool + " " + path, "locations": []object{{"path": path}}})
	if err != nil {
		return err
	}
	return p.update("tool_call_update", object{"toolCallId": id, "status": "completed", "content": []object{{"type": "content", "content": piece("ok")}}})
}

func permit(f *fake, arg string) error {
	kind, path, _ := strings.Cut(arg, ":")
	f.calls++
	call := object{"toolCallId": fmt.Sprintf("call-%d", f.calls), "title": kind + " " + path, "kind": kind, "status": "pending", "locations": []object{{"path": path}}}
	if kind == "execute" {
		call["locations"], call["rawInput"] = nil, object{"command": []string{"touch", "ran.txt"}, "cwd": path}
		path = "ran.txt"
	}
	r, err := f.peer.ask("session/request_permission", object{"sessionId": f.session, "toolCall": call, "options": []object{
		{"optionId": "always", "name": "Always allow", "kind": "allow_always"},
		{"optionId": "once", "name": "Allow", "kind": "allow_once"},
		{"optionId": "no", "name": "Reject", "kind": "reject_once"},
	}})
	if err != nil {
		return err
	}
	said := r.Result.Outcome.Outcome + " " + r.Result.Outcome.Option
	if o := r.Result.Outcome.Option; o == "once" || o == "always" {
		if err := put(path, []byte("written with permission\n")); err != nil {
			return err
		}
		err = f.peer.update("tool_call_update", object{"toolCallId": call["toolCallId"], "status": "completed", "rawOutput": "done"})
	} else {
		err = f.peer.update("tool_call_update", object{"toolCallId": call["toolCallId"], "status": "failed", "rawOutput": object{"error": "not permitted"}})
	}
	if err != nil {
		return err
	}
	return f.say("outcome: " + said)
}

func planned(f *fake, _ string) error {
	for _, status := range []string{"in_progress", "completed", "completed"} {
		err := f.peer.update("plan", object{"entries": []object{
			{"content": "look", "priority": "high", "status": status}, {"content": "mend", "priority": "low", "status": "pending"},
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

func strange(f *fake, _ string) error {
	for _, kind := range []string{"from_the_future", "available_commands_update", "current_mode_update"} {
		if err := f.peer.update(kind, object{"content": 7, "toolCallId": 7}); err != nil {
			return err
		}
	}
	if err := f.peer.update("agent_message_chunk", object{"content": "not an object"}); err != nil {
		return err
	}
	if err := f.peer.send(object{"method": "_fake/news", "params": []int{1}}); err != nil {
		return err
	}
	r, err := f.peer.ask("fs/read_text_file", object{"path": "/etc/passwd"})
	if err != nil {
		return err
	}
	return f.say(fmt.Sprintf("refused: %v", r.Error != nil && r.Error.Code == -32601))
}
