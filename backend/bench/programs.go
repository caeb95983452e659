package bench

import (
	"context"
	"os"
	"sync"

	"offrun/backend/agent"
	"offrun/backend/proc"
)

// programs knows where agents are looked for. Our own PATH is right in a
// terminal. Started from a Finder or a service it is short, and only the login
// shell knows better; asking it costs as much as opening a terminal, so that is
// done when an agent is not found otherwise, and once.
type programs struct {
	own   string
	home  string
	login func() string
}

func newPrograms(ctx context.Context) *programs {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // without one there are no usual places in it
	}
	return &programs{
		own: os.Getenv("PATH"), home: home,
		login: sync.OnceValue(func() string { return proc.LoginPath(ctx) }),
	}
}

// find returns the program of an agent and the PATH that goes with it.
func (p *programs) find(a agent.Agent) (program, path string, err error) {
	if program, err = agent.Find(a, agent.Where{Path: p.own, Home: p.home}); err == nil {
		return program, p.own, nil
	}
	path = p.login()
	program, err = agent.Find(a, agent.Where{Path: path, Home: p.home})
	return program, path, err
}
