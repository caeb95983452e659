package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// union is what a turn does to one file: it was given base and left theirs.
func union(base, ours, theirs string) string {
	text, _ := clean("x.md", theirs)
	b, t := parse(base), parse(text)
	added, _ := capped("x.md", t, additions(b, t))
	return merge(b, ours, t, added)
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ name, base, ours, theirs, want string }{
		{"a first note", "", "", "# Dead ends\n\n- sed on the lock file: the checksum breaks\n", "# Dead ends\n\n- sed on the lock file: the checksum breaks\n"},
		{"nothing new", "- a\n", "- a\n- b\n", "- a\n", "- a\n- b\n"},
		{"appended by both", "- a\n", "- a\n- ours\n", "- a\n- theirs\n", "- a\n- ours\n- theirs\n"},
		{"in the middle", "- a\n- z\n", "- a\n- z\n- ours\n", "- a\n- theirs\n- z\n", "- a\n- theirs\n- z\n- ours\n"},
		{"at the top, newest first", "# Plan\n- old\n", "# Plan\n- old\n", "# Plan\n- new\n- old\n", "# Plan\n- new\n- old\n"},
		{"the same by both", "- a\n", "- a\n- b\n", "- a\n- b  \n", "- a\n- b\n"},
		{"agents remove nothing", "- a\n- b\n", "- a\n- b\n", "- c\n", "- a\n- b\n- c\n"},
		{"users do", "- a\n- b\n", "- b\n", "- a\n- b\n- c\n", "- b\n- c\n"},
		{"changed is added", "- a is slow\n", "- a is slow\n", "- a is fast\n", "- a is slow\n- a is fast\n"},
		{"below its heading", "# One\n- a\n# Two\n- b\n", "# One\n- a\n- ours\n# Two\n- b\n", "# One\n- a\n- theirs\n# Two\n- b\n", "# One\n- a\n- ours\n- theirs\n# Two\n- b\n"},
		{"a new section", "# T\n\n## One\n- a\n", "# T\n\n## One\n- a\n- ours\n", "# T\n\n## One\n- a\n\n## Two\n- b\n", "# T\n\n## One\n- a\n- ours\n\n## Two\n- b\n"},
		{"the same words below other lines", "- tried A\n  - failed\n", "- tried A\n  - failed\n- tried B\n", "- tried A\n  - failed\n- tried B\n  - failed\n", "- tried A\n  - failed\n- tried B\n  - failed\n"},
		{"the same words below other headings", "# A\n- flaky\n# B\n", "# A\n- flaky\n# B\n", "# A\n- flaky\n# B\n- flaky\n", "# A\n- flaky\n# B\n- flaky\n"},
		{"a heading renamed", "# Plan\n- a\n- b\n", "# Plan\n- a\n- b\n", "# Plan (done)\n- a\n- b\n", "# Plan\n- a\n- b\n\n# Plan (done)\n"},
		{"indented anew", "- a\n- b\n", "- a\n- b\n", "- a\n  - b\n  - c\n", "- a\n  - c\n- b\n"},
		{"numbered anew", "1. a\n2. b\n", "1. a\n2. b\n", "1. a\n2. new\n3. b\n", "1. a\n2. new\n2. b\n"},
		{"ticked", "- [ ] a\n- [ ] b\n", "- [ ] a\n- [ ] b\n- [ ] ours\n", "- [x] a\n- [ ] b\n", "- [x] a\n- [ ] b\n- [ ] ours\n"},
		{"a tick that the user took back", "- [x] a\n", "- [ ] a\n", "- [x] a\n", "- [ ] a\n"},
		{"code stays whole", "", "```\nx\n```\n", "```\ny\n```\n", "```\nx\n```\n```\ny\n```\n"},
		{"a paragraph stays apart", "One.\n", "One.\n", "One.\n\nTwo.\n", "One.\n\nTwo.\n"},
		{"Windows lines stay", "- a\r\n", "- a\r\n- ours\r\n", "- a\r\n- theirs\r\n", "- a\r\n- ours\r\n- theirs\r\n"},
		{"no line break at the end", "- a", "- a", "- a\n- b", "- a\n- b\n"},
		{"Chinese", "# 死路\n- 直接改锁文件\n", "# 死路\n- 直接改锁文件\n- 我们的\n", "# 死路\n- 直接改锁文件\n- 用 sed 替换：校验和不符\n", "# 死路\n- 直接改锁文件\n- 我们的\n- 用 sed 替换：校验和不符\n"},
		{"conflict in theirs", "- a\n", "- a\n", "- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> other\n", "- a\n- b\n- c\n"},
		{"conflict in ours", "- a\n", "<<<<<<< HEAD\n- a\n=======\n- z\n>>>>>>> x\n", "- a\n- b\n", "<<<<<<< HEAD\n- a\n=======\n- z\n>>>>>>> x\n- b\n"},
		{"what it stood below is gone", "- a\n  - b\n", "- z\n", "- a\n  - b\n  - c\n", "- z\n- c\n"},
		{"no UTF-8", "", "- caf\xe9\n", "- th\xe9\n", "- caf\xe9\n- th\uFFFD\n"},
	} {
		got := union(tt.base, tt.ours, tt.theirs)
		if got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
		if again := union(tt.base, got, tt.theirs); again != got {
			t.Errorf("%s: twice gives %q\n            once %q", tt.name, again, got)
		}
	}
}

// However two attempts' additions fall together, every line is kept, each once,
// in whichever order they are absorbed, and absorbing again changes nothing.
func TestMergeKeepsEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 2026))
	for round := range 1000 {
		base := scribble(random, nil, "base", 12)
		a := scribble(random, base, "a", 6)
		b := scribble(random, base, "b", 6)
		if random.IntN(2) == 0 {
			a, b = slices.Insert(a, 0, "- both"), slices.Insert(b, 0, "- both")
		}
		text := func(ls []string) string { return strings.Join(ls, "\n") + "\n" }
		one := union(text(base), union(text(base), text(base), text(a)), text(b))
		two := union(text(base), union(text(base), text(base), text(b)), text(a))
		want := slices.Compact(slices.Sorted(slices.Values(content(slices.Concat(base, a, b)))))
		for _, got := range []string{one, two} {
			if have := slices.Sorted(slices.Values(content(strings.Split(got, "\n")))); !slices.Equal(have, want) {
				t.Fatalf("round %d\nbase:\n%sa:\n%sb:\n%sgot:\n%s", round, text(base), text(a), text(b), got)
			}
			for _, theirs := range [][]string{a, b} {
				if again := union(text(base), got, text(theirs)); again != got {
					t.Fatalf("round %d: again\nbase:\n%sa:\n%sb:\n%sgot:\n%sagain:\n%s", round, text(base), text(a), text(b), got, again)
				}
			}
		}
	}
}

// scribble returns lines with up to n new ones at random places.
func scribble(random *rand.Rand, lines []string, who string, n int) []string {
	lines = slices.Clone(lines)
	for i := range random.IntN(n + 1) {
		what := []string{"# %s", "## %s", "### %s", "- %s", "  - %s", "    - %s", "%s", "- [ ] %s", "1. %s", "", "```\n%s\n```"}[random.IntN(11)]
		if strings.Contains(what, "%s") {
			what = fmt.Sprintf(what, fmt.Sprint(who, i))
		}
		lines = slices.Insert(lines, random.IntN(len(lines)+1), what)
	}
	return lines
}

// content returns the lines that say something, without indentation.
func content(lines []string) (said []string) {
	for _, l := range lines {
		for part := range strings.SplitSeq(l, "\n") {
			if s := strings.TrimSpace(part); s != "" && s != "```" {
				said = append(said, s)
			}
		}
	}
	return said
}

func FuzzMerge(f *testing.F) {
	f.Add("- a\n", "- a\n- b\n", "- a\n- c\n")
	f.Add("# A\n```\n", "<<<<<<< x\n", "\xff\x00\n    - x\n\t1. y")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		got := union(base, ours, theirs)
		// What is ours stays, line by line, in its order, but for ticks.
		at := 0
		lines := strings.Split(strings.ReplaceAll(got, "[x]", "[ ]"), "\n")
		for _, l := range strings.Split(strings.ReplaceAll(strings.TrimSuffix(ours, "\n"), "[x]", "[ ]"), "\n") {
			for at < len(lines) && strings.TrimLeft(lines[at], " \t") != strings.TrimLeft(l, " \t") {
				at++
			}
			if at == len(lines) && ours != "" {
				t.Fatalf("lost %q of ours\n%q\n%q\n%q\n%q", l, base, ours, theirs, got)
			}
		}
	})
}
