package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"offrun/backend/work"
)

func TestDir(t *testing.T) {
	xdg, plain := "/x/offrun", "/home/u/.local/share/offrun"
	if runtime.GOOS == "darwin" {
		plain = "/home/u/Library/Application Support/Offrun"
		xdg = plain
	}
	for _, tt := range []struct {
		env  map[string]string
		want string
		code work.Code
	}{
		{map[string]string{"OFFRUN_HOME": "/o/../p/", "HOME": "/home/u"}, "/p", ""},
		{map[string]string{"OFFRUN_HOME": "relative"}, "", work.Invalid},
		{map[string]string{"HOME": "/home/u", "XDG_DATA_HOME": "/x"}, xdg, ""},
		{map[string]string{"HOME": "/home/u", "XDG_DATA_HOME": "relative"}, plain, ""},
		{map[string]string{"HOME": "/home/u"}, plain, ""},
		{nil, "", work.Unavailable},
	} {
		got, err := Dir(func(name string) string { return tt.env[name] })
		if got != tt.want || tt.code == "" && err != nil || tt.code != "" && work.CodeOf(err) != tt.code {
			t.Errorf("Dir(%v) = %q, %v; want %q %s", tt.env, got, err, tt.want, tt.code)
		}
	}
}

func TestMake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode = %v, %v; want 0700", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Make(filepath.Join(file, "sub")); work.CodeOf(err) != work.Unavailable || work.Public(err).Next == "" {
		t.Errorf("folder inside a file: %v, want unavailable with a next step", err)
	}
}

func TestSocket(t *testing.T) {
	if got, err := Socket("/short"); got != "/short/offrun.sock" || err != nil {
		t.Errorf("Socket(/short) = %q, %v", got, err)
	}
	long := "/" + strings.Repeat("é", 60)
	got, err := Socket(long)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > maxSocket || filepath.Dir(got) != fmt.Sprintf("/tmp/offrun-%d", os.Getuid()) {
		t.Errorf("Socket(long) = %q", got)
	}
	if again, _ := Socket(long); again != got {
		t.Errorf("Socket(long) = %q, then %q", got, again)
	}
	if other, _ := Socket(long + "x"); other == got {
		t.Error("two folders share a socket")
	}
}

func TestInstallID(t *testing.T) {
	dir := t.TempDir()
	ids := make([]string, 20)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			id, err := InstallID(dir)
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || len(id) != 16 {
			t.Fatalf("ids differ: %v", ids)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if other, err := InstallID(t.TempDir()); err != nil || other == ids[0] {
		t.Errorf("another folder's id = %q, %v; want another", other, err)
	}
}

func TestInstallIDEmpty(t *testing.T) {
	_, err := InstallID(withFile(t, "install-id", "\n"))
	if e, ok := errors.AsType[*work.Error](err); !ok || e.Code != work.Invalid {
		t.Errorf("empty id: %v, want invalid", err)
	}
}
