package proc

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const finderPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// fakeShell makes $SHELL a script that behaves as a user's shell may.
func fakeShell(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sh")
	write(t, path, "#!/bin/sh\n"+script, 0o755)
	t.Setenv("SHELL", path)
	t.Setenv("PATH", finderPath)
}

func TestF71LoginPath(t *testing.T) {
	for _, tt := range []struct {
		name, script, want string
	}{
		{"set by a file of the shell", `PATH=/opt/homebrew/bin:/bin; export PATH; eval "$2"`, "/opt/homebrew/bin:/bin:/usr/bin:/usr/sbin:/sbin"},
		{"among noise", `echo "welcome"; PATH=/opt/bin; eval "$2"; echo "PATH=/trap"; exit 1`, "/opt/bin:" + finderPath},
		{"relative folders", `PATH=.:bin:/opt/bin:; eval "$2"`, "/opt/bin:" + finderPath},
		{"no answer", `echo /opt/bin`, finderPath},
		{"reads its input", `cat; PATH=/opt/bin; eval "$2"`, "/opt/bin:" + finderPath},
		{"talks without end", `yes`, finderPath},
		{"stays after the answer", `PATH=/opt/bin; trap "" TERM; eval "$2"; /bin/sleep 60`, "/opt/bin:" + finderPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fakeShell(t, tt.script)
			if got := LoginPath(t.Context()); got != tt.want {
				t.Errorf("LoginPath = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestF71LoginPathOfAShellThatHangs(t *testing.T) {
	fakeShell(t, `trap "" TERM; sleep 60`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got := LoginPath(ctx); got != finderPath {
		t.Errorf("LoginPath = %q, want our own", got)
	}
}

func TestF71LoginPathWithoutShell(t *testing.T) {
	for _, shell := range []string{"", "zsh", "/no/such/shell"} {
		t.Setenv("PATH", finderPath)
		t.Setenv("SHELL", shell)
		if got := LoginPath(t.Context()); got != finderPath {
			t.Errorf("SHELL=%q: LoginPath = %q, want our own", shell, got)
		}
	}
}

// Real shells, as far as they are installed, each with the file that people put
// their PATH into.
func TestF71RealShells(t *testing.T) {
	for _, tt := range []struct{ shell, file, text string }{
		{"bash", ".bash_profile", `export PATH="/opt/mine:$PATH"`},
		{"zsh", ".zshrc", `export PATH="/opt/mine:$PATH"`},
		{"fish", ".config/fish/config.fish", `set -gx PATH /opt/mine $PATH`},
		{"nu", ".config/nushell/config.nu", `$env.PATH = ($env.PATH | prepend "/opt/mine")`},
		{"tcsh", ".tcshrc", `setenv PATH "/opt/mine:$PATH"`},
	} {
		t.Run(tt.shell, func(t *testing.T) {
			shell, err := exec.LookPath(tt.shell)
			if err != nil {
				t.Skipf("%s is not installed", tt.shell)
			}
			home := t.TempDir()
			mkdir(t, filepath.Dir(filepath.Join(home, tt.file)))
			write(t, filepath.Join(home, tt.file), tt.text+"\n", 0o644)
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			t.Setenv("SHELL", shell)
			t.Setenv("PATH", finderPath)
			if got := LoginPath(t.Context()); !strings.Contains(":"+got, ":/opt/mine:") {
				t.Errorf("LoginPath = %q, want /opt/mine in it", got)
			}
		})
	}
}
