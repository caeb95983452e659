// Package fake is an agent program that behaves as told, well or badly: each
// behaviour is one that real agents have been seen with. It prints the format of
// Claude Code, or plain text when Format is "text".
//
// What to do is a list of steps, "write=a.txt commit say=done result", taken from
// the variable FAKE, else from the first line that begins with "fake:" in the
// prompt, the arguments or the file after --task. Without any it edits fake.txt
// and says that it is done. Steps are in the tables of this package; an unknown
// one ends it with status 64.
package fake

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The variables that it looks at.
const (
	Steps  = "FAKE"        // what to do
	Format = "FAKE_FORMAT" // claude or text
)

// usual is what it does when nothing is asked for.
const usual = "say=working write=fake.txt notes result"

// A fake is one run of the program.
type fake struct {
	prompt  string
	session string
	text    bool
	out     *os.File
	calls   int
	peer    *peer // whom it speaks to where it speaks the Agent Client Protocol
}

// A step does one thing; arg is what stands after "=". It returns the exit
// status, and whether the program ends here.
type step func(f *fake, arg string) (code int, end bool)

// do makes a step of something that can fail. A failed step ends the program.
func do(act func(f *fake, arg string) error) step {
	return func(f *fake, arg string) (int, bool) {
		if err := act(f, arg); err != nil {
			fmt.Fprintln(os.Stderr, "fake:", err)
			return 70, true
		}
		return 0, false
	}
}

// Main runs the steps and returns the exit status. It reads standard input to
// its end first, as real agents do, and so hangs where that stays open.
//
// With --acp it speaks the Agent Client Protocol, and its steps are those of each
// prompt; see Protocol.
func Main(args []string) int {
	if slices.Contains(args, "--acp") {
		return serve(args)
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		return 70
	}
	f := &fake{prompt: string(stdin), text: os.Getenv(Format) == "text", out: os.Stdout, session: flagOf(args, "--session-id", "--resume", "--session")}
	if slices.Contains(args, "--version") {
		fmt.Println("1.0.0 (fake)")
		return 0
	}
	before, err := f.remembers()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err)
		return 70
	}
	slices.Reverse(before) // a prompt without steps goes on with those of the latest message that had some
	steps := script(os.Getenv(Steps), append([]string{f.prompt, strings.Join(args, "\n"), contentOf(flagOf(args, "--task"))}, before...)...)
	if !strings.HasPrefix(steps, "quiet") {
		steps = "began " + steps
	}
	return f.perform(steps)
}

// perform takes the steps and returns the exit status.
func (f *fake) perform(steps string) int {
	for field := range strings.FieldsSeq(steps) {
		name, arg, _ := strings.Cut(field, "=")
		s, ok := find(name)
		if !ok {
			fmt.Fprintf(os.Stderr, "fake: unknown step %q\n", name)
			return 64
		}
		if code, end := s(f, arg); end {
			return code
		}
	}
	return 0
}

func find(name string) (step, bool) {
	for _, table := range []map[string]step{speech, files, repository, process, sessions, dialogue} {
		if s, ok := table[name]; ok {
			return s, true
		}
	}
	return nil, false
}

// script returns the steps: env, or those of the first text that has some.
func script(env string, texts ...string) string {
	if env != "" {
		return env
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if _, steps, ok := strings.Cut(line, "fake:"); ok {
				return strings.TrimSpace(steps)
			}
		}
	}
	return usual
}

func flagOf(args []string, names ...string) string {
	for i, arg := range args {
		if slices.Contains(names, arg) && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func contentOf(file string) string {
	if file == "" {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake:", err) // the task file was promised; its absence shows in what is done
	}
	return string(text)
}

// count reads a number, or returns otherwise.
func count(arg string, otherwise int) int {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return otherwise
	}
	return n
}
