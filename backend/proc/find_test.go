package proc

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"offrun/backend/work"
)

// elfProgram returns the smallest file that debug/elf takes for a program: a
// header, and the name of a loader if one is given.
func elfProgram(machine elf.Machine, loader string) string {
	var b bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Phoff: 64, Ehsize: 64, Phentsize: 56, Shentsize: 64,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	if loader != "" {
		h.Phnum = 1
	}
	binary.Write(&b, binary.LittleEndian, h)
	if loader != "" {
		n := uint64(len(loader) + 1)
		binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 120, Filesz: n, Memsz: n})
		b.WriteString(loader + "\x00")
	}
	return b.String()
}

func TestFind(t *testing.T) {
	bin := t.TempDir()
	late := t.TempDir()
	for name, text := range map[string]string{
		"good":     "#!/bin/sh\n",
		"envgood":  "#!/usr/bin/env -S FOO=1 good --flag\n",
		"noint":    "#!/no/such/interpreter -x\n",
		"envnoint": "#! /usr/bin/env no-such-node\n",
		"bare":     "#!\n",
		"empty":    "",
		"odd":      "neither this nor that",
	} {
		write(t, filepath.Join(bin, name), text, 0o755)
	}
	write(t, filepath.Join(bin, "plain"), "#!/bin/sh\n", 0o644)
	write(t, filepath.Join(bin, "both"), "#!/bin/sh\n", 0o644)
	write(t, filepath.Join(late, "both"), "#!/bin/sh\n", 0o755)
	if err := os.Mkdir(filepath.Join(bin, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want string // the path, or a part of the error
		ok   bool
	}{
		{"good", bin + "/good", true},
		{bin + "/good", bin + "/good", true},
		{"envgood", bin + "/envgood", true},
		{"odd", bin + "/odd", true}, // the system may have been taught to run it
		{"both", late + "/both", true},
		{"missing", `"missing" is not there`, false},
		{"", `"" is not there`, false},
		{"folder", `"folder" is not there`, false},
		{bin + "/missing", `missing" is not there`, false},
		{"plain", bin + "/plain is not executable", false},
		{bin + "/plain", bin + "/plain is not executable", false},
		{"noint", `script for "/no/such/interpreter", which is not there`, false},
		{"envnoint", `script for "no-such-node", which is not there`, false},
		{"bare", "names no interpreter", false},
		{"empty", "is empty", false},
	} {
		checkFind(t, tt.name, bin+":"+late, tt.want, tt.ok)
	}
}

func TestFindPassesOverRelativeFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "trap"), "#!/bin/sh\n", 0o755)
	t.Chdir(dir)
	checkFind(t, "trap", ".::bin", "not there", false)
	if path, err := Find("./trap", ""); !filepath.IsAbs(path) || err != nil {
		t.Errorf("Find(./trap) = %q, %v; want it absolute", path, err)
	}
}

func TestFindLooksIntoPrograms(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the table is for Linux on amd64 and arm64")
	}
	own, other := elf.EM_X86_64, elf.EM_AARCH64
	if runtime.GOARCH == "arm64" {
		own, other = other, own
	}
	bin := t.TempDir()
	for _, tt := range []struct {
		name, text string
		want       string
		ok         bool
	}{
		{"static", elfProgram(own, ""), bin + "/static", true},
		{"dynamic", elfProgram(own, "/bin/sh"), bin + "/dynamic", true},
		{"musl", elfProgram(own, "/lib/no-such-ld.so.1"), "needs the loader /lib/no-such-ld.so.1", false},
		{"other", elfProgram(other, ""), "made for another machine", false},
		{"damaged", elfProgram(own, "")[:30], "is damaged", false},
		{"mac", "\xcf\xfa\xed\xfe" + strings.Repeat("\x00", 60), "a program for macOS", false},
	} {
		write(t, filepath.Join(bin, tt.name), tt.text, 0o755)
		checkFind(t, tt.name, bin, tt.want, tt.ok)
	}
	if _, err := Find(os.Args[0], ""); err != nil {
		t.Errorf("this very program: %v", err)
	}
}

func checkFind(t *testing.T, name, pathList, want string, ok bool) {
	t.Helper()
	path, err := Find(name, pathList)
	if ok {
		if path != want || err != nil {
			t.Errorf("Find(%q) = %q, %v; want %q", name, path, err, want)
		}
		return
	}
	e, isWork := errors.AsType[*work.Error](err)
	if path != "" || !isWork || e.Code != work.Unavailable || e.Next == "" || !strings.Contains(e.Msg, want) {
		t.Errorf("Find(%q) = %q, %v; want unavailable, a next step and %q", name, path, err, want)
	}
}
