package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// play is the agent that args describe:
//
//	sleep DIR             leaves the time at which it started in DIR, then sleeps
//	quick                 leaves one file and ends
//	write LINES RATE      says so many lines at so many a second
func play(args []string) error {
	started := time.Now()
	switch {
	case len(args) == 2 && args[0] == "sleep":
		if err := stamp(args[1], started); err != nil {
			return err
		}
		time.Sleep(10 * time.Minute) // it is cancelled long before
		return nil
	case len(args) == 1 && args[0] == "quick":
		return os.WriteFile("quick.txt", []byte("done\n"), 0o644)
	case len(args) == 3 && args[0] == "write":
		lines, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		rate, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return write(lines, rate)
	}
	return fmt.Errorf("no such agent: %q", args)
}

// stamp leaves the time in a file of its own, in one piece.
func stamp(dir string, at time.Time) error {
	path := filepath.Join(dir, strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(path+".new", []byte(strconv.FormatInt(at.UnixNano(), 10)), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path+".stamp")
}

// stamps returns the times that agents have left in dir, in order of the names.
func stamps(dir string) ([]time.Time, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.stamp"))
	if err != nil {
		return nil, err
	}
	var times []time.Time
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		nano, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, time.Unix(0, nano))
	}
	return times, nil
}

// The lines of Claude Code's stream, field by field as it prints them.
type (
	line struct {
		Type      string  `json:"type"`
		Message   message `json:"message"`
		Parent    *string `json:"parent_tool_use_id"`
		Session   string  `json:"session_id"`
		UUID      string  `json:"uuid"`
		Timestamp string  `json:"timestamp"`
		Request   string  `json:"request_id"`
	}
	message struct {
		Content    []block `json:"content"`
		ID         string  `json:"id"`
		Model      string  `json:"model"`
		Role       string  `json:"role"`
		Stop       *string `json:"stop_reason"`
		Sequence   *string `json:"stop_sequence"`
		Type       string  `json:"type"`
		Usage      tokens  `json:"usage"`
		Management *tokens `json:"context_management"`
	}
	block struct {
		Text string `json:"text"`
		Type string `json:"type"`
	}
	tokens struct {
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
	}
)

// spoken is what an agent says in line n. The number is how a lost one is noticed.
func spoken(n int) string {
	return "line " + strconv.Itoa(n) + ": the pool hands out a connection before the last one is given back"
}

// numberOf is n of spoken(n), or -1.
func numberOf(text string) int {
	number, ok := strings.CutPrefix(text, "line ")
	number, _, found := strings.Cut(number, ":")
	n, err := strconv.Atoi(number)
	if !ok || !found || err != nil {
		return -1
	}
	return n
}

// write says so many lines at so many a second, or as fast as it can if that is
// too fast, each encoded and written by itself.
func write(lines, rate int) error {
	const session = "8d02bb77-893f-49e9-bc8e-bacee6299baa"
	if err := say(map[string]string{"type": "system", "subtype": "init", "session_id": session, "model": "speed"}); err != nil {
		return err
	}
	l := line{
		Type: "assistant", Session: session, UUID: "e91b7657-bb20-4bd1-bf8c-2f015da9ebb7", Request: "req_011CVcZ8",
		Message: message{
			ID: "msg_01Vb6cWk", Model: "speed", Role: "assistant", Type: "message",
			Content: []block{{Type: "text"}}, Usage: tokens{Input: 12244, Output: 1},
		},
	}
	began := time.Now()
	for n := 0; n < lines; {
		due := min(lines, int(time.Since(began).Seconds()*float64(rate)))
		for ; n < due; n++ {
			l.Timestamp = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
			l.Message.Content[0].Text = spoken(n)
			if err := say(l); err != nil {
				return err
			}
		}
		time.Sleep(time.Millisecond)
	}
	return say(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": "done", "total_cost_usd": 0.1, "usage": tokens{Input: 12244, Output: lines}})
}

// say writes one line, in one write.
func say(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(b, '\n'))
	return err
}
