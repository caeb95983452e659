package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// begin introduces the client to the agent and opens the session, with the mode
// and the model that were asked for.
func (c *client) begin(ctx context.Context) error {
	err := c.conn.Call(ctx, initialize, params{
		"protocolVersion": version,
		"clientCapabilities": params{
			"fs":       params{"readTextFile": false, "writeTextFile": false},
			"terminal": false,
		},
		"clientInfo": params{"name": "offrun", "title": "Offrun", "version": c.version},
	}, &loose{&c.agent})
	if err != nil {
		return err
	}
	if c.agent.Version != version {
		return fmt.Errorf("it speaks version %d of the Agent Client Protocol; only version %d is spoken here", c.agent.Version, version)
	}
	o, err := c.open(ctx)
	if err != nil {
		return err
	}
	if err := c.choose(ctx, &o); err != nil {
		return err
	}
	began := work.Entry{Kind: work.Began, Session: agent.Clean(c.session), Model: agent.Clean(o.model())}
	if !c.canGoOn() {
		began.Session = "" // nobody can go on with it
	}
	c.tell.tell(began)
	if !c.canGoOn() {
		c.tell.out.note("the agent cannot go on with a session: a further message begins a new one, with what was said so far")
	}
	return nil
}

func (c *client) canGoOn() bool {
	return c.agent.Capabilities.Load || c.agent.Capabilities.Session.Resume != nil
}

// open begins a session, or goes on with the one that was asked for.
func (c *client) open(ctx context.Context) (opened, error) {
	var o opened
	where := params{"cwd": c.dir, "mcpServers": []any{}}
	if c.flags.session == "" {
		err := c.conn.Call(ctx, newSession, where, &loose{&o})
		if err == nil && o.Session == "" {
			err = errors.New("it opened a session without an id")
		}
		c.session = o.Session
		return o, err
	}
	c.session = c.flags.session
	where["sessionId"] = c.session
	err := c.tell.load(func() error { return c.resume(ctx, where, &o) })
	if err == nil || ctx.Err() != nil || errors.Is(err, jsonrpc2.ErrClosed) {
		return o, err
	}
	if class, text := classify(err); class == work.ClassFailed {
		err = errors.New("session not found: " + text) // words by which agent.Judge knows it
	}
	return o, err
}

// resume goes on with a session, without its past being told where the agent can.
func (c *client) resume(ctx context.Context, where params, o *opened) error {
	err := errors.New("the agent cannot go on with one")
	if c.agent.Capabilities.Session.Resume != nil {
		err = c.conn.Call(ctx, resumeSession, where, &loose{o})
	}
	if err != nil && c.agent.Capabilities.Load {
		err = c.conn.Call(ctx, loadSession, where, &loose{o})
	}
	return err
}

// choose sets the mode and the model.
func (c *client) choose(ctx context.Context, o *opened) error {
	if err := c.chooseMode(ctx, o); err != nil {
		return err
	}
	want := c.flags.model
	if want == "" || want == o.model() {
		return nil
	}
	option := o.option("model")
	switch {
	case option != nil:
		if err := c.setOption(ctx, option, want); err != nil {
			return err
		}
		option.Current = want
	case o.Models.Current != "":
		if err := c.conn.Call(ctx, setModel, params{"sessionId": c.session, "modelId": want}, nil); err != nil {
			return err
		}
		o.Models.Current = want
	default:
		return fmt.Errorf("it does not let a client choose the model: %q", want)
	}
	return nil
}

// chooseMode sets the first of the wanted modes that is offered. The policy holds
// in any mode; the right one makes the agent ask for what it does not allow.
func (c *client) chooseMode(ctx context.Context, o *opened) error {
	for _, mode := range c.flags.modes {
		if mode == o.Modes.Current {
			return nil
		}
		for _, offered := range o.Modes.Offered {
			if offered.ID == mode {
				return c.conn.Call(ctx, setMode, params{"sessionId": c.session, "modeId": mode}, nil)
			}
		}
		if option := o.option("mode"); option != nil && offers(option.Values, mode) {
			if option.Current == mode {
				return nil
			}
			return c.setOption(ctx, option, mode)
		}
	}
	if len(c.flags.modes) > 0 {
		c.tell.out.note("the agent offers none of the modes %q and stays in its own", c.flags.modes)
	}
	return nil
}

func (c *client) setOption(ctx context.Context, option *configOption, value string) error {
	return c.conn.Call(ctx, setOption, params{"sessionId": c.session, "configId": option.ID, "value": value}, nil)
}

// logins returns the ways to log in that the agent offers.
func (c *client) logins() []string {
	var names []string
	for _, l := range c.agent.Logins {
		if name := agent.Clean(l.Name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// loose decodes an answer with read.
type loose struct{ v any }

func (l loose) UnmarshalJSON(b []byte) error { return read(b, l.v) }
