// Package pool lends the logins of agents. It knows which of them rest because a
// usage limit is reached, shares the others fairly, and moves conversations from
// one to another. It never looks into the folder of a login, refreshes nothing
// and logs nobody out (F79, F81): what it knows is what agents printed.
package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"offrun/backend/work"
)

// A Pool holds the accounts of all agents. Its methods may be called from
// several goroutines.
type Pool struct {
	now  func() time.Time
	save func(work.Account) error
	home func(work.AgentID) string // see TellHome; nil knows none

	mu       sync.Mutex
	accounts []*work.Account // those of one agent in their order
	freed    chan struct{}   // closed when one may have become free
}

// New returns a pool of the accounts that are listed, in their order. Known is
// what save has stored of accounts earlier.
func New(listed, known []work.Account, now func() time.Time, save func(work.Account) error) *Pool {
	p := &Pool{now: now, save: save, freed: make(chan struct{})}
	for _, k := range known {
		k.Working = 0
		p.accounts = append(p.accounts, &k)
	}
	p.Set(listed)
	return p
}

// Set replaces the list of accounts. What is known of those that stay is kept;
// turns that use one that goes end as they would have.
func (p *Pool) Set(listed []work.Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next []*work.Account
	for _, l := range listed {
		a := p.find(l.Agent, l.Name)
		if a == nil {
			a = &work.Account{Agent: l.Agent, Name: l.Name}
		}
		a.Dir, a.Sessions = l.Dir, l.Sessions
		next = append(next, a)
	}
	for _, a := range p.accounts {
		if a.Name == work.DefaultAccount && !slices.Contains(next, a) {
			next = slices.Insert(next, 0, a) // the default is there unasked
		}
	}
	p.accounts = next
	p.ring()
}

// Accounts returns the accounts of an agent, in their order; "" means all agents.
func (p *Pool) Accounts(agent work.AgentID) []work.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	if agent != "" {
		p.fallback(agent)
	}
	var all []work.Account
	for _, a := range p.accounts {
		if agent == "" || a.Agent == agent {
			all = append(all, *a)
		}
	}
	return all
}

// Lend returns an account of agent that has headroom: prefer if it has, else the
// one that was used least recently. It waits while all of these have as many
// sessions as they may, and release must be called when the turn is over. If all
// rest, the error is a *Resting at once.
func (p *Pool) Lend(ctx context.Context, agent work.AgentID, prefer work.AccountName) (_ work.Account, release func(), _ error) {
	for {
		p.mu.Lock()
		open, err := p.open(agent)
		if err == nil && len(open) > 0 {
			a := open[0]
			if i := slices.IndexFunc(open, func(a *work.Account) bool { return a.Name == prefer }); i >= 0 {
				a = open[i]
			}
			now := p.now().UTC()
			a.UsedAt = &now
			a.Working++
			lent, err := *a, p.save(*a)
			p.mu.Unlock()
			return lent, p.release(a), err
		}
		freed := p.freed
		p.mu.Unlock()
		if err != nil {
			return work.Account{}, nil, err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return work.Account{}, nil, ctx.Err()
		}
	}
}

// Account returns what is known of one account.
func (p *Pool) Account(agent work.AgentID, name work.AccountName) work.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *p.get(agent, name)
}

// Hold counts a session that is there already: that of a turn which an earlier
// bench began. It never waits.
func (p *Pool) Hold(agent work.AgentID, name work.AccountName) (_ work.Account, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.get(agent, name)
	a.Working++
	return *a, p.release(a)
}

func (p *Pool) release(a *work.Account) func() {
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		a.Working--
		p.ring()
	})
}

// open returns the accounts of agent that have headroom now, least recently used
// first; none if they only have too many sessions. The error says why there can be
// none. The caller holds p.mu.
func (p *Pool) open(agent work.AgentID) ([]*work.Account, error) {
	p.fallback(agent)
	var open []*work.Account
	var broken []string
	resting := &Resting{Agent: agent}
	full := false
	var out []*work.Account // logged out, as far as is known
	for _, a := range p.accounts {
		if a.Agent != agent {
			continue
		}
		fault := p.fault(a)
		switch {
		case fault != "":
			broken = append(broken, a.Ref()+": "+fault)
		case a.Resting(p.now()):
			resting.add(*a)
		case a.Sessions > 0 && a.Working >= a.Sessions:
			full = true
		case a.LoggedOut != nil:
			out = append(out, a)
		default:
			open = append(open, a)
		}
	}
	if len(open) == 0 && !full && resting.Until == nil {
		open = out // the user may have logged in meanwhile, which only a try can tell
	}
	switch {
	case len(open) > 0 || full:
		slices.SortStableFunc(open, func(x, y *work.Account) int { return cmp.Compare(usedAt(x), usedAt(y)) })
		return open, nil
	case resting.Until != nil:
		return nil, resting
	}
	e := work.Errorf(work.Unavailable, "no account of %s can be used", agent).Do("Put the folder right, or offrun accounts remove it.")
	e.List = broken
	return nil, e
}

func usedAt(a *work.Account) int64 {
	if a.UsedAt == nil {
		return 0
	}
	return a.UsedAt.UnixNano()
}

// Next returns the account that a conversation of agent moves to after a limit:
// the first in order that has headroom.
func (p *Pool) Next(agent work.AgentID) (_ work.Account, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open, err := p.open(agent)
	if err != nil {
		return work.Account{}, false
	}
	for _, a := range p.accounts {
		if a.LoggedOut == nil && slices.Contains(open, a) {
			return *a, true
		}
	}
	return work.Account{}, false
}

// Until returns when the first account of agent stops resting: nil if one does
// not rest.
func (p *Pool) Until(agent work.AgentID) *time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.open(agent)
	if r, ok := errors.AsType[*Resting](err); ok {
		return r.Until
	}
	return nil
}

// Resting is returned when all accounts of an agent have reached their limits.
type Resting struct {
	Agent work.AgentID
	Until *time.Time // when the first of them goes on
	Names []string
}

func (r *Resting) add(a work.Account) {
	r.Names = append(r.Names, string(a.Name))
	if r.Until == nil || a.RestsUntil.Before(*r.Until) {
		r.Until = a.RestsUntil
	}
}

func (r *Resting) Error() string {
	return fmt.Sprintf("all accounts of %s have reached their usage limits (%s); the first goes on at %s",
		r.Agent, strings.Join(r.Names, ", "), r.Until.Local().Format("Mon 15:04"))
}

// pauses are how long an account rests where no reset time is known: longer with
// every limit in a row.
var pauses = []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 5 * time.Hour}

// Rest notes that an account has reached its limit until a time; nil means that
// nobody knows, and a growing pause begins. It returns when the rest ends.
func (p *Pool) Rest(agent work.AgentID, name work.AccountName, until *time.Time, why string) (time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.get(agent, name)
	now := p.now().UTC()
	if until == nil || !until.After(now) {
		pause := now.Add(pauses[min(a.Walls, len(pauses)-1)])
		a.Walls++
		until = &pause
	}
	if a.Resting(now) && a.RestsUntil.After(*until) {
		until = a.RestsUntil // several sessions hit the wall: the latest word that is longest holds
	}
	a.RestsSince, a.RestsUntil, a.Why = &now, until, why
	return *until, p.save(*a)
}

// Wake ends a rest, or the state of being logged out, on the user's word.
func (p *Pool) Wake(agent work.AgentID, name work.AccountName) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.get(agent, name)
	a.RestsSince, a.RestsUntil, a.LoggedOut, a.Why, a.Walls = nil, nil, nil, "", 0
	p.ring()
	return p.save(*a)
}

// LogOut notes that the agent of an account said that it needs a login.
func (p *Pool) LogOut(agent work.AgentID, name work.AccountName, why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.get(agent, name)
	now := p.now().UTC()
	a.LoggedOut, a.Why = &now, why
	return p.save(*a)
}

// Report adds what a turn told of its account. A turn that ended well ends the
// row of limits.
func (p *Pool) Report(agent work.AgentID, name work.AccountName, spent work.Usage, windows []work.Window, ok bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.get(agent, name)
	a.Usage.Input += spent.Input
	a.Usage.Output += spent.Output
	a.Usage.CostUSD += spent.CostUSD
	for _, w := range windows {
		if i := slices.IndexFunc(a.Windows, func(old work.Window) bool { return old.Name == w.Name }); i >= 0 {
			a.Windows[i] = w
		} else {
			a.Windows = append(slices.Clip(a.Windows), w)
		}
	}
	if ok {
		a.Walls, a.LoggedOut = 0, nil
	}
	return p.save(*a)
}

// get returns the account, which is made up if nobody has listed it: it may just
// have been removed. The caller holds p.mu.
func (p *Pool) get(agent work.AgentID, name work.AccountName) *work.Account {
	if a := p.find(agent, name); a != nil {
		return a
	}
	if name == work.DefaultAccount || name == "" {
		return p.fallback(agent)
	}
	return &work.Account{Agent: agent, Name: name}
}

func (p *Pool) find(agent work.AgentID, name work.AccountName) *work.Account {
	for _, a := range p.accounts {
		if a.Agent == agent && a.Name == name {
			return a
		}
	}
	return nil
}

// fallback returns the default account of agent, first in its order unless the
// user has listed it elsewhere.
func (p *Pool) fallback(agent work.AgentID) *work.Account {
	if a := p.find(agent, work.DefaultAccount); a != nil {
		return a
	}
	a := &work.Account{Agent: agent, Name: work.DefaultAccount}
	p.accounts = slices.Insert(p.accounts, 0, a)
	return a
}

func (p *Pool) ring() {
	close(p.freed)
	p.freed = make(chan struct{})
}
