package simulated

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// Options are what a simulated agent runs with.
type Options struct {
	Args   []string // its id, then flags
	Dir    string   // where it works; "" is the working directory
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Pace   time.Duration // from one step to the next; about ten of them make a turn
}

// Pace makes a turn last two to four seconds: long enough to be watched.
const Pace = 330 * time.Millisecond

// Main plays a simulated agent to its end and returns the exit status.
func Main(ctx context.Context, o Options) int {
	p, err := newPlay(ctx, o)
	if err != nil {
		fmt.Fprintln(o.Stderr, "simulate:", err)
		return 2
	}
	if err := p.turn(); err != nil {
		p.end(err.Error(), true)
		return 1
	}
	return 0
}

// A play is one turn of one simulated agent.
type play struct {
	player
	ctx      context.Context
	stream   stream
	root     *os.Root
	dir      string
	message  string
	pace     time.Duration
	resume   bool
	readOnly bool
}

func newPlay(ctx context.Context, o Options) (*play, error) {
	if len(o.Args) == 0 || !slices.Contains(IDs, work.AgentID(o.Args[0])) {
		return nil, fmt.Errorf("name one of %v", IDs)
	}
	p := &play{ctx: ctx, player: players[work.AgentID(o.Args[0])], dir: o.Dir, pace: o.Pace}
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(o.Stderr)
	session := flags.String("session", "", "id of the conversation")
	flags.BoolVar(&p.resume, "resume", false, "go on with it")
	flags.BoolVar(&p.readOnly, "read-only", false, "answer only")
	if err := flags.Parse(o.Args[1:]); err != nil {
		return nil, err
	}
	message, err := io.ReadAll(o.Stdin)
	if err != nil {
		return nil, err
	}
	p.message = string(message)
	if p.dir == "" {
		if p.dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	if p.root, err = os.OpenRoot(p.dir); err != nil {
		return nil, err
	}
	p.stream = stream{out: o.Stdout, session: *session}
	return p, nil
}

func (p *play) turn() error {
	p.stream.began(p.dir)
	switch {
	case p.readOnly:
		p.say("I am simulated, and ready.")
	case p.resume:
		if err := p.again(); err != nil {
			return err
		}
	default:
		if err := p.task(); err != nil {
			return err
		}
		p.say(p.closing)
	}
	p.end("", false)
	return nil
}

// task does what the player does to the demo repository.
func (p *play) task() error {
	p.say(p.opening)
	if err := p.read("src/slug.sh"); err != nil {
		return errors.New("this agent is simulated and knows the demo repository only")
	}
	steps := []func() error{
		func() error { p.say(p.plan); return p.write("src/slug.sh", p.slug) },
		func() error { return p.add("tests/slug.sh", p.cases) },
		p.reformat,
		p.sprawl,
		p.test,
		func() error { return p.write("NOTES.md", p.notes) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// again answers a follow-up: one case more, and the message in the notes.
func (p *play) again() error {
	first, _, _ := strings.Cut(strings.TrimSpace(p.message), "\n")
	p.say("You wrote: " + first)
	if err := p.add("tests/slug.sh", "expect \"slug: asked for later\" \"$(slug 'Once More')\" once-more\n"); err != nil {
		return err
	}
	if err := p.test(); err != nil {
		return err
	}
	if err := p.add("NOTES.md", "\n## Later\n- asked: "+first+"\n- added a case to tests/slug.sh\n"); err != nil {
		return err
	}
	p.say("I added a case for it.")
	return nil
}

var indents = regexp.MustCompile(`(?m)^( {4})+`)

func (p *play) reformat() error {
	if !p.tabs {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(p.dir, "src", "*.sh"))
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.ToSlash(filepath.Join("src", filepath.Base(file)))
		text, err := p.root.ReadFile(name)
		if err != nil {
			return err
		}
		tabs := indents.ReplaceAllFunc(text, func(in []byte) []byte { return []byte(strings.Repeat("\t", len(in)/4)) })
		if err := p.put(name, string(tabs)); err != nil {
			return err
		}
	}
	p.wait()
	return nil
}

func (p *play) sprawl() error {
	for _, name := range []string{"README.md", "release.conf"} {
		if err := p.add(name, p.other[name]); err != nil {
			return err
		}
	}
	return nil
}

// test runs the tests as an agent would, and shows what they say.
func (p *play) test() error {
	if !p.tests {
		return nil
	}
	call := p.stream.call("Bash", map[string]string{"command": "sh test.sh"})
	out, err := proc.Cmd{Argv: []string{"sh", "test.sh"}, Dir: p.dir}.Output(p.ctx)
	if _, failed := errors.AsType[*proc.ExitError](err); err != nil && !failed {
		return err
	}
	p.stream.result(call, string(out), err != nil)
	p.wait()
	return nil
}

func (p *play) read(name string) error {
	call := p.stream.call("Read", map[string]string{"file_path": filepath.Join(p.dir, name)})
	text, err := p.root.ReadFile(name)
	p.stream.result(call, string(text), err != nil)
	p.wait()
	return err
}

func (p *play) write(name, text string) error {
	err := p.put(name, text)
	p.wait()
	return err
}

func (p *play) put(name, text string) error {
	call := p.stream.call("Write", map[string]string{"file_path": filepath.Join(p.dir, name), "content": text})
	err := p.root.WriteFile(name, []byte(text), 0o644)
	p.stream.result(call, "written", err != nil)
	return err
}

func (p *play) add(name, text string) error {
	if text == "" {
		return nil
	}
	old, err := p.root.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return p.write(name, string(old)+text)
}

func (p *play) say(text string) {
	p.stream.say(text)
	p.wait()
}

func (p *play) end(text string, failed bool) { p.stream.ended(p.usage, text, failed) }

func (p *play) wait() {
	select {
	case <-time.After(p.pace):
	case <-p.ctx.Done():
	}
}
