package fake

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What a program does that has a login and keeps its conversations with it, in
// the places of Claude Code.
var sessions = map[string]step{
	"remember":   do((*fake).remember), // adds the prompt to the session's transcript
	"recall":     do((*fake).recall),   // says how the messages of the session begin
	"limited-at": limitedAt,            // =ACCOUNT,...: is limited there, goes on elsewhere
	"limited":    limitedOnce,          // =SECONDS: is limited for so long, the first time with this login
	"logged-out": loggedOut,            // =ACCOUNT,...: needs a login there
	"forgotten":  forgotten,            // does not know the session, if there is no transcript
	"account":    do((*fake).account),  // says which login it uses
}

// home is where the login lies, and login its name.
func home() string {
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(os.Getenv("HOME"), ".claude")
}

func login() string {
	if os.Getenv("CLAUDE_CONFIG_DIR") == "" {
		return "default"
	}
	return filepath.Base(home())
}

// transcript is the session's file.
func (f *fake) transcript() string {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	slug := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
			return r
		}
		return '-'
	}, dir)
	return filepath.Join(home(), "projects", slug, f.session+".jsonl")
}

// A remembered line is a message of the user, as Claude Code keeps it.
type remembered struct {
	Type    string `json:"type"`
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
}

func (f *fake) remember(string) error {
	line := remembered{Type: "user"}
	line.Message.Role, line.Message.Content = "user", f.prompt
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.transcript()), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.transcript(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(b, '\n'))
	return errors.Join(err, file.Close())
}

// remembers returns the messages of the session, oldest first.
func (f *fake) remembers() ([]string, error) {
	file, err := os.Open(f.transcript())
	if errors.Is(err, fs.ErrNotExist) || f.session == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []string
	for in := bufio.NewReader(file); ; {
		b, err := in.ReadBytes('\n')
		if err != nil {
			return all, nil // at its end, or half a line
		}
		var line remembered
		if json.Unmarshal(b, &line) == nil {
			all = append(all, line.Message.Content)
		}
	}
}

func (f *fake) recall(string) error {
	all, err := f.remembers()
	if err != nil {
		return err
	}
	for i, message := range all {
		first, _, _ := strings.Cut(message, "\n")
		if err := f.say(fmt.Sprintf("message %d of %d: %.60s", i+1, len(all), first)); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) account(string) error { return f.say("login " + login()) }

func limitedAt(f *fake, names string) (int, bool) {
	if !slices.Contains(strings.Split(names, ","), login()) {
		return 0, false
	}
	return limit(f, "claude")
}

func loggedOut(f *fake, names string) (int, bool) {
	if !slices.Contains(strings.Split(names, ","), login()) {
		return 0, false
	}
	if err := f.result("Not logged in · Please run /login", ""); err != nil {
		return 70, true
	}
	return 1, true
}

func limitedOnce(f *fake, arg string) (int, bool) {
	mark := filepath.Join(home(), "was-limited")
	if _, err := os.Stat(mark); err == nil {
		return 0, false
	}
	if err := errors.Join(os.MkdirAll(home(), 0o700), os.WriteFile(mark, nil, 0o600), f.windowFor("rejected", time.Duration(count(arg, 2))*time.Second)); err != nil {
		return 70, true
	}
	return 1, true
}

func forgotten(f *fake, _ string) (int, bool) {
	if all, err := f.remembers(); err == nil && len(all) > 0 {
		return 0, false
	}
	fmt.Fprintln(os.Stderr, "No conversation found with session ID: "+f.session)
	return 1, true
}
