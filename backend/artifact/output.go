package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"offrun/backend/work"
)

// Each command that a supervisor ran has its files in one folder.
const (
	outFile  = "out"
	errFile  = "err"
	exitFile = "exit.json"
)

// maxOutput is how many bytes of one stream are copied; of a longer one the
// beginning and the end.
const maxOutput = 8 << 20

// ComposeTests writes the file at path from what the acceptance commands left in
// dir/1, dir/2 …: each command, what it printed, how it ended. The last line is
// exit=N, with the status of the first command that failed: 0 if none did, -1 if
// it was killed or there is no command.
func ComposeTests(path, dir string, commands []string) error {
	return WriteAtomic(path, 0o600, func(w io.Writer) error {
		status := 0
		if len(commands) == 0 {
			status = -1
			fmt.Fprintln(w, "There is no acceptance command in the card or in .offrun/project.yaml.")
		}
		for i, command := range commands {
			fmt.Fprintf(w, "$ %s\n", command)
			x, err := output(w, filepath.Join(dir, strconv.Itoa(i+1)))
			if err != nil {
				return err
			}
			if status == 0 && !x.OK() {
				status = x.Code
			}
			fmt.Fprintln(w)
		}
		_, err := fmt.Fprintf(w, "exit=%d\n", status)
		return err
	})
}

// JoinOutput writes the file at path from what one command left in dir.
func JoinOutput(path, dir string) error {
	return WriteAtomic(path, 0o600, func(w io.Writer) error {
		_, err := output(w, dir)
		return err
	})
}

// output writes what a command printed and how it ended. A command that has left
// no exit record was never run.
func output(w io.Writer, dir string) (work.Exit, error) {
	if err := stream(w, filepath.Join(dir, outFile), ""); err != nil {
		return work.Exit{}, err
	}
	if err := stream(w, filepath.Join(dir, errFile), "[standard error]\n"); err != nil {
		return work.Exit{}, err
	}
	var x work.Exit
	b, err := os.ReadFile(filepath.Join(dir, exitFile))
	if errors.Is(err, fs.ErrNotExist) {
		x = work.Exit{Code: -1, Reason: work.NotStarted, Text: "never run"}
	} else if err != nil {
		return x, err
	} else if err := json.Unmarshal(b, &x); err != nil {
		return x, fmt.Errorf("%s: %w", filepath.Join(dir, exitFile), err)
	}
	_, err = fmt.Fprintf(w, "[%s]\n", ending(x))
	return x, err
}

// ending says in words how a command ended.
func ending(x work.Exit) string {
	text := string(x.Reason)
	switch {
	case x.Reason == work.Exited && x.Signal == "":
		text = fmt.Sprintf("exit status %d", x.Code)
	case x.Signal != "":
		text += ", signal " + x.Signal
	}
	if took := x.EndedAt.Sub(x.StartedAt); took > 0 {
		text += fmt.Sprintf(", %.1f s", took.Seconds())
	}
	if x.Text != "" {
		text += ": " + x.Text
	}
	return text
}

// stream copies a file that may be missing or empty, with a title, and ends it
// with a newline.
func stream(w io.Writer, path, title string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	out := &lastByte{w: w}
	if _, err := io.WriteString(out, title); err != nil {
		return err
	}
	if left := info.Size() - maxOutput; left > 0 {
		if _, err := io.CopyN(out, f, maxOutput/2); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n[… %d bytes left out; all of it is in %s]\n", left, path)
		if _, err := f.Seek(-maxOutput/2, io.SeekEnd); err != nil {
			return err
		}
	}
	if _, err := io.Copy(out, f); err != nil {
		return err
	}
	if out.last != '\n' {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

// lastByte remembers the last byte that was written.
type lastByte struct {
	w    io.Writer
	last byte
}

func (l *lastByte) Write(b []byte) (int, error) {
	if len(b) > 0 {
		l.last = b[len(b)-1]
	}
	return l.w.Write(b)
}
