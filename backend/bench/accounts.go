package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"offrun/backend/agent"
	"offrun/backend/config"
	"offrun/backend/pool"
	"offrun/backend/work"
)

// openPool reads the list of accounts and what is known of them.
func (b *Bench) openPool(ctx context.Context) (*pool.Pool, error) {
	listed, err := config.Accounts(b.Home)
	if err != nil {
		return nil, err
	}
	known, err := b.db.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	save := func(a work.Account) error { return b.db.PutAccount(context.WithoutCancel(ctx), a) }
	p := pool.New(listed, known, b.Now, save)
	p.TellHome(b.defaultHome)
	return p, nil
}

// defaultHome is the folder of an agent's default login, "" for an agent that only
// a project knows.
func (b *Bench) defaultHome(id work.AgentID) string {
	ag, err := b.agentOf(work.Run{}, id)
	if err != nil {
		return ""
	}
	return b.accountHome(work.Settings{Agents: b.cfg.Load().Agents}, ag, work.Account{})
}

// accountHome is the folder in which a's program keeps what belongs to the login.
// The default one lies where the settings' environment says, or else where the
// program keeps it when nobody tells it.
func (b *Bench) accountHome(s work.Settings, ag agent.Agent, a work.Account) string {
	if a.Dir != "" || ag.Accounts == nil {
		return a.Dir
	}
	for _, own := range s.Agents {
		for _, kv := range ag.Accounts.Env("") {
			if name, rest, _ := strings.Cut(kv, "="); own.ID == ag.ID && rest == "" && own.Env[name] != "" {
				return own.Env[name]
			}
		}
	}
	if rest, ok := strings.CutPrefix(ag.Accounts.Home, "~"); ok {
		return filepath.Join(b.programs.home, rest)
	}
	return ag.Accounts.Home
}

// Accounts returns the accounts of an agent, or of all, in the order in which a
// conversation moves on. Built-in agents that can have several are there with
// their default account, even if nothing is known of it; those of a project's
// settings once they have worked.
func (b *Bench) Accounts(id work.AgentID) ([]work.Account, error) {
	if id != "" {
		of, err := b.accountsOf(id)
		return b.told(of), err
	}
	agents, err := b.agents(work.Settings{})
	if err != nil {
		return nil, err
	}
	var all []work.Account
	for _, ag := range agents {
		if ag.Accounts != nil {
			all = append(all, b.pool.Accounts(ag.ID)...)
		}
	}
	for _, a := range b.pool.Accounts("") {
		if i := slices.IndexFunc(agents, func(ag agent.Agent) bool { return ag.ID == a.Agent }); i >= 0 && agents[i].Simulated {
			continue
		}
		if !slices.ContainsFunc(all, func(o work.Account) bool { return o.Ref() == a.Ref() }) {
			all = append(all, a)
		}
	}
	return b.told(all), nil
}

// told returns accounts as they are answered: Why is there only if one cannot be
// used now, and one that has a fault neither rests nor needs a login, since
// nothing but its folder matters.
func (b *Bench) told(all []work.Account) []work.Account {
	for i := range all {
		a := &all[i]
		if fault := b.pool.Fault(*a); fault != "" {
			a.Why, a.LoggedOut, a.RestsSince, a.RestsUntil = fault, nil, nil, nil
		} else if a.LoggedOut == nil && !a.Resting(b.Now()) {
			a.Why = ""
		}
	}
	return all
}

// accountsOf returns the accounts of one agent, or an error that lists the agents.
func (b *Bench) accountsOf(id work.AgentID) ([]work.Account, error) {
	known := slices.ContainsFunc(b.pool.Accounts(""), func(a work.Account) bool { return a.Agent == id })
	if !known {
		if _, err := b.agentOf(work.Run{}, id); err != nil {
			return nil, err
		}
	}
	return b.pool.Accounts(id), nil
}

// AddAccount makes another login of an agent: a folder, dir or one in the data
// folder. It is empty until the user logs in there; the answer says how. Sessions
// is how many turns may use it at once; 0 is as many as wanted.
func (b *Bench) AddAccount(ctx context.Context, id work.AgentID, name work.AccountName, dir string, sessions int) (work.NewAccount, error) {
	ag, err := b.agentOf(work.Run{}, id)
	if work.CodeOf(err) == work.NotFound {
		return work.NewAccount{}, b.notBuiltIn(id)
	} else if err != nil {
		return work.NewAccount{}, err
	}
	a := work.Account{Agent: id, Name: name, Dir: dir, Sessions: sessions}
	switch {
	case ag.Accounts == nil:
		return work.NewAccount{}, work.Errorf(work.Invalid, "%s keeps one login only", ag.Name).
			Do("Describe it a second time under agents: with other env, if it can be told where to keep its login.")
	case !config.IsAgentID(string(name)): // they are written alike
		return work.NewAccount{}, work.Errorf(work.Invalid, "account name %q: allowed are %s", name, config.AgentIDs)
	case dir == "":
		a.Dir = config.AccountDir(b.Home, id, name)
	case !filepath.IsAbs(dir):
		return work.NewAccount{}, work.Errorf(work.Invalid, "the folder %q is relative", dir).Do("Give an absolute path.")
	}
	if name == work.DefaultAccount {
		a.Dir = "" // it may be listed, to have a place in the order or a limit of sessions
	}
	listed, err := config.Accounts(b.Home)
	if err != nil {
		return work.NewAccount{}, err
	}
	if slices.ContainsFunc(listed, func(o work.Account) bool { return o.Ref() == a.Ref() }) {
		return work.NewAccount{}, work.Errorf(work.Conflict, "account %s is there already", a.Ref()).Do("Choose another name, or remove that one first.")
	}
	if a.Dir != "" {
		if err := os.MkdirAll(a.Dir, 0o700); err != nil {
			return work.NewAccount{}, work.Hide(work.Unavailable, err, "the folder "+a.Dir+" cannot be made").Do("Choose another with --dir.")
		}
		others := append(listed, work.Account{Agent: id, Name: work.DefaultAccount, Dir: b.defaultHome(id)})
		if fault := pool.Fault(a, others); fault != "" {
			return work.NewAccount{}, work.Errorf(work.Conflict, "account %s: %s", a.Ref(), fault).Do("Choose another folder with --dir.")
		}
	}
	if err := b.putAccounts(append(listed, a)); err != nil {
		return work.NewAccount{}, err
	}
	return b.howToLogIn(ag, a)
}

// notBuiltIn says that an agent cannot have accounts, and which ones can.
func (b *Bench) notBuiltIn(id work.AgentID) error {
	agents, err := b.agents(work.Settings{})
	if err != nil {
		return err
	}
	var names []string
	for _, ag := range agents {
		if ag.Accounts != nil && !ag.Simulated {
			names = append(names, string(ag.ID))
		}
	}
	return work.Errorf(work.NotFound, "there is no built-in agent %q; accounts are for agents that are built in, not for those of a project's settings", id).
		Do("Choose one of: " + strings.Join(names, ", ") + ".")
}

// howToLogIn says what a person types to log in to account a.
func (b *Bench) howToLogIn(ag agent.Agent, a work.Account) (work.NewAccount, error) {
	n := work.NewAccount{Account: a}
	program, path, err := b.programs.find(ag)
	if err != nil {
		n.Missing = work.Public(err).Msg
		program = ag.Program
	}
	n.Login = append([]string{program}, ag.Accounts.Login...)
	if a.Dir != "" {
		n.Env = ag.Accounts.Env(a.Dir)
	}
	if path != "" {
		n.Path = path
	}
	return n, nil
}

// LogIn says how a person logs in to an account, and lets it be used again.
func (b *Bench) LogIn(id work.AgentID, name work.AccountName) (work.NewAccount, error) {
	ag, err := b.agentOf(work.Run{}, id)
	if err != nil {
		return work.NewAccount{}, err
	}
	if ag.Accounts == nil {
		return work.NewAccount{}, work.Errorf(work.Invalid, "nothing tells how one logs in to %s", ag.Name).Do("Start its program in a terminal.")
	}
	have := b.pool.Accounts(id)
	i := slices.IndexFunc(have, func(a work.Account) bool { return a.Name == name })
	if i < 0 {
		return work.NewAccount{}, unknownAccount(id, name, have)
	}
	if have[i].LoggedOut != nil {
		if err := b.pool.Wake(id, name); err != nil {
			return work.NewAccount{}, err
		}
		b.wake()
	}
	return b.howToLogIn(ag, have[i])
}

// RemoveAccount forgets an account. Its folder stays unless purge says so, and then
// only one that Offrun made itself is deleted. The default one stays in the list:
// only what is known of it is forgotten.
func (b *Bench) RemoveAccount(ctx context.Context, id work.AgentID, name work.AccountName, purge bool) error {
	listed, err := config.Accounts(b.Home)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(listed, func(o work.Account) bool { return o.Agent == id && o.Name == name })
	if i < 0 {
		have, err := b.accountsOf(id)
		switch {
		case err != nil:
			return err
		case name == work.DefaultAccount:
			return work.Errorf(work.Conflict, "the default login of %s is always there, and has no place or limit of its own to forget", id).
				Do("Log out with the agent's own program, or let the login rest with: offrun accounts rest " + string(id) + " default --for 2h")
		}
		return unknownAccount(id, name, have)
	}
	a := b.pool.Account(id, name)
	if a.Working > 0 {
		return work.Errorf(work.Busy, "account %s is in use", a.Ref()).Do("Wait for its turns to end, or cancel them.")
	}
	if purge && a.Dir != "" && a.Dir != config.AccountDir(b.Home, id, name) {
		return work.Errorf(work.Invalid, "the folder %s was not made by Offrun", a.Dir).Do("Remove the account without --purge, and the folder yourself.")
	}
	if name == work.DefaultAccount {
		listed[i].Sessions = 0
		b.pool.Set(listed) // it stays in the pool, but without its limit
		if err := b.pool.Wake(id, name); err != nil {
			return err
		}
	}
	if err := b.putAccounts(slices.Delete(listed, i, i+1)); err != nil {
		return err
	}
	if err := b.db.DeleteAccount(ctx, id, name); err != nil {
		return err
	}
	if purge && a.Dir != "" {
		return os.RemoveAll(a.Dir)
	}
	return nil
}

func unknownAccount(id work.AgentID, name work.AccountName, have []work.Account) error {
	e := work.Errorf(work.NotFound, "%s has no account %q", id, name).Do("Add it with: offrun accounts add " + string(id) + " " + string(name))
	for _, a := range have {
		e.List = append(e.List, string(a.Name))
	}
	return e
}

// OrderAccounts puts the accounts of an agent in order: the named ones first.
func (b *Bench) OrderAccounts(id work.AgentID, names []work.AccountName) ([]work.Account, error) {
	listed, err := config.Accounts(b.Home)
	if err != nil {
		return nil, err
	}
	have, err := b.accountsOf(id)
	if err != nil {
		return nil, err
	}
	var next []work.Account
	for n, name := range names {
		if slices.Contains(names[:n], name) {
			return nil, work.Errorf(work.Invalid, "%s is there twice", name).Do("Name each account once.")
		}
		i := slices.IndexFunc(have, func(a work.Account) bool { return a.Name == name })
		if i < 0 {
			return nil, unknownAccount(id, name, b.pool.Accounts(id))
		}
		next = append(next, have[i])
		have = slices.Delete(have, i, i+1)
	}
	next = append(next, have...)
	for _, l := range listed {
		if l.Agent != id {
			next = append(next, l)
		}
	}
	if err := b.putAccounts(next); err != nil {
		return nil, err
	}
	return b.told(b.pool.Accounts(id)), nil
}

// RestAccount lets an account rest until a time, or ends its rest if until is
// nil.
func (b *Bench) RestAccount(id work.AgentID, name work.AccountName, until *time.Time) (work.Account, error) {
	have, err := b.accountsOf(id)
	if err != nil {
		return work.Account{}, err
	}
	if !slices.ContainsFunc(have, func(a work.Account) bool { return a.Name == name }) {
		return work.Account{}, unknownAccount(id, name, have)
	}
	if until != nil && !until.After(b.Now()) {
		return work.Account{}, work.Errorf(work.Invalid, "a rest cannot end before it begins").
			Do("Give it a while, such as --for 90m; --end ends a rest.")
	}
	if until == nil {
		err = b.pool.Wake(id, name)
	} else {
		_, err = b.pool.Rest(id, name, until, "you let it rest")
	}
	b.wake()
	return b.told([]work.Account{b.pool.Account(id, name)})[0], err
}

func (b *Bench) putAccounts(listed []work.Account) error {
	if err := config.PutAccounts(b.Home, listed); err != nil {
		return err
	}
	b.pool.Set(listed)
	b.wake()
	return nil
}

// wake lets attempts that wait for a usage limit look again.
func (b *Bench) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.jobs {
		j.ring()
	}
}

func (j *job) ring() {
	select {
	case j.woken <- struct{}{}:
	default: // it is about to look anyway
	}
}

// learnRests brings back from the files what a lost database knew: which logins
// rest.
func (b *Bench) learnRests(runs []work.Run) error {
	now := b.Now()
	var errs []error
	for _, r := range runs {
		for _, a := range r.Attempts {
			for _, t := range a.Turns {
				if t.Class == work.ClassLimited && t.ResetsAt != nil && t.ResetsAt.After(now) && t.Account != "" {
					_, err := b.pool.Rest(by(a, t), t.Account, t.ResetsAt, t.Why)
					errs = append(errs, err)
				}
			}
		}
	}
	return errors.Join(errs...)
}
