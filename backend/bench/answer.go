package bench

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"offrun/backend/archive"
	"offrun/backend/work"
)

// Answer answers the question that an attempt's agent waits with: work.Allow,
// work.Deny, or one of the options that it offers, by id or name. The agent's
// client finds the answer as a file, so it arrives also when the bench ends now.
func (b *Bench) Answer(ctx context.Context, id work.RunID, name work.AttemptName, answer string) (work.Attempt, error) {
	run, a, repo, err := b.find(ctx, id, name)
	if err != nil {
		return work.Attempt{}, err
	}
	t := a.Turn()
	switch {
	case t != nil && t.Agent != nil:
		return *a, work.Errorf(work.Conflict, "attempt %s waits for no answer: its turn is over", name).
			Do("offrun send begins the next one with what you want to say.")
	case t == nil || t.Asked == "":
		return *a, work.Errorf(work.Conflict, "attempt %s of run %s asks nothing", name, run.ID).
			Do("offrun send gives it a message.")
	case t.Question == nil:
		return *a, work.Errorf(work.Conflict, "attempt %s cannot be answered while it works: %s reads no answers", name, a.Agent).
			Do("Its turn ends by itself; then offrun send begins the next one with what you want to say.")
	}
	option, ok := t.Question.Choose(answer)
	if !ok {
		e := work.Errorf(work.Invalid, "%q is no answer to: %s", answer, t.Asked).Do("Answer allow, deny, or one of the list.")
		for _, o := range t.Question.Options {
			e.List = append(e.List, o.ID+" ("+o.Name+")")
		}
		return *a, e
	}
	file := archive.Answer(archive.Inbox(archive.Attempt(repo.Dir, run.ID, name), t.N), t.Question.ID)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return *a, work.Errorf(work.Conflict, "the question of attempt %s was answered already", name).
			Do("offrun show tells when there is another.")
	}
	return *a, archive.Put(file, work.Answer{Option: option, At: b.Now().UTC()})
}
