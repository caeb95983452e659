package pool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"offrun/backend/work"
)

// Fault says why the folder of a cannot be used as a login, or "": it is gone, not
// writable, or that of another account in others, by whatever name.
func Fault(a work.Account, others []work.Account) string {
	if a.Dir == "" {
		return ""
	}
	info, err := os.Stat(a.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "its folder " + a.Dir + " is gone"
	case err != nil:
		return "its folder " + a.Dir + " cannot be looked at"
	case !info.IsDir():
		return a.Dir + " is no folder"
	}
	if unix.Access(a.Dir, unix.W_OK|unix.X_OK) != nil {
		return "its folder " + a.Dir + " is not writable"
	}
	real, err := filepath.EvalSymlinks(a.Dir)
	if err != nil {
		return "its folder " + a.Dir + " leads nowhere"
	}
	for _, o := range others {
		if o.Dir == "" || o.Agent != a.Agent || o.Name == a.Name {
			continue
		}
		if same, err := filepath.EvalSymlinks(o.Dir); err == nil && same == real {
			return "its folder is that of " + o.Ref() + ": two logins in one folder end each other's sessions"
		}
	}
	return ""
}

// TellHome lets p know in which folder the default login of an agent lies: home
// returns it, or "" if nobody knows. It must not call p, and comes before any use
// of p.
func (p *Pool) TellHome(home func(work.AgentID) string) { p.home = home }

// Fault says why a cannot be lent whatever its limits are, or "".
func (p *Pool) Fault(a work.Account) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault(p.get(a.Agent, a.Name))
}

// fault is Fault among the default account of a's agent and those of p that come
// earlier: the first of two that share a folder is all right, and the default
// always. The caller holds p.mu.
func (p *Pool) fault(a *work.Account) string {
	var others []work.Account
	if p.home != nil && a.Dir != "" {
		others = append(others, work.Account{Agent: a.Agent, Name: work.DefaultAccount, Dir: p.home(a.Agent)})
	}
	for _, o := range p.accounts {
		if o == a {
			break
		}
		others = append(others, *o)
	}
	return Fault(*a, others)
}
