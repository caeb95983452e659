package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offrun/backend/work"
)

// program writes a shell script called name into a new folder.
func program(t *testing.T, name, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

var tool = Agent{
	Name: "Tool", Program: "tool", Places: []string{"~/bin"}, Version: []string{"--version"},
	Login: &Login{Args: []string{"login", "status"}, Read: func(stdout, stderr string, code int) (LoginState, string) {
		if code == 0 {
			return LoggedIn, strings.TrimSpace(stdout)
		}
		return NotLoggedIn, strings.TrimSpace(stderr)
	}},
}

func TestDetect(t *testing.T) {
	const script = `case "$1" in
--version) echo "tool-cli 1.2.3-beta (Tool)";;
login) if [ -n "$LOGIN" ]; then echo "as $LOGIN"; else echo nobody >&2; exit 1; fi;;
esac`
	dir := program(t, "tool", script)
	path := "PATH=" + os.Getenv("PATH")
	for _, tt := range []struct {
		env  []string
		want Detected
	}{
		{[]string{path, "LOGIN=ada"}, Detected{Version: "1.2.3-beta", Login: LoggedIn, Detail: "as ada"}},
		{[]string{path}, Detected{Version: "1.2.3-beta", Login: NotLoggedIn, Detail: "nobody"}},
	} {
		tt.want.Path = filepath.Join(dir, "tool")
		got, err := Detect(t.Context(), tool, Where{Path: dir}, tt.env)
		if err != nil || got != tt.want {
			t.Errorf("Detect = %+v, %v; want %+v", got, err, tt.want)
		}
	}
}

// F78: a program that waits for a browser or a key ring is not waited for, and one
// that does not tell is judged by a file whose content is nobody's business.
func TestF78LoginIsNotWaitedFor(t *testing.T) {
	hangs := program(t, "tool", `[ "$1" = login ] && exec sleep 60; echo 1.2.3`)
	d, err := Detect(t.Context(), tool, Where{Path: hangs, Patience: time.Second}, []string{"PATH=" + os.Getenv("PATH")})
	if err != nil || d.Version != "1.2.3" || d.Login != LoginUnknown || d.Detail == "" {
		t.Errorf("Detect = %+v, %v", d, err)
	}

	marked := tool
	marked.Login = &Login{Marker: ".tool/login.json"}
	marked.Accounts = &Accounts{Home: "~"}
	home, account := t.TempDir(), t.TempDir()
	file := filepath.Join(account, ".tool", "login.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("secret"), 0o000); err != nil { // not even readable
		t.Fatal(err)
	}
	for _, tt := range []struct {
		where Where
		want  LoginState
	}{
		{Where{Path: hangs, Home: home}, LoginUnknown},
		{Where{Path: hangs, Home: account}, LoggedIn},
		{Where{Path: hangs, Home: home, Login: account}, LoggedIn},
	} {
		d, err := Detect(t.Context(), marked, tt.where, []string{"PATH=" + os.Getenv("PATH")})
		if err != nil || d.Login != tt.want || strings.Contains(d.Detail, "secret") {
			t.Errorf("Detect(%+v) = %+v, %v; want %s", tt.where, d, err, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	onPath, override := program(t, "tool", ""), program(t, "other", "")
	home := t.TempDir()
	inPlace := filepath.Join(home, "bin", "tool")
	if err := os.Mkdir(filepath.Dir(inPlace), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inPlace, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		where Where
		want  string
	}{
		{Where{Path: onPath, Home: home}, filepath.Join(onPath, "tool")},
		{Where{Path: t.TempDir(), Home: home}, inPlace},
		{Where{Path: onPath, Override: filepath.Join(override, "other")}, filepath.Join(override, "other")},
	} {
		if got, err := Find(tool, tt.where); got != tt.want {
			t.Errorf("Find(%+v) = %q, %v; want %q", tt.where, got, err, tt.want)
		}
	}
	_, err := Find(tool, Where{Path: t.TempDir(), Home: t.TempDir()})
	if e := work.Public(err); e.Code != work.Unavailable || e.Next == "" {
		t.Errorf("not installed: %+v", e)
	}
}
