package land_test

import (
	"strings"
	"testing"

	"offrun/backend/git/gittest"
	"offrun/backend/land"
	"offrun/backend/work"
)

func (s *scene) undo(l work.Landing) (work.Landing, error) {
	return land.Undo(s.t.Context(), s.repo, l, nil)
}

func TestUndoSetsTrunkBack(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "his\n", "new/d.txt": "d\n"})
	s.Write("staged.txt", "mine\n")
	s.Git("add", "staged.txt")
	s.Write("mine.txt", "unstaged\n")
	status := s.Git("status", "--porcelain=v1", "--no-branch")
	check := gittest.Invariants(t, s.Dir, "index")
	l := s.mustLand()
	u, err := s.undo(l)
	if err != nil || u.UndoneAt == nil || u.UndoneBy != "" {
		t.Fatalf("undone: %+v, %v", u, err)
	}
	check()
	if got := s.Git("status", "--porcelain=v1", "--no-branch"); got != status || s.Git("rev-parse", "main") != s.in.Run.Base {
		t.Errorf("status %q, want %q", got, status)
	}
	s.noTrace()
	_, err = s.undo(u)
	if work.CodeOf(err) != work.Conflict {
		t.Errorf("undoing twice: %v", err)
	}
	s.in.Attempt.Landing = &u
	if again := s.mustLand(); again.Tree != l.Tree || s.Read("a.txt") != "his\n" {
		t.Errorf("landing anew: %+v", again)
	}
}

// What others may have already is reverted by a commit of its own.
func TestUndoByRevert(t *testing.T) {
	for name, after := range map[string]func(s *scene, l work.Landing){
		"trunk moved on": func(s *scene, l work.Landing) { s.Write("b.txt", "later\n"); s.Commit("later") },
		"pushed": func(s *scene, l work.Landing) {
			s.Git("update-ref", "refs/remotes/origin/main", l.Commit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, map[string]string{"a.txt": "his\n", "new/d.txt": "d\n"})
			before := s.Git("rev-parse", "main:a.txt")
			l := s.mustLand()
			after(s, l)
			tip := s.Git("rev-parse", "main")
			s.Write("mine.txt", "unstaged\n")
			check := gittest.Invariants(t, s.Dir, "index", "refs/heads/main", "file a.txt", "file new/d.txt")
			u, err := s.undo(l)
			if err != nil {
				t.Fatal(err)
			}
			check()
			if got := s.Git("rev-parse", "main", "main^", "main:a.txt"); got != u.UndoneBy+"\n"+tip+"\n"+before {
				t.Errorf("main, its parent and a.txt are %q", got)
			}
			if m := s.Git("show", "--no-patch", "--no-show-signature", "--format=%B", "main"); m != "Revert \"Fix the login\"\n\nThis reverts commit "+l.Commit+".\n" {
				t.Errorf("message %q", m)
			}
			if got, want := s.Git("status", "--porcelain=v1", "--no-branch"), " M mine.txt"; got != want {
				t.Errorf("status %q, want %q", got, want)
			}
			// Nobody wrote it down: the same call finds what it did.
			if v, err := s.undo(l); err != nil || v.UndoneBy != u.UndoneBy {
				t.Errorf("undoing once more: %+v, %v", v, err)
			}
			s.in.Attempt.Landing = &u
			if s.mustLand(); s.Read("a.txt") != "his\n" {
				t.Error("it does not land anew after a revert")
			}
		})
	}
}

func TestUndoRefusals(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(s *scene)
		code work.Code
		says string
	}{
		{"later work builds on it", func(s *scene) { s.Write("a.txt", "his, improved\n"); s.Commit("later") }, work.Conflict, "later commits on main build on"},
		{"trunk was rewritten", func(s *scene) {
			s.Git("reset", "--quiet", "--hard", s.in.Run.Base)
			s.Write("b.txt", "x\n")
			s.Commit("other")
		}, work.Conflict, "does not contain"},
		{"overlapping change", func(s *scene) { s.Write("a.txt", "mine\n") }, work.Conflict, "in the way"},
		{"index is locked", func(s *scene) { gittest.Write(s.t, s.repo.GitDir+"/index.lock", "") }, work.Busy, "a git is at work"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, map[string]string{"a.txt": "his\n"})
			l := s.mustLand()
			tt.do(s)
			check := gittest.Invariants(t, s.Dir)
			_, err := s.undo(l)
			refused(t, err, tt.code, tt.says)
			check()
		})
	}
	s := newScene(t, map[string]string{"a.txt": "his\n"})
	if _, err := s.undo(work.Landing{Attempt: "claude"}); work.CodeOf(err) != work.Invalid {
		t.Errorf("undoing what has not landed: %v", err)
	}
}

// Undo is cut off after each of its steps.
func TestUndoCutOff(t *testing.T) {
	for name, do := range map[string]func(s *scene, l work.Landing){
		"files moved": func(s *scene, l work.Landing) { s.Git("read-tree", "-m", "-u", l.Commit, l.Parent) },
		"branch moved": func(s *scene, l work.Landing) {
			s.Git("read-tree", "-m", "-u", l.Commit, l.Parent)
			s.Git("update-ref", "refs/heads/main", l.Parent, l.Commit)
		},
	} {
		s := newScene(t, map[string]string{"a.txt": "his\n", "new/d.txt": "d\n"})
		l := s.mustLand()
		do(s, l)
		if u, err := s.undo(l); err != nil || u.UndoneBy != "" {
			t.Errorf("%s: %+v, %v", name, u, err)
		}
		if got := s.Git("status", "--porcelain=v1", "--no-branch"); got != "" || s.Git("rev-parse", "main") != l.Parent || strings.Contains(s.Git("for-each-ref"), "landed") {
			t.Errorf("%s: status %q", name, got)
		}
	}
}
