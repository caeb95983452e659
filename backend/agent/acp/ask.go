package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"offrun/backend/archive"
	"offrun/backend/work"
)

// An asker answers what the agent asks for: by the policy, or through a person.
type asker struct {
	policy   policy
	tell     *teller
	inbox    string
	patience time.Duration
	turn     chan struct{} // holds one token: one question is asked at a time
	asked    int           // questions so far; whoever has the token counts

	mu     sync.Mutex
	latest string // what was denied last
}

// chosen is the answer that selects the option called id, and remembers a denial.
func (a *asker) chosen(id string, q work.Question, c toolCall) params {
	if id == "" || strings.HasPrefix(option(id, q).Kind, "reject") {
		a.mu.Lock()
		a.latest = c.question()
		a.mu.Unlock()
	}
	return selected(id)
}

// denied returns what was denied last, or "".
func (a *asker) denied() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.latest
}

func newAsker(f flags, dir string, tell *teller) *asker {
	a := &asker{policy: newPolicy(f.permissions, dir, f.scratch), tell: tell, inbox: f.inbox, patience: f.patience, turn: make(chan struct{}, 1)}
	a.turn <- struct{}{}
	return a
}

// close waits until nobody is asked any more. The context of those who were is
// done; nobody is asked after.
func (a *asker) close() { <-a.turn }

// rule answers a request by the policy, or says that a person is to be asked.
func (a *asker) rule(r request) (answer params, byPerson bool) {
	c := a.tell.known(r.Call)
	ruling, why := a.policy.rule(c)
	if ruling == ask && a.inbox == "" {
		ruling, why = deny, "nobody is there to answer"
	}
	switch ruling {
	case ask:
		return nil, true
	case deny:
		a.tell.tell(work.Entry{Kind: work.Asked, ID: c.ID, Failed: true, Text: c.question() + ": " + why})
	}
	q := work.Question{Options: r.options()}
	id, ok := q.Choose(string(ruling))
	if !ok {
		a.tell.out.note("allowed, but the agent offers no way to say so: %s", c.question())
	}
	return a.chosen(id, q, c), false
}

// selected is the answer that selects an option; "" is none of them.
func selected(id string) params {
	if id == "" {
		return params{"outcome": params{"outcome": "cancelled"}}
	}
	return params{"outcome": params{"outcome": "selected", "optionId": id}}
}

// person puts a request to a person and waits for the answer; when ctx is done, it
// is withdrawn.
func (a *asker) person(ctx context.Context, r request) params {
	select {
	case <-a.turn:
		defer func() { a.turn <- struct{}{} }()
	case <-ctx.Done():
		return selected("")
	}
	a.asked++
	c := a.tell.known(r.Call)
	q := work.Question{ID: fmt.Sprintf("ask-%d", a.asked), Options: r.options(), Until: time.Now().Add(a.patience).UTC()}
	a.tell.tell(work.Entry{Kind: work.Asked, ID: q.ID, Text: c.question(), Question: &q})
	id, err := a.answer(ctx, q)
	switch {
	case err == nil:
		a.tell.tell(work.Entry{Kind: work.Told, ID: q.ID, Text: "answer: " + cmp.Or(option(id, q).Name, work.Deny)})
		return a.chosen(id, q, c)
	case ctx.Err() != nil:
		a.tell.tell(work.Entry{Kind: work.Asked, ID: q.ID, Failed: true, Text: c.question() + ": no longer asked"})
		return selected("")
	}
	a.tell.tell(work.Entry{Kind: work.Asked, ID: q.ID, Failed: true, Text: fmt.Sprintf("%s: %v", c.question(), err)})
	id, _ = q.Choose(work.Deny)
	return a.chosen(id, q, c)
}

// option returns the option called id, or none.
func option(id string, q work.Question) work.Option {
	for _, o := range q.Options {
		if o.ID == id {
			return o
		}
	}
	return work.Option{}
}

// look is how often the inbox is looked at: a person who has answered does not
// notice it, and it costs a call.
const look = 100 * time.Millisecond

// answer waits for the answer to q in the inbox. The error says why none came.
func (a *asker) answer(ctx context.Context, q work.Question) (id string, _ error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	late := time.NewTimer(time.Until(q.Until))
	defer late.Stop()
	for {
		var answer work.Answer
		err := archive.Load(archive.Answer(a.inbox, q.ID), &answer)
		if err == nil {
			return answer.Option, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the answer cannot be read: %w", err)
		}
		select {
		case <-tick.C:
		case <-late.C:
			return "", fmt.Errorf("nobody answered within %v", a.patience)
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
