package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"offrun/backend/proc"
	"offrun/backend/work"
)

// How long an agent may take to end its turn when it is cancelled, and its
// program to end when its input has ended. Together they are less than the grace
// that a supervisor gives.
const (
	cancelPatience = 2 * time.Second
	endPatience    = 2 * time.Second
)

// Run starts the program of an agent, hands it the prompt from o.Stdin, prints
// what it says and does as entries, and returns the exit status: 0 when the agent
// ended its turn, or was lost in the middle of it; else that of its program.
// TERM, an interrupt, or the end of ctx cancel the turn.
func Run(ctx context.Context, o Options) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	f, err := parse(o.Args)
	if err != nil {
		fmt.Fprintln(o.Stderr, "acp:", err)
		return 2
	}
	message, err := io.ReadAll(o.Stdin)
	if err != nil {
		fmt.Fprintln(o.Stderr, "acp: read the prompt:", err)
		return 1
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	out := &printer{to: o.Stdout, fail: func(err error) {
		fmt.Fprintln(o.Stderr, "acp: write output:", err)
		fail(err)
	}}
	defer out.close()
	c, err := start(ctx, o, f, newTeller(out))
	if err != nil {
		out.print(work.Entry{Kind: work.Ended, Failed: true, Text: err.Error()})
		return 1
	}
	return c.end(c.take(ctx, string(message)))
}

// A client is one turn with one agent.
type client struct {
	flags   flags
	dir     string
	version string
	stderr  io.Writer
	process *proc.Process
	conn    *jsonrpc2.Conn
	tell    *teller
	asker   *asker

	asking   context.Context // ends when the turn does, or is cancelled
	withdraw func()

	agent   introduction
	session string
	began   bool // the session is open
}

// start starts the agent's program and connects with it. The connection outlives
// ctx, which ends when the turn is cancelled: the agent is to be told.
func start(ctx context.Context, o Options, f flags, tell *teller) (*client, error) {
	c := &client{flags: f, dir: o.Dir, version: o.Version, stderr: o.Stderr, tell: tell, asker: newAsker(f, o.Dir, tell)}
	c.asking, c.withdraw = context.WithCancel(ctx)
	in, toAgent, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fromAgent, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, toAgent.Close())
	}
	defer out.Close()
	c.process, err = proc.Start(proc.Cmd{Argv: f.argv, Dir: o.Dir, Env: environ(o.Environ, f)}, proc.Files{Stdin: in, Stdout: out, Stderr: o.Stderr})
	if err != nil {
		return nil, errors.Join(err, toAgent.Close(), fromAgent.Close())
	}
	tooLong := func(size int64) { tell.out.note("a message of %d bytes from the agent, too long to read", size) }
	c.conn = jsonrpc2.NewConn(context.WithoutCancel(ctx), newStream(toAgent, fromAgent, o.Stderr, tooLong), handler{c},
		jsonrpc2.SetLogger(log.New(o.Stderr, "acp: ", 0)))
	return c, nil
}

// environ returns the environment of the agent's program: env, and where an
// adapter finds the program that it speaks for, unless env says so already.
func environ(env []string, f flags) []string {
	path := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, f.variable+"=") {
			return env
		}
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	if f.variable == "" {
		return env
	}
	found, err := proc.Find(f.program, path)
	if err != nil {
		return env // the adapter has its own, or says that it has not
	}
	return append(env[:len(env):len(env)], f.variable+"="+found)
}

// take opens the session, sends the message and waits for the end of the turn.
// The error is nil if the agent has said how the turn ended.
func (c *client) take(ctx context.Context, message string) error {
	defer c.withdraw()
	if err := c.begin(ctx); err != nil {
		return c.refused(ctx, err)
	}
	c.began = true
	call, err := c.conn.DispatchCall(ctx, prompt, params{
		"sessionId": c.session,
		"prompt":    []params{{"type": "text", "text": message}},
	})
	if err != nil {
		return c.refused(ctx, err)
	}
	var o outcome
	err = call.Wait(ctx, &loose{&o})
	c.withdraw()
	c.asker.close()
	if ctx.Err() != nil {
		return c.cancel(ctx, call)
	}
	if err != nil {
		return c.refused(ctx, err)
	}
	c.tell.counted(o)
	c.tell.tell(stopped(o.Reason, c.asker.denied()))
	return nil
}

// refused tells why the agent did not do what it was asked. The error is err if
// the agent is not there any more, or the turn was cancelled.
func (c *client) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, jsonrpc2.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return errLost
	}
	for _, e := range failed(err, c.logins()) {
		c.tell.tell(e)
	}
	return nil
}

// errLost says that the agent's program ended, or closed its output, in the middle.
var errLost = errors.New("the connection with the agent was lost")

// cancel ends the turn: the agent gets the time to stop what it does. It tells no
// end of the turn: whoever ended it knows better why.
func (c *client) cancel(ctx context.Context, call jsonrpc2.Waiter) error {
	cause := context.Cause(ctx)
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer done()
	if c.conn.Notify(ctx, cancel, params{"sessionId": c.session}) == nil {
		var o outcome
		_ = call.Wait(ctx, &loose{&o}) // cancelled or too late: it ends now
		c.tell.counted(o)
	}
	return cause
}

// end ends the agent's program and returns our exit status; err says why the turn
// did not end by itself.
func (c *client) end(err error) int {
	_ = c.conn.Close() // a connection that is lost is closed already
	c.endProcess()
	code, sig, _ := c.process.Exit()
	switch {
	case err == nil:
		return 0
	case !errors.Is(err, errLost):
		c.tell.tell(work.Entry{Kind: work.Noted, Text: "the turn was cancelled"})
		return 1
	case !c.began && code > 0:
		return code
	}
	how := fmt.Sprintf("exit status %d", code)
	if sig != "" {
		how = "signal: " + sig
	}
	c.tell.tell(work.Entry{Kind: work.Noted, Text: "the agent's program ended before its turn did: " + how})
	return 0
}

// endProcess waits for the program and all of its group to end, now that its input
// has, and then ends them.
func (c *client) endProcess() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if c.endedWithin(endPatience) {
			return
		}
		if err := c.process.SignalGroup(sig); err != nil {
			fmt.Fprintln(c.stderr, "acp:", err)
		}
	}
}

func (c *client) endedWithin(d time.Duration) bool {
	late := time.After(d)
	select {
	case <-c.process.Done():
	case <-late:
		return false
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for c.process.GroupAlive() {
		select {
		case <-tick.C:
		case <-late:
			return false
		}
	}
	return true
}

// A handler answers what the agent asks. The connection calls it in the order in
// which messages came, and before it gives out an answer that came after them.
type handler struct{ *client }

// Handle takes a message of the agent's. What it does not know it refuses, or
// passes over where no answer is wanted: agents have methods of their own.
func (h handler) Handle(_ context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var raw json.RawMessage
	if r.Params != nil {
		raw = *r.Params
	}
	switch {
	case r.Method == update:
		var n notice
		if read(raw, &n) == nil {
			h.tell.update(n.Update)
		}
	case r.Method == requestPermission && !r.Notif:
		var q request
		if read(raw, &q) != nil {
			h.refuse(conn, r, jsonrpc2.CodeInvalidParams, "a permission request without its members")
			return
		}
		h.permission(conn, r.ID, q)
	case !r.Notif:
		h.refuse(conn, r, jsonrpc2.CodeMethodNotFound, "method not found: "+r.Method)
	}
}

// permission answers q. The agent goes on talking while a person thinks.
func (h handler) permission(conn *jsonrpc2.Conn, id jsonrpc2.ID, q request) {
	answer, byPerson := h.asker.rule(q)
	go func() {
		if byPerson {
			answer = h.asker.person(h.asking, q)
		}
		h.reply(conn.Reply(h.asking, id, answer))
	}()
}

func (h handler) refuse(conn *jsonrpc2.Conn, r *jsonrpc2.Request, code int64, text string) {
	h.reply(conn.ReplyWithError(h.asking, r.ID, &jsonrpc2.Error{Code: code, Message: text}))
}

// reply tells of an answer that the agent did not get; if it has ended, that is
// no news.
func (h handler) reply(err error) {
	if err != nil && !errors.Is(err, jsonrpc2.ErrClosed) && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintln(h.stderr, "acp:", err)
	}
}
