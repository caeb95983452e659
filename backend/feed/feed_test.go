package feed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"offrun/backend/store"
	"offrun/backend/work"
)

func open(t testing.TB) *Feed {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "offrun.db"))
}

func openAt(t testing.TB, path string) *Feed {
	t.Helper()
	db, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func appendN(t testing.TB, f *Feed, n int) {
	t.Helper()
	for range n {
		if err := f.Append(t.Context(), work.Event{Kind: work.AttemptProgress}); err != nil {
			t.Error(err)
			return
		}
	}
}

// Every reader, however it reads, sees every event once and in order.
func TestReadersMissNothing(t *testing.T) {
	f := open(t)
	const writers, each = 4, 1500 // more than is kept in memory
	var wg sync.WaitGroup
	for _, limit := range []int{1, 7, 100_000} {
		wg.Go(func() {
			c := Cursor{}
			for c.Seq < writers*each {
				events, err := f.Wait(t.Context(), c, limit)
				if err != nil || len(events) == 0 || len(events) > limit {
					t.Errorf("Wait(%v, %d) = %d events, %v", c, limit, len(events), err)
					return
				}
				for _, e := range events {
					if c.Seq++; e.Seq != c.Seq {
						t.Errorf("limit %d: number %d, want %d", limit, e.Seq, c.Seq)
						return
					}
				}
			}
		})
	}
	for range writers {
		wg.Go(func() { appendN(t, f, each) })
	}
	wg.Wait()
	if got := f.Now().Seq; got != writers*each {
		t.Errorf("last = %d, want %d", got, writers*each)
	}
}

func TestAfter(t *testing.T) {
	f := open(t)
	appendN(t, f, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []int64
	for e, err := range f.After(ctx, Cursor{Seq: 1}) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		got = append(got, e.Seq)
		switch e.Seq {
		case 3:
			appendN(t, f, 1)
		case 4:
			cancel()
		}
	}
	if !slices.Equal(got, []int64{2, 3, 4}) {
		t.Errorf("numbers = %v, want 2 3 4", got)
	}
}

func TestRestartGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "offrun.db")
	var c Cursor
	t.Run("before", func(t *testing.T) { // its cleanup closes the database
		f := openAt(t, path)
		appendN(t, f, 5)
		c = f.Now()
	})
	f := openAt(t, path)
	if f.Now() != c {
		t.Errorf("cursor = %v, want %v", f.Now(), c)
	}
	appendN(t, f, 1)
	for from := range int64(6) {
		events, err := f.Wait(t.Context(), Cursor{c.Epoch, from}, 100)
		if err != nil || len(events) != int(6-from) || events[0].Seq != from+1 {
			t.Errorf("after %d: %v, %v", from, events, err)
		}
	}
}

func TestReset(t *testing.T) {
	f := open(t)
	appendN(t, f, 5)
	old := f.Now()
	waiting := make(chan error)
	go func() {
		_, err := f.Wait(t.Context(), old, 10)
		waiting <- err
	}()
	if err := f.Reset(t.Context(), nil, slices.Values([]work.Run(nil))); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; work.CodeOf(err) != work.Conflict {
		t.Errorf("a reader that waited: %v, want conflict", err)
	}
	appendN(t, f, 9)
	for _, c := range []Cursor{old, {old.Epoch, 0}, {"", 10}, {"", -1}} {
		if _, err := f.Wait(t.Context(), c, 10); work.CodeOf(err) != work.Conflict {
			t.Errorf("Wait(%v): %v, want conflict", c, err)
		}
	}
	if events, err := f.Wait(t.Context(), Cursor{}, 100); err != nil || len(events) != 9 {
		t.Errorf("new epoch: %v, %v; want 9 events", events, err)
	}
}

func TestPutTellsAndStores(t *testing.T) {
	f := open(t)
	r := work.Run{ID: "r1", Project: "p", StartedAt: time.Now()}
	if err := f.PutRun(t.Context(), r, work.Event{Kind: work.RunStarted}); err != nil {
		t.Fatal(err)
	}
	if err := f.PutAttempt(t.Context(), "p", work.Attempt{Run: "r1", Name: "a"}, work.Event{Kind: work.AttemptChanged}); err != nil {
		t.Fatal(err)
	}
	if err := f.PutAttempt(t.Context(), "p", work.Attempt{Run: "r2", Name: "a"}, work.Event{Kind: work.AttemptChanged}); work.CodeOf(err) != work.NotFound {
		t.Errorf("attempt without run: %v, want not found", err)
	}
	if err := f.PutAttempt(t.Context(), "p", work.Attempt{Run: "r1", Name: "b"}); err != nil {
		t.Fatal(err)
	}
	events, err := f.Wait(t.Context(), Cursor{}, 10)
	if err != nil || len(events) != 2 || events[0].Kind != work.RunStarted || events[1].Kind != work.AttemptChanged {
		t.Errorf("events = %v, %v", events, err)
	}
}

func TestLongTextIsCut(t *testing.T) {
	f := open(t)
	mine := work.Event{Text: "x" + strings.Repeat("ü", 400)}
	if err := f.Append(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	events, err := f.Wait(t.Context(), Cursor{}, 1)
	if err != nil || events[0].Text != mine.Text[:499] || len(mine.Text) != 801 {
		t.Errorf("text has %d bytes, %v; want 499 whole characters", len(events[0].Text), err)
	}
}

// BenchmarkReaders: a hundred readers follow one writer.
func BenchmarkReaders(b *testing.B) {
	for _, readers := range []int{1, 100} {
		b.Run(fmt.Sprint("readers=", readers), func(b *testing.B) {
			f := open(b)
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			total := make(chan int64)
			for range readers {
				wg.Go(func() {
					n := int64(0)
					for _, err := range f.After(ctx, Cursor{}) {
						if err != nil {
							break
						}
						n++
						if n == int64(b.N) {
							total <- n
						}
					}
				})
			}
			b.ResetTimer()
			appendN(b, f, b.N)
			for range readers {
				<-total
			}
			b.StopTimer()
			cancel()
			wg.Wait()
		})
	}
}
