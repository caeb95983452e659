package land_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/land"
	"offrun/backend/work"
)

// big makes a scene with 11,000 files, of which the attempt and, since then, trunk
// have changed 30 each.
func big(b *testing.B) *scene {
	b.Helper()
	s := newScene(b, nil)
	s.Git("config", "gc.auto", "0")
	for i := range 11000 {
		s.Write(fmt.Sprintf("src/%02d/%02d/file%d.go", i%37, i%31, i), strings.Repeat(fmt.Sprintf("// line %d of a file\n", i), 60))
	}
	s.in.Run.Base = s.Commit("big")
	s.Git("-c", "gc.auto=0", "repack", "-a", "-d", "--quiet")
	s.room(b, 0)
	for i := 5; i < 9000; i += 300 {
		s.Write(fmt.Sprintf("src/%02d/%02d/file%d.go", i%37, i%31, i), "trunk\n")
	}
	s.Commit("meanwhile")
	return s
}

// room gives the scene another worktree, in which 30 files are changed, and the
// result of that.
func (s *scene) room(b *testing.B, n int) {
	b.Helper()
	name := fmt.Sprintf("login-claude-%d", n)
	w, err := s.repo.AddWorktree(b.Context(), git.WorktreeOptions{
		Path: filepath.Join(s.repo.Dir, ".worktrees", name), Branch: "run/" + name, Commit: s.in.Run.Base, Mark: mark,
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := 100; i < 9100; i += 300 {
		gittest.Write(b, filepath.Join(w.Path, fmt.Sprintf("src/%02d/%02d/file%d.go", i%37, i%31, i)), "attempt\n")
	}
	s.tree, s.in.Attempt.Dir, s.in.Attempt.GitDir, s.in.Attempt.Branch = w, w.Path, w.Admin, "run/"+name
	s.collect()
}

// cpu is what this process and all its children have used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// compare runs ours and what a person would type in turn, and reports the CPU time
// of both and the ratio. before, if not nil, prepares each run, unmeasured.
func compare(b *testing.B, before func(i int), ours, typed func()) {
	b.Helper()
	var sums [2]time.Duration
	n := 0
	for b.Loop() {
		for i, run := range []func(){ours, typed} {
			if before != nil {
				before(2*n + i + 1)
			}
			start := cpu(b)
			run()
			sums[i] += cpu(b) - start
		}
		n++
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(n) / float64(time.Millisecond) }
	b.ReportMetric(ms(sums[0]), "cpu-ms/op")
	b.ReportMetric(ms(sums[1]), "floor-cpu-ms/op")
	b.ReportMetric(float64(sums[0])/float64(sums[1]), "ratio")
}

// BenchmarkPreview: at most 1.5 × the CPU of git merge-tree --write-tree.
func BenchmarkPreview(b *testing.B) {
	s := big(b)
	compare(b, nil, func() {
		if _, err := land.Preview(b.Context(), s.repo, s.in); err != nil {
			b.Fatal(err)
		}
	}, func() { s.Git("merge-tree", "--write-tree", "main", s.in.Attempt.Turn().Result.Commit) })
}

// BenchmarkClean: at most 0.6 × the CPU of git worktree remove, with the result
// collected before, as the end of a turn does.
func BenchmarkClean(b *testing.B) {
	for _, sealed := range []bool{true, false} {
		b.Run(fmt.Sprintf("sealed=%v", sealed), func(b *testing.B) {
			s := big(b)
			var in land.CleanIn
			compare(b, func(i int) {
				if _, err := s.repo.EmptyTrash(b.Context(), mark); err != nil {
					b.Fatal(err)
				}
				s.in.Attempt.Name = work.AttemptName(fmt.Sprintf("claude-%d", i))
				s.room(b, i)
				s.In(s.tree.Path, "status")
				in = s.cleanIn()
				if survey, err := s.tree.Survey(b.Context()); err != nil {
					b.Fatal(err)
				} else if sealed {
					in.Seal = survey.Seal
				}
			}, func() {
				if c := s.clean(in); c.Refused != "" {
					b.Fatal(c.Refused)
				}
			}, func() {
				s.Git("worktree", "remove", "--force", "--force", s.tree.Path)
				if _, err := os.Stat(s.tree.Path); err == nil {
					b.Fatal("not removed")
				}
			})
		})
	}
}
