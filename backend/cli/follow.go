package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"offrun/backend/ops"
	"offrun/backend/work"
)

// A watch reads the feed for what happens in one run.
type watch struct {
	app    *app
	run    work.RunID
	events bool // show the events themselves, as JSON

	epoch string
	after int64
}

// begin remembers where the feed stands: next returns what comes later.
func (w *watch) begin(ctx context.Context) error {
	page, err := ops.EventList.Ask(ctx, w.app.door, ops.EventQuery{After: -1})
	w.epoch, w.after = page.Epoch, page.Last
	return err
}

// pollSeconds is how long a question for events may wait. A bench answers sooner
// if something happens, and does not end while it is asked.
const pollSeconds = 20

// next waits at most so many seconds for events of the run. None may come of it:
// whoever watches then looks at the run all the same, since a new epoch of the
// feed tells nothing of what was before.
func (w *watch) next(ctx context.Context, seconds int) ([]work.Event, error) {
	page, err := ops.EventList.Ask(ctx, w.app.door, ops.EventQuery{After: w.after, WaitSeconds: seconds})
	if work.CodeOf(err) == work.Conflict {
		return nil, w.begin(ctx) // the feed was begun anew, and has fewer events than we know of
	}
	if err != nil {
		return nil, err
	}
	if page.Epoch != w.epoch || page.Last < w.after {
		w.epoch, w.after = page.Epoch, page.Last
		return nil, nil
	}
	var ours []work.Event
	for _, e := range page.Events {
		w.after = e.Seq
		if e.Run == w.run {
			ours = append(ours, e)
		}
	}
	return ours, nil
}

// show returns the run as it stands.
func (w *watch) show(ctx context.Context) (work.Run, error) {
	return ops.RunShow.Ask(ctx, w.app.door, ops.RunRef{Run: w.run})
}

// A view shows a run while it is followed.
type view interface {
	// update shows the run as it stands, after events.
	update(run work.Run, events []work.Event)
	// pause leaves the screen to a question.
	pause()
	// pace is how often to look when nothing has happened.
	pace() time.Duration
}

func (w *watch) view() view {
	switch {
	case w.events:
		return &eventView{app: w.app}
	case w.app.json:
		return quietView{}
	case w.app.out.Terminal:
		return &liveView{app: w.app}
	}
	return &plainView{app: w.app, said: map[work.AttemptName]saying{}}
}

// A batch is what a long poll brought.
type batch struct {
	events []work.Event
	err    error
}

// follow shows a run until nothing is left to do in it, and returns it. The error
// is ended if the user has detached.
func (a *app) follow(ctx context.Context, w *watch) (work.Run, error) {
	polling, stop := context.WithCancel(ctx)
	defer stop()
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)

	run, err := w.show(ctx)
	if err != nil {
		return run, err
	}
	v := w.view()
	v.update(run, nil)
	defer v.pause()
	tick := time.NewTicker(v.pace())
	defer tick.Stop()
	batches := make(chan batch)
	go w.poll(polling, batches)
	for end := endOf(run); !end.over(run); {
		var events []work.Event
		select {
		case b := <-batches:
			if b.err != nil {
				return run, b.err
			}
			events = b.events
		case <-tick.C:
		case <-end.late():
		case sig := <-interrupts:
			v.pause()
			if !a.canAsk() || sig != os.Interrupt {
				a.note("detached; the attempts go on: offrun attach %s", run.ID)
				return run, ended(interrupted)
			}
			if err := a.askedToEnd(ctx, run, interrupts); err != nil {
				return run, err
			}
		}
		if run, err = w.show(ctx); err != nil {
			return run, err
		}
		v.update(run, events)
		end.look(run)
	}
	return run, nil
}

// poll sends what each long poll brings until ctx is done.
func (w *watch) poll(ctx context.Context, to chan<- batch) {
	for {
		events, err := w.next(ctx, pollSeconds)
		select {
		case to <- batch{events, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// baselinePatience is how long a run whose attempts have all ended is followed
// for the sake of its baseline: without it, failing tests cannot be judged.
const baselinePatience = time.Minute

// An ending decides when a run needs no more following.
type ending struct{ deadline *time.Timer }

func endOf(run work.Run) *ending {
	e := &ending{}
	e.look(run)
	return e
}

// look starts the clock when the last attempt has ended.
func (e *ending) look(run work.Run) {
	if e.deadline == nil && !unfinished(run) {
		e.deadline = time.NewTimer(baselinePatience)
	} else if e.deadline != nil && unfinished(run) {
		e.deadline.Stop()
		e.deadline = nil
	}
}

// late fires when the baseline has taken too long.
func (e *ending) late() <-chan time.Time {
	if e.deadline == nil {
		return nil
	}
	return e.deadline.C
}

func (e *ending) over(run work.Run) bool {
	return !unfinished(run) && (run.Baseline != nil || len(run.Commands) == 0 || e.expired())
}

func (e *ending) expired() bool {
	if e.deadline == nil {
		return false
	}
	select {
	case <-e.deadline.C:
		return true
	default:
		return false
	}
}

// unfinished reports whether Offrun has anything left to do in run.
func unfinished(run work.Run) bool {
	for i := range run.Attempts {
		if run.Attempts[i].Unfinished() {
			return true
		}
	}
	return false
}

// askedToEnd asks whether to detach or to cancel, and does it. A second Ctrl-C
// detaches. The error is nil if the run is to be followed on.
func (a *app) askedToEnd(ctx context.Context, run work.Run, again <-chan os.Signal) error {
	a.print("\nThe attempts work on by themselves. [d]etach, [c]ancel them, or [f]ollow on?\nType a letter, then Enter [d]: ")
	answers := make(chan byte, 1)
	go func() { answers <- readAnswer(a.Stdin) }()
	answer := byte('d')
	select {
	case answer = <-answers:
	case <-again:
		a.print("\n")
	case <-ctx.Done():
	}
	switch answer {
	case 'c':
		_, err := ops.RunCancel.Ask(ctx, a.door, ops.CancelRun{RunRef: ops.RunRef{Run: run.ID}})
		return err
	case 'f':
		return nil
	}
	a.print("detached; follow it again with offrun attach " + string(run.ID) + "\n")
	return ended(0)
}
