package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offrun/backend/git/gittest"
)

// At a terminal the editor opens; what is written to the file while it is open
// stays beside what the user wrote.
func TestTerminalMemoryEdit(t *testing.T) {
	dir, env := desk(t)
	editor := filepath.Join(t.TempDir(), "my editor")
	gittest.Write(t, editor, "#!/bin/sh\necho open >/dev/tty; read line; printf -- '- %s\\n' \"$line\" >> \"$2\"\n")
	if err := os.Chmod(editor, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := "sk-ant-" + strings.Repeat("a1B2c3D4", 8) // shown to nobody, and still there after an edit
	env = append(env, "VISUAL='"+editor+"' --wait")
	sit(t, dir, env, 100, "project", "add", ".", "--trust").ends(0)
	sit(t, dir, env, 100, "memory", "add", "first", secret).ends(0)
	p := sit(t, dir, env, 100, "memory", "edit")
	p.sees("open")
	sit(t, dir, env, 100, "memory", "add", "meanwhile").ends(0)
	p.types("mine\r")
	p.sees("wrote .offrun/conventions.md")
	p.ends(0)
	got, err := os.ReadFile(filepath.Join(dir, ".offrun/conventions.md"))
	if err != nil || string(got) != "- first "+secret+"\n- mine\n- meanwhile\n" {
		t.Errorf("%v: %q", err, got)
	}
}
