package store

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// open opens a database in a fresh folder whose name needs escaping in a URI.
func open(t testing.TB) *DB {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a b?#%20é")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return openAt(t, filepath.Join(dir, "offrun.db"), Options{})
}

func openAt(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var start = time.Date(2026, 3, 1, 9, 30, 0, 123456789, time.UTC)

func aRun(project work.ProjectID, id work.RunID, minute int) work.Run {
	return work.Run{
		ID: id, Project: project, Base: "b0", Trunk: "main",
		Card:      work.Card{ID: "login", Title: `Fix "login" ü`, Text: "# Fix\n"},
		StartedAt: start.Add(time.Duration(minute) * time.Minute),
	}
}

func doneAttempt(run work.RunID, name work.AttemptName) work.Attempt {
	at := start.Add(time.Minute)
	return work.Attempt{
		Run: run, Name: name, Agent: work.AgentID(name), QueuedAt: start,
		Turns: []work.Turn{{
			N: 1, QueuedAt: start, StartedAt: &start, EndedAt: &at, Class: work.ClassOK,
			Result: &work.Result{Files: 3, Added: 5},
			Tests:  &work.Tests{Status: work.Pass},
		}},
	}
}

func put(t testing.TB, db *DB, r work.Run) {
	t.Helper()
	must(db.PutRun(t.Context(), r))(t)
	for _, a := range r.Attempts {
		must(db.PutAttempt(t.Context(), r.Project, a))(t)
	}
}

func TestProjects(t *testing.T) {
	db := open(t)
	b := work.Project{ID: "b", Path: "/src/b", AddedAt: start}
	a := work.Project{ID: "a", Path: "/src/a", AddedAt: start, Trust: "x"}
	for _, p := range []work.Project{b, {ID: "a", Path: "/old"}, a} {
		if err := db.PutProject(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]work.Project{a, b}, must(db.Projects(t.Context()))(t)); diff != "" {
		t.Error(diff)
	}
	put(t, db, aRun("a", "r1", 0))
	if err := db.DeleteProject(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := must(db.Projects(t.Context()))(t); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("projects after delete = %v", got)
	}
	if got := must(db.Runs(t.Context(), Filter{}))(t); len(got) != 0 {
		t.Errorf("runs after delete = %v", got)
	}
}

func TestRun(t *testing.T) {
	db := open(t)
	want := aRun("p", "r1", 0)
	want.Attempts = []work.Attempt{doneAttempt("r1", "zed"), doneAttempt("r1", "claude")}
	put(t, db, want)
	want.Attempts[0].Branch = "changed"
	want.Attempts[0].Live = &work.Live{Action: "is never stored"}
	must(db.PutAttempt(t.Context(), "p", want.Attempts[0]))(t)
	want.Attempts[0].Live = nil
	want.Warnings = []string{"trunk is behind"}
	must(db.PutRun(t.Context(), want))(t)

	if diff := cmp.Diff(want, must(db.Run(t.Context(), "", "r1"))(t)); diff != "" {
		t.Error(diff)
	}
	if _, err := db.Run(t.Context(), "other", "r1"); work.CodeOf(err) != work.NotFound {
		t.Errorf("run of another project: %v, want not found", err)
	}
	put(t, db, aRun("q", "r1", 0))
	if _, err := db.Run(t.Context(), "", "r1"); work.CodeOf(err) != work.Conflict {
		t.Errorf("run of two projects: %v, want conflict", err)
	}
	if diff := cmp.Diff(want, must(db.Run(t.Context(), "p", "r1"))(t)); diff != "" {
		t.Error(diff)
	}
	if _, err := db.PutAttempt(t.Context(), "p", doneAttempt("r9", "claude")); work.CodeOf(err) != work.NotFound {
		t.Errorf("attempt without run: %v, want not found", err)
	}
}

func TestRuns(t *testing.T) {
	db := open(t)
	for i := range 5 {
		r := aRun(work.ProjectID([]string{"p", "q"}[i%2]), work.RunID(fmt.Sprint("r", i)), i)
		r.Attempts = []work.Attempt{doneAttempt(r.ID, "zed"), doneAttempt(r.ID, "claude")}
		switch i {
		case 0:
			r.Attempts = nil
		case 3:
			r.Attempts[1] = work.Attempt{Run: r.ID, Name: "claude", QueuedAt: start}
		case 4:
			r.Card.ID = "other"
			r.Attempts[0].Turns[0].Class = work.ClassFailed
		}
		put(t, db, r)
	}
	for _, tt := range []struct {
		filter Filter
		want   []work.RunID
	}{
		{Filter{}, []work.RunID{"r4", "r3", "r2", "r1", "r0"}},
		{Filter{Limit: 2}, []work.RunID{"r4", "r3"}},
		{Filter{Limit: -1}, []work.RunID{"r4", "r3", "r2", "r1", "r0"}},
		{Filter{Project: "q"}, []work.RunID{"r3", "r1"}},
		{Filter{State: work.Failed}, []work.RunID{"r4"}},
		{Filter{Active: true}, []work.RunID{"r3"}},
		{Filter{Card: "login", Project: "p"}, []work.RunID{"r2", "r0"}},
		{Filter{Before: start.Add(2 * time.Minute)}, []work.RunID{"r1", "r0"}},
		{Filter{Project: "nobody"}, []work.RunID{}},
	} {
		got := []work.RunID{}
		for _, s := range must(db.Runs(t.Context(), tt.filter))(t) {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Runs(%+v) = %v, want %v", tt.filter, got, tt.want)
		}
	}
	for _, s := range must(db.Runs(t.Context(), Filter{}))(t) {
		whole := must(db.Run(t.Context(), "", s.ID))(t)
		want := whole.Summary()
		if want.Attempts == nil {
			want.Attempts = []work.AttemptSummary{}
		}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Error(diff)
		}
	}
}

func TestActiveRuns(t *testing.T) {
	asked := doneAttempt("r1", "claude")
	asked.Turns[0].EndedAt, asked.Turns[0].Asked = nil, "may I?"
	if !asked.State().Final() {
		t.Fatal("the test expects that a question is a final state")
	}
	blocked := asked
	blocked.Turns = []work.Turn{{N: 1, StartedAt: &start, Blocked: "config changed"}}
	failed := work.Attempt{Run: "r1", Name: "claude", Failure: &work.Failure{Step: "setup"}}
	failed.Turns = []work.Turn{{N: 1, StartedAt: &start}}
	cancelled := work.Attempt{Run: "r1", Name: "claude", CancelledAt: &start}
	for _, tt := range []struct {
		what    string
		attempt work.Attempt
		want    int
	}{
		{"done", doneAttempt("r1", "claude"), 0},
		{"waiting", work.Attempt{Run: "r1", Name: "claude"}, 1},
		{"asked, and its program lives", asked, 1},
		{"collection blocked", blocked, 1},
		{"setup failed", failed, 0},
		{"cancelled in the queue", cancelled, 0},
	} {
		db := open(t)
		r := aRun("p", "r1", 0)
		r.Attempts = []work.Attempt{doneAttempt("r1", "zed"), tt.attempt}
		put(t, db, r)
		got := must(db.ActiveRuns(t.Context()))(t)
		if len(got) != tt.want {
			t.Errorf("%s: %d active runs, want %d", tt.what, len(got), tt.want)
		}
		if len(got) == 1 && len(got[0].Attempts) != 2 {
			t.Errorf("%s: an active run comes with %d attempts, want 2", tt.what, len(got[0].Attempts))
		}
	}
}

func TestBaseline(t *testing.T) {
	db := open(t)
	want := work.Tests{Status: work.Fail, Exit: 2, Text: "make test"}
	if err := db.PutBaseline(t.Context(), "p", "c1", []string{"make", "test"}, want); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		project  work.ProjectID
		base     string
		commands []string
		known    bool
	}{
		{"p", "c1", []string{"make", "test"}, true},
		{"p", "c1", []string{"make test"}, false},
		{"p", "c1", nil, false},
		{"p", "c2", []string{"make", "test"}, false},
		{"q", "c1", []string{"make", "test"}, false},
	} {
		got, known, err := db.Baseline(t.Context(), tt.project, tt.base, tt.commands)
		if err != nil || known != tt.known || known && got != want {
			t.Errorf("Baseline(%v) = %v, %v, %v", tt, got, known, err)
		}
	}
}

func TestAppendIsGapless(t *testing.T) {
	db := open(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if _, err := db.Append(t.Context(), work.Event{Kind: work.AttemptProgress}, work.Event{Kind: work.RunEnded}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := must(db.EventsAfter(t.Context(), 0, 1000))(t)
	if len(got) != 400 {
		t.Fatalf("%d events, want 400", len(got))
	}
	for i, e := range got {
		if e.Seq != int64(i+1) || e.At.IsZero() || e.Kind != []work.EventKind{work.AttemptProgress, work.RunEnded}[i%2] {
			t.Fatalf("event %d = %+v", i+1, e)
		}
	}
	if got := must(db.EventsAfter(t.Context(), 398, 1))(t); len(got) != 1 || got[0].Seq != 399 {
		t.Errorf("one event after 398 = %v", got)
	}
	if last := must(db.LastSeq(t.Context()))(t); last != 400 {
		t.Errorf("last = %d, want 400", last)
	}
}

func TestFailedChangeLeavesNoGap(t *testing.T) {
	db := open(t)
	must(db.Append(t.Context(), work.Event{Kind: work.RunStarted}))(t)
	if _, err := db.PutAttempt(t.Context(), "p", doneAttempt("r9", "claude"), work.Event{Kind: work.AttemptChanged}); err == nil {
		t.Fatal("an attempt without a run was stored")
	}
	got := must(db.Append(t.Context(), work.Event{Kind: work.RunEnded}))(t)
	if got[0].Seq != 2 {
		t.Errorf("number after a failure = %d, want 2", got[0].Seq)
	}
}

func TestOldEventsAreForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "offrun.db")
	db := must(Open(t.Context(), path, Options{}))(t)
	must(db.Append(t.Context(), make([]work.Event, 10)...))(t)
	epoch := db.Epoch()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, Options{KeepEvents: 3})
	if got := must(db.EventsAfter(t.Context(), 0, 100))(t); len(got) != 3 || got[0].Seq != 8 {
		t.Errorf("events kept = %v, want 8 to 10", got)
	}
	if got := must(db.Append(t.Context(), work.Event{}))(t); got[0].Seq != 11 || db.Epoch() != epoch {
		t.Errorf("next number = %d in epoch %s, want 11 in %s", got[0].Seq, db.Epoch(), epoch)
	}
}

func TestReset(t *testing.T) {
	db := open(t)
	put(t, db, aRun("p", "old", 0))
	must(db.Append(t.Context(), make([]work.Event, 5)...))(t)
	if err := db.PutBaseline(t.Context(), "p", "c", nil, work.Tests{}); err != nil {
		t.Fatal(err)
	}
	before := db.Epoch()

	bad := aRun("p", "bad", 0)
	bad.Attempts = []work.Attempt{doneAttempt("another run", "claude")}
	if err := db.Reset(t.Context(), nil, slices.Values([]work.Run{bad})); err == nil {
		t.Fatal("an attempt of another run was taken")
	}
	if got := must(db.Runs(t.Context(), Filter{}))(t); len(got) != 1 || got[0].ID != "old" || db.Epoch() != before {
		t.Errorf("after a failed reset: runs %v, epoch %s; want as before", got, db.Epoch())
	}

	r := aRun("p", "new", 0)
	r.Attempts = []work.Attempt{doneAttempt("new", "claude")}
	if err := db.Reset(t.Context(), []work.Project{{ID: "p"}}, slices.Values([]work.Run{r})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]work.Run{r}, must(db.wholeRuns(t.Context(), "true"))(t)); diff != "" {
		t.Error(diff)
	}
	if db.Epoch() == before {
		t.Error("the epoch is the same after a reset")
	}
	if got := must(db.Append(t.Context(), work.Event{}))(t); got[0].Seq != 1 {
		t.Errorf("first number = %d, want 1", got[0].Seq)
	}
}

func TestBackup(t *testing.T) {
	db := open(t)
	put(t, db, aRun("p", "r1", 0))
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	copied := must(OpenReadOnly(t.Context(), to))(t)
	defer func() {
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := must(copied.Runs(t.Context(), Filter{}))(t); len(got) != 1 {
		t.Errorf("runs in the copy = %v, want one", got)
	}
	if err := db.Backup(t.Context(), to); err == nil {
		t.Error("a backup replaced a file")
	}
}

func checkSound(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := check(t.Context(), db); err != nil {
		t.Error(err)
	}
}

func TestAccountsOutliveAReindex(t *testing.T) {
	db := open(t)
	for _, a := range []work.Account{{Agent: "codex", Name: "b"}, {Agent: "codex", Name: "a"}, {Agent: "codex", Name: "a", Why: "newer"}} {
		if err := db.PutAccount(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Reset(t.Context(), nil, func(func(work.Run) bool) {}); err != nil {
		t.Fatal(err)
	}
	got := must(db.Accounts(t.Context()))(t)
	if len(got) != 2 || got[0].Name != "a" || got[0].Why != "newer" {
		t.Errorf("accounts = %+v", got)
	}
	if err := db.DeleteAccount(t.Context(), "codex", "a"); err != nil {
		t.Fatal(err)
	}
	if got := must(db.Accounts(t.Context()))(t); len(got) != 1 || got[0].Name != "b" {
		t.Errorf("accounts = %+v", got)
	}
}
