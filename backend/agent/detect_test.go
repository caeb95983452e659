package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
