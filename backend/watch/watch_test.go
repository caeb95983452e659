package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const limit = 30 * time.Second // a test that waits so long has failed

// follow counts what is in the tree after each hint, as a reader would, until
// it sees want files.
func follow(t *testing.T, hints <-chan struct{}, root string, want int) {
	t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case <-hints:
		case <-deadline:
			t.Fatalf("no hint shows %d files; there are %d", want, count(t, root))
		}
		if count(t, root) == want {
			return
		}
	}
}

func count(t *testing.T, root string) (n int) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}

// ended waits until the channel is closed, so that nothing is left running.
func ended(t *testing.T, cancel context.CancelFunc, hints <-chan struct{}) {
	cancel()
	deadline := time.After(limit)
	for {
		select {
		case _, open := <-hints:
			if !open {
				return
			}
		case <-deadline:
			t.Fatal("the channel is not closed")
		}
	}
}

// both runs test with the system's watches and by polling.
func both(t *testing.T, test func(t *testing.T, o Options)) {
	for name, most := range map[string]int{"notified": 0, "polled": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // polling takes its time
			test(t, Options{Every: 10 * time.Millisecond, MaxFolders: most})
		})
	}
}

func TestTreeSeesEverything(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		root := t.TempDir()
		write(t, filepath.Join(root, "old", "file"), "x")
		ctx, cancel := context.WithCancel(t.Context())
		hints := Tree(ctx, root, o)
		defer ended(t, cancel, hints)
		follow(t, hints, root, 1)
		write(t, filepath.Join(root, "old", "new"), "x")
		follow(t, hints, root, 2)
		write(t, filepath.Join(root, "a", "b", "c", "deep"), "x")
		follow(t, hints, root, 3)
		write(t, filepath.Join(root, "a", "b", "deeper"), "x")
		follow(t, hints, root, 4)
		if err := os.Rename(filepath.Join(root, "a"), filepath.Join(root, "moved")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "moved", "b", "c", "after the move"), "x")
		follow(t, hints, root, 5)
		if err := os.RemoveAll(filepath.Join(root, "moved")); err != nil {
			t.Fatal(err)
		}
		follow(t, hints, root, 2)
	})
}

// Folders are made and filled at the same time, faster than watches are set.
func TestTreeLosesNothingInAFlood(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		root := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		hints := Tree(ctx, root, o)
		defer ended(t, cancel, hints)
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := range 500 {
					write(t, filepath.Join(root, fmt.Sprint(w), fmt.Sprint(i/10), fmt.Sprint(i)), "x")
				}
			})
		}
		follow(t, hints, root, 2000)
		wg.Wait()
	})
}

func TestTreeSkips(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		root := t.TempDir()
		for _, name := range []string{"src/file", ".git/index", "web/node_modules/x/file"} {
			write(t, filepath.Join(root, name), "x")
		}
		o.Skip = func(rel string) bool { return rel == "web/node_modules" }
		ctx, cancel := context.WithCancel(t.Context())
		hints := Tree(ctx, root, o)
		defer ended(t, cancel, hints)
		follow(t, hints, root, 3)
		write(t, filepath.Join(root, ".git/index2"), "x")
		write(t, filepath.Join(root, "web/node_modules/x/file2"), "x")
		select {
		case <-hints:
			t.Error("a change that is left out was reported")
		case <-time.After(50 * time.Millisecond): // long for the watches; short of the first poll
		}
		write(t, filepath.Join(root, "src/file2"), "x")
		follow(t, hints, root, 6)
	})
}

// A root that goes away and comes back is still watched.
func TestTreeWhoseRootIsReplaced(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		root := filepath.Join(t.TempDir(), "root")
		write(t, filepath.Join(root, "file"), "x")
		ctx, cancel := context.WithCancel(t.Context())
		hints := Tree(ctx, root, o)
		defer ended(t, cancel, hints)
		follow(t, hints, root, 1)
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "again", "a"), "x")
		write(t, filepath.Join(root, "again", "b"), "x")
		follow(t, hints, root, 2)
	})
}

func TestGrowth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.log")
	ctx, cancel := context.WithCancel(t.Context())
	hints := Growth(ctx, path)
	defer ended(t, cancel, hints)
	wait := func(what string) {
		t.Helper()
		select {
		case <-hints:
		case <-time.After(limit):
			t.Fatalf("no hint when the file %s", what)
		}
	}
	write(t, path, "one line\n")
	wait("appeared")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 3 {
		if _, err := f.WriteString("more\n"); err != nil {
			t.Fatal(err)
		}
		wait("grew")
	}
	write(t, path+".new", "one line\nmore\nmore\nmore\n") // the same size
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	wait("was replaced")
}

func BenchmarkSetUp(b *testing.B) {
	root := b.TempDir()
	for i := range 1500 {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprint(i/40), fmt.Sprint(i)), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		hints := Tree(ctx, root, Options{Every: time.Microsecond})
		<-hints
		cancel()
		for range hints {
		}
	}
}
