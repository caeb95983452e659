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

// fault is Fault among the accounts of p that come earlier: the first of two that
// share a folder is all right. The caller holds p.mu.
func (p *Pool) fault(a *work.Account) string {
	var earlier []work.Account
	for _, o := range p.accounts {
		if o == a {
			break
		}
		earlier = append(earlier, *o)
	}
	return Fault(*a, earlier)
}
