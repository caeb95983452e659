package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offrun/backend/work"
)

// BenchmarkAppend reports the time of one event, appended alone or in batches.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprint("batch=", size), func(b *testing.B) {
			db := open(b)
			batch := make([]work.Event, size)
			for i := range batch {
				batch[i] = work.Event{Kind: work.AttemptProgress, Project: "shop", Run: "20260301-093000", Attempt: "claude", Text: strings.Repeat("x", 150)}
			}
			n := 0
			for b.Loop() {
				must(db.Append(b.Context(), batch...))(b)
				n += size
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func BenchmarkPutAttempt(b *testing.B) {
	db := archived(b, 1)
	a := bigAttempt("r0", "agent-1")
	for b.Loop() {
		must(db.PutAttempt(b.Context(), "p", a, work.Event{Kind: work.AttemptChanged}))(b)
	}
}

// BenchmarkRuns lists 1,000 archived runs of three attempts each.
func BenchmarkRuns(b *testing.B) {
	db := archived(b, 1000)
	for _, f := range []Filter{{Limit: -1}, {}, {Active: true}, {State: work.Failed}} {
		b.Run(fmt.Sprintf("limit=%d,active=%v,state=%s", f.Limit, f.Active, f.State), func(b *testing.B) {
			for b.Loop() {
				must(db.Runs(b.Context(), f))(b)
			}
		})
	}
}

// BenchmarkOpenReadOnly is what a command pays that reads without a bench.
func BenchmarkOpenReadOnly(b *testing.B) {
	path := archived(b, 1000).path
	for b.Loop() {
		db := must(OpenReadOnly(b.Context(), path))(b)
		must(db.Runs(b.Context(), Filter{Limit: 20}))(b)
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "offrun.db")
	db := must(Open(b.Context(), path, Options{}))(b)
	fill(b, db, 1000)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := must(Open(b.Context(), path, Options{}))(b).Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func archived(b testing.TB, runs int) *DB {
	db := open(b)
	fill(b, db, runs)
	return db
}

func fill(b testing.TB, db *DB, runs int) {
	err := db.Reset(b.Context(), nil, func(yield func(work.Run) bool) {
		for i := range runs {
			r := aRun("p", work.RunID(fmt.Sprint("r", i)), i)
			r.Card.Text = strings.Repeat("a line of the card\n", 150)
			for k := range 3 {
				r.Attempts = append(r.Attempts, bigAttempt(r.ID, work.AttemptName(fmt.Sprint("agent-", k))))
			}
			if !yield(r) {
				return
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}

// bigAttempt changed a hundred files.
func bigAttempt(run work.RunID, name work.AttemptName) work.Attempt {
	a := doneAttempt(run, name)
	for i := range 100 {
		a.Turns[0].Result.Changes = append(a.Turns[0].Result.Changes, work.Change{
			Path: fmt.Sprintf("src/some/folder/file%d.go", i), Status: "changed",
			Old: strings.Repeat("a", 40), New: strings.Repeat("b", 40), Added: i, Deleted: 1,
		})
	}
	a.Turns[0].Agent = &work.Exit{StartedAt: start, EndedAt: start.Add(time.Minute), Reason: work.Exited}
	return a
}
