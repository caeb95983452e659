package pool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offrun/backend/work"
)

// A stage is a pool with a clock that the test sets, and what it has saved.
type stage struct {
	*Pool
	clock time.Time
	saved map[string]work.Account
}

func newStage(t *testing.T, listed ...work.Account) *stage {
	t.Helper()
	s := &stage{clock: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC), saved: map[string]work.Account{}}
	s.Pool = New(listed, nil, func() time.Time { return s.clock }, func(a work.Account) error {
		s.saved[a.Ref()] = a
		return nil
	})
	return s
}

func account(t *testing.T, name string) work.Account {
	return work.Account{Agent: "claude", Name: work.AccountName(name), Dir: t.TempDir()}
}

func (s *stage) lend(t *testing.T, prefer work.AccountName) work.Account {
	t.Helper()
	s.clock = s.clock.Add(time.Second)
	a, _, err := s.Lend(t.Context(), "claude", prefer)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *stage) rest(t *testing.T, name work.AccountName, d time.Duration) {
	t.Helper()
	until := s.clock.Add(d)
	if _, err := s.Rest("claude", name, &until, "limit"); err != nil {
		t.Fatal(err)
	}
}

func TestLendsLeastRecentlyUsed(t *testing.T) {
	s := newStage(t, account(t, "work"), account(t, "home"))
	var got []string
	for range 4 {
		got = append(got, string(s.lend(t, "").Name))
	}
	if want := "default work home default"; strings.Join(got, " ") != want {
		t.Errorf("lent %v, want %s", got, want)
	}
	if a := s.lend(t, "home"); a.Name != "home" {
		t.Errorf("lent %s although home was preferred", a.Name)
	}
	if a := s.saved["claude/home"]; a.UsedAt == nil || !a.UsedAt.Equal(s.clock) {
		t.Errorf("saved %+v", a)
	}
}

func TestRestingIsNotLent(t *testing.T) {
	s := newStage(t, account(t, "work"))
	s.rest(t, "default", 2*time.Hour)
	if a := s.lend(t, "default"); a.Name != "work" {
		t.Errorf("lent %s, which rests", a.Name)
	}
	s.rest(t, "work", time.Hour)
	_, _, err := s.Lend(t.Context(), "claude", "")
	r, ok := errors.AsType[*Resting](err)
	if !ok || !r.Until.Equal(s.clock.Add(time.Hour)) || !strings.Contains(err.Error(), "default, work") {
		t.Errorf("all rest: %v", err)
	}
	if u := s.Until("claude"); u == nil || !u.Equal(s.clock.Add(time.Hour)) {
		t.Errorf("until %v", u)
	}
	s.clock = s.clock.Add(61 * time.Minute)
	if a, ok := s.Next("claude"); !ok || a.Name != "work" {
		t.Errorf("after an hour the next is %v, %v", a, ok)
	}
	if err := s.Wake("claude", "default"); err != nil {
		t.Fatal(err)
	}
	if a, ok := s.Next("claude"); !ok || a.Name != "default" {
		t.Errorf("woken, but the next is %v, %v: not the first in order", a, ok)
	}
}

func TestPauseGrowsWithoutResetTime(t *testing.T) {
	s := newStage(t)
	var got []time.Duration
	for range 6 {
		until, err := s.Rest("claude", "default", nil, "limit")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, until.Sub(s.clock))
		s.clock = until
	}
	for i, want := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 5 * time.Hour, 5 * time.Hour} {
		if got[i] != want {
			t.Errorf("pause %d is %v, want %v", i+1, got[i], want)
		}
	}
	if err := s.Report("claude", "default", work.Usage{Input: 5, Output: 2}, []work.Window{{Name: "five_hour", Used: 0.5}}, true); err != nil {
		t.Fatal(err)
	}
	if until, _ := s.Rest("claude", "default", nil, "limit"); until.Sub(s.clock) != 15*time.Minute {
		t.Errorf("after a turn that went well the pause is %v", until.Sub(s.clock))
	}
	if a := s.Account("claude", "default"); a.Usage.Input != 5 || len(a.Windows) != 1 {
		t.Errorf("reported: %+v", a)
	}
}

// A clock that was set back must not make an account rest for years.
func TestClockSetBack(t *testing.T) {
	s := newStage(t)
	s.rest(t, "default", time.Hour)
	s.clock = s.clock.AddDate(-1, 0, 0)
	if a, ok := s.Next("claude"); !ok || a.Name != "default" {
		t.Errorf("next is %v, %v after the clock was set back", a, ok)
	}
}

func TestSessionsAtOnce(t *testing.T) {
	listed := work.Account{Agent: "claude", Name: work.DefaultAccount, Sessions: 1}
	s := newStage(t, listed)
	_, release, err := s.Lend(t.Context(), "claude", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Lend(ctx, "claude", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a second session: %v, want to wait", err)
	}
	got := make(chan error)
	go func() {
		_, _, err := s.Lend(t.Context(), "claude", "")
		got <- err
	}()
	release()
	release() // a second time is nothing
	if err := <-got; err != nil {
		t.Error(err)
	}
	if a := s.Account("claude", "default"); a.Working != 1 {
		t.Errorf("%d sessions", a.Working)
	}
}

func TestFolders(t *testing.T) {
	real := account(t, "work")
	link := work.Account{Agent: "claude", Name: "link", Dir: filepath.Join(t.TempDir(), "link")}
	if err := os.Symlink(real.Dir, link.Dir); err != nil {
		t.Fatal(err)
	}
	file := work.Account{Agent: "claude", Name: "file", Dir: filepath.Join(t.TempDir(), "file")}
	if err := os.WriteFile(file.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := work.Account{Agent: "claude", Name: "gone", Dir: filepath.Join(t.TempDir(), "gone")}
	for _, tt := range []struct {
		account work.Account
		want    string
	}{{real, ""}, {link, "is that of claude/work"}, {file, "is no folder"}, {gone, "is gone"}} {
		if got := Fault(tt.account, []work.Account{real}); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, want %q", tt.account.Name, got, tt.want)
		}
	}
	s := newStage(t, real, link, gone)
	s.rest(t, "default", time.Hour)
	for range 3 {
		if a := s.lend(t, ""); a.Name != "work" {
			t.Errorf("lent %s", a.Name)
		}
	}
	if err := os.Remove(real.Dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Wake("claude", "default"); err != nil {
		t.Fatal(err)
	}
	if a := s.lend(t, "work"); a.Name != "default" {
		t.Errorf("lent %s, whose folder is gone", a.Name)
	}
}

func TestSetKeepsWhatIsKnown(t *testing.T) {
	work1, home := account(t, "work"), account(t, "home")
	s := newStage(t, work1, home)
	s.rest(t, "work", time.Hour)
	s.Set([]work.Account{home, work1})
	var names []string
	for _, a := range s.Accounts("claude") {
		names = append(names, string(a.Name))
	}
	if strings.Join(names, " ") != "default home work" {
		t.Errorf("accounts %v", names)
	}
	if !s.Account("claude", "work").Resting(s.clock) {
		t.Error("a new order ended a rest")
	}
	again := New([]work.Account{work1}, []work.Account{s.saved["claude/work"]}, func() time.Time { return s.clock }, func(work.Account) error { return nil })
	if !again.Account("claude", "work").Resting(s.clock) {
		t.Error("a new bench forgot a rest")
	}
}
