package bench

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"offrun/backend/archive"
	"offrun/backend/artifact"
	"offrun/backend/conversation"
	"offrun/backend/git"
	"offrun/backend/supervise"
	"offrun/backend/watch"
	"offrun/backend/work"
)

// A watcher is asked at every look at a running agent what there is to do.
type watcher struct {
	j       *job
	ctx     context.Context
	r       *conversation.Reader
	dir     string
	told    int64     // bytes of agent.log that the feed knows of
	toldAt  time.Time // at most four times a second
	silent  time.Time // start of the silence that was warned of
	counted time.Time // when the changed files were last counted
	pause   time.Duration
	counter *artifact.Counter
	before  git.Fingerprint // of the shared part, at the start of the run
	hints   <-chan struct{} // that files have changed; nil until the agent runs
	dirty   bool            // since they were last counted
	unwatch context.CancelFunc
}

func (j *job) watcher(ctx context.Context, r *conversation.Reader, dir string) (*watcher, error) {
	w := &watcher{j: j, ctx: ctx, r: r, dir: dir, pause: time.Second, unwatch: func() {},
		counter: artifact.NewCounter(j.worktree(), j.run.Base, filepath.Join(dir, "live"))}
	return w, archive.Load(archive.Before(j.repo.Dir, j.run.ID), &w.before)
}

// close ends the watching and removes what counting kept.
func (w *watcher) close() error {
	w.unwatch()
	if w.hints != nil {
		for range w.hints { // until the watch has let go of the worktree
			continue
		}
	}
	return w.counter.Close()
}

func (w *watcher) look(st supervise.Status) error {
	if st.Phase == supervise.Running || st.Phase == supervise.Ended {
		w.j.begin()
	}
	if err := w.r.Pump(false); err != nil {
		return err
	}
	now := time.Now()
	stdout, stderr := w.r.Offsets()
	if now.Sub(w.toldAt) >= 250*time.Millisecond && stdout+stderr != w.told {
		if err := w.progress(now); err != nil {
			return err
		}
	}
	if err := w.questions(); err != nil {
		return err
	}
	w.silence(st)
	if st.Phase != supervise.Running {
		return nil
	}
	w.count(now)
	return w.impatience(now)
}

// progress makes what has been read visible, and safe against a kill.
func (w *watcher) progress(now time.Time) error {
	if err := w.r.Save(); err != nil {
		return err
	}
	stdout, stderr := w.r.Offsets()
	w.told, w.toldAt = stdout+stderr, now
	w.j.say(w.r.Action(w.j.bench.Redactor()))
	a := w.j.attempt()
	w.j.bench.tell(w.ctx, work.Event{
		Kind: work.AttemptProgress, Project: w.j.run.Project, Run: a.Run, Attempt: a.Name,
		Turn: a.Turn().N, State: a.State(), To: stdout,
	})
	return nil
}

// questions keeps the fact that the agent waits for an answer.
func (w *watcher) questions() error {
	a := w.j.attempt()
	q, asked := w.r.Facts.Question, w.r.Facts.Asked
	if t := a.Turn(); t.Asked == asked && idOf(t.Question) == idOf(q) {
		return nil
	}
	return w.j.turn(w.ctx, func(t *work.Turn) { t.Asked, t.Question = asked, q })
}

func idOf(q *work.Question) string {
	if q == nil {
		return ""
	}
	return q.ID
}

func (w *watcher) silence(st supervise.Status) {
	if st.SilentSince == nil || st.SilentSince.Equal(w.silent) {
		return
	}
	w.silent = *st.SilentSince
	if err := w.j.turn(w.ctx, func(t *work.Turn) { t.SilentAt = &w.silent }); err == nil {
		w.j.tell(w.ctx, work.AttemptSilent, fmt.Sprintf("no output since %s; it used %.1f s of processor time since then",
			w.silent.Local().Format(time.TimeOnly), float64(st.SilentCPU)))
	}
}

// impatience ends a program that has no reason to stay.
func (w *watcher) impatience(now time.Time) error {
	quiet := w.r.Quiet(now)
	switch f := &w.r.Facts; {
	case f.Ended != nil && quiet > lingering:
		return supervise.Stop(w.dir, work.Finished)
	case f.Impatient() != "", f.Asked != "" && f.Question == nil && quiet > unanswered:
		return supervise.Stop(w.dir, work.GaveUp)
	}
	return nil
}

// count counts the changed files when some have changed: at most once a second,
// and never more than an eighth of the time.
func (w *watcher) count(now time.Time) {
	if w.j.bench.making.Load() > 0 {
		return // a glance is not worth holding up an agent that has yet to start
	}
	if w.hints == nil {
		var ctx context.Context
		ctx, w.unwatch = context.WithCancel(w.ctx)
		dependencies := w.j.run.Settings.Dependencies
		w.hints = watch.Tree(ctx, w.j.attempt().Dir, watch.Options{Skip: func(rel string) bool {
			_, skip := dependencies[path.Base(rel)]
			return skip
		}})
	}
	select {
	case <-w.hints:
		w.dirty = true
	default:
	}
	if !w.dirty || now.Sub(w.counted) < w.pause {
		return
	}
	w.dirty = false
	began := time.Now()
	if n, err := w.changed(); err == nil { // a glance that fails is no news; the result is collected at the end
		w.j.mu.Lock()
		w.j.live.Files = n
		w.j.mu.Unlock()
	}
	w.pause = max(time.Second, 8*time.Since(began))
	w.counted = time.Now()
}

// changed counts the changed files, if the shared configuration still is what it
// was: no git of ours looks into the worktree otherwise (S09).
func (w *watcher) changed() (int, error) {
	shared, err := w.j.repo.SharedFingerprint(w.ctx)
	if err != nil {
		return 0, err
	}
	if git.Dangerous(w.before.Changed(shared)) {
		return 0, errBlocked
	}
	return w.counter.Files(w.ctx)
}
