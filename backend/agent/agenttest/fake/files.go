package fake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// files are steps that change files in the working directory.
var files = map[string]step{
	"write":   do(write),  // =path or path:text, "_" for spaces
	"append":  do(extend), // likewise
	"delete":  do(func(_ *fake, arg string) error { return os.Remove(arg) }),
	"rename":  do(func(_ *fake, arg string) error { from, to, _ := strings.Cut(arg, ":"); return os.Rename(from, to) }),
	"notes":   do(notes), // NOTES.md, with a doubt
	"crlf":    do(func(*fake, string) error { return put("crlf.txt", []byte("one\r\ntwo\r\n")) }),
	"latin":   do(func(*fake, string) error { return put("latin1.txt", []byte("caf\xe9\n")) }),
	"binary":  do(binary), // =MB, 0 is a few bytes
	"names":   do(names),  // a newline, quotes, spaces and more in names
	"exec":    do(func(*fake, string) error { return os.WriteFile("tool.sh", []byte("#!/bin/sh\n"), 0o755) }),
	"symlink": do(symlinks), // into the tree and out of it
	"ignored": do(func(*fake, string) error { return put("ignored/build.log", []byte("built\n")) }),
	"many":    do(many),     // =files
	"fill":    do(fillDisk), // writes until the disk is full
	"spaces":  do(spaces),   // doubles the indentation of a file: noise
}

func put(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func pathAndText(arg string) (path, text string) {
	path, text, ok := strings.Cut(arg, ":")
	if !ok {
		text = "written by a fake agent"
	}
	return path, strings.ReplaceAll(text, "_", " ") + "\n"
}

func write(f *fake, arg string) error {
	path, text := pathAndText(arg)
	if err := put(path, []byte(text)); err != nil {
		return err
	}
	return f.used("Write", path)
}

func extend(f *fake, arg string) error {
	path, text := pathAndText(arg)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := put(path, append(old, text...)); err != nil {
		return err
	}
	return f.used("Edit", path)
}

func notes(f *fake, _ string) error {
	if err := put("NOTES.md", []byte("# Notes\n\n## Uncertain\n- whether fake work is work\n")); err != nil {
		return err
	}
	return f.used("Write", "NOTES.md")
}

func binary(_ *fake, arg string) error {
	text := []byte("\x00\x01\x02\xff")
	return put("data.bin", bytes.Repeat(text, max(1, count(arg, 0)<<20/len(text))))
}

func names(*fake, string) error {
	for _, name := range []string{"with space.txt", "ta\tb.txt", "new\nline.txt", `quo"te.txt`, "-dash.txt", "日本 🙂.txt", `back\slash.txt`} {
		if err := put(name, []byte(name+"\n")); err != nil {
			return err
		}
	}
	return nil
}

func symlinks(*fake, string) error {
	if err := os.Symlink("/etc/passwd", "out"); err != nil {
		return err
	}
	return os.Symlink(".", "in")
}

func many(_ *fake, arg string) error {
	for i := range count(arg, 100) {
		if err := put(fmt.Sprintf("many/%03d/%05d.txt", i%100, i), fmt.Appendf(nil, "file %d\n", i)); err != nil {
			return err
		}
	}
	return nil
}

func fillDisk(f *fake, _ string) error {
	file, err := os.Create("full.bin")
	if err != nil {
		return err
	}
	defer file.Close()
	for chunk := make([]byte, 1<<20); ; {
		if _, err := file.Write(chunk); err != nil {
			return f.say("the disk is full: " + err.Error())
		}
	}
}

func spaces(_ *fake, arg string) error {
	text, err := os.ReadFile(arg)
	if err != nil {
		return err
	}
	var wide []byte
	for line := range bytes.Lines(text) {
		wide = append(append(wide, "    "...), line...)
	}
	return put(arg, wide)
}
