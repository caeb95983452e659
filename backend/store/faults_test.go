package store

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"offrun/backend/work"
)

func TestF119LockedNamesTheHolder(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"hold", "exclusive"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel() // SQLite waits for some seconds
			path := golden(t, "testdata/schema-1.sql")
			c := startChild(t, role, path)
			c.line(t)
			_, err := Open(t.Context(), path, Options{})
			if work.CodeOf(err) != work.Busy {
				t.Fatalf("Open: %v, want busy", err)
			}
			who := fmt.Sprintf("process %d", c.Process.Pid)
			if msg := work.Public(err).Msg; !strings.Contains(msg, who) && (role == "hold" || runtime.GOOS == "linux") {
				t.Errorf("message %q does not name %s", msg, who)
			}
			if err := c.stop.Close(); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err != nil {
				t.Fatal(err)
			}
			checkGolden(t, openAt(t, path, Options{}))
		})
	}
}

func TestOpenTwiceInOneProcess(t *testing.T) {
	db := open(t)
	if _, err := Open(t.Context(), db.path, Options{}); work.CodeOf(err) != work.Busy {
		t.Errorf("second Open: %v, want busy", err)
	}
	must(db.Append(t.Context(), work.Event{}))(t)
}

func TestF120BackupWhileWriting(t *testing.T) {
	db := open(t)
	put(t, db, aRun("p", "r1", 0))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 200 {
				if _, err := db.Append(t.Context(), work.Event{Kind: work.AttemptProgress}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 5 {
		to := filepath.Join(t.TempDir(), fmt.Sprint("copy", i))
		if err := db.Backup(t.Context(), to); err != nil {
			t.Error(err)
		}
		checkSound(t, to)
	}
	wg.Wait()
	checkSound(t, strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(db.path))
	if last := must(db.LastSeq(t.Context()))(t); last != 400 {
		t.Errorf("last = %d, want 400", last)
	}
}

// Closing a descriptor of the database file drops this process's locks, so only
// functions that work on other files, or on a file nobody has open, open files.
func TestF120NobodyOpensTheFileByPath(t *testing.T) {
	allowed := []string{
		"lockHolder", // the kernel's list of locks
		"upgrade",    // makes the empty copy
		"syncPath",   // the finished copy, after its connections were closed
	}
	for _, name := range must(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || slices.Contains(allowed, fn.Name.Name) {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Open", "OpenFile", "ReadFile", "WriteFile", "Create"}, s.Sel.Name) {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
						t.Errorf("%s: %s calls os.%s", name, fn.Name.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// The writer is killed at random instants, thirty times over on one database,
// while another process's connection reads along.
func TestF121KilledWriterLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "offrun.db")
	if err := must(Open(t.Context(), path, Options{}))(t).Close(); err != nil {
		t.Fatal(err)
	}
	acknowledged := int64(0)
	for range 30 {
		c := startChild(t, "write", path)
		reader := must(OpenReadOnly(t.Context(), path))(t)
		for range 1 + rand.IntN(60) {
			if _, err := fmt.Sscan(c.line(t), &acknowledged); err != nil {
				t.Fatal(err)
			}
		}
		if last := must(reader.LastSeq(t.Context()))(t); last < acknowledged {
			t.Fatalf("a reader sees %d events, %d were acknowledged", last, acknowledged)
		}
		c.kill()
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		checkAfterKill(t, path, acknowledged)
	}
}

func checkAfterKill(t *testing.T, path string, acknowledged int64) {
	t.Helper()
	db := must(Open(t.Context(), path, Options{KeepEvents: 1 << 40}))(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if db.Moved() != "" {
		t.Fatal("the database was taken for damaged")
	}
	last := must(db.LastSeq(t.Context()))(t)
	if last < acknowledged {
		t.Fatalf("%d events are there, %d were acknowledged", last, acknowledged)
	}
	events := must(db.EventsAfter(t.Context(), 0, 1<<30))(t)
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
	r := must(db.Run(t.Context(), "p", "r1"))(t)
	if turns := len(r.Attempts[0].Turns); int64(turns) != last || len(events) != turns {
		t.Fatalf("%d turns, %d events, last is %d: an attempt and its event came apart", turns, len(events), last)
	}
}

// While somebody else holds the write lock, the user reads who, not "database is
// locked".
func TestF121LockedWhileWriting(t *testing.T) {
	t.Parallel() // SQLite waits for some seconds
	path := filepath.Join(t.TempDir(), "offrun.db")
	db := openAt(t, path, Options{})
	raw := must(connect(path, writeParams()))(t)
	defer raw.Close()
	tx := must(raw.Begin())(t)
	must(tx.Exec("update meta set value = value"))(t)
	if _, err := db.Append(t.Context(), work.Event{}); work.CodeOf(err) != work.Busy {
		t.Errorf("Append: %v, want busy", err)
	}
	if got := must(db.EventsAfter(t.Context(), 0, 10))(t); len(got) != 0 {
		t.Errorf("events = %v", got)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got := must(db.Append(t.Context(), work.Event{}))(t); got[0].Seq != 1 {
		t.Errorf("number = %d, want 1", got[0].Seq)
	}
}

func TestDamagedIsMovedAside(t *testing.T) {
	for _, tt := range []struct {
		what  string
		spoil func(b []byte) []byte
	}{
		{"garbage", func(b []byte) []byte { return []byte(strings.Repeat("no database at all. ", 500)) }},
		{"text shorter than a header", func(b []byte) []byte { return []byte("oops") }},
		{"cut in half", func(b []byte) []byte { return b[:len(b)/2] }},
		{"header overwritten", func(b []byte) []byte { return append(make([]byte, 100), b[100:]...) }},
		{"pages overwritten", func(b []byte) []byte {
			for i := 4096; i < len(b); i++ {
				b[i] = 0xA5
			}
			return b
		}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			path := golden(t, "testdata/schema-1.sql")
			spoilt := tt.spoil(must(os.ReadFile(path))(t))
			if err := os.WriteFile(path, spoilt, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenReadOnly(t.Context(), path); err == nil {
				t.Error("a reader opened it without complaint")
			}
			db := must(Open(t.Context(), path, Options{}))(t)
			if got := must(os.ReadFile(db.Moved()))(t); string(got) != string(spoilt) {
				t.Error("the moved file is not the damaged one")
			}
			put(t, db, aRun("p", "r1", 0))
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			again := openAt(t, path, Options{})
			if got := must(again.Runs(t.Context(), Filter{}))(t); again.Moved() != "" || len(got) != 1 {
				t.Errorf("opened again: moved %q, runs %v", again.Moved(), got)
			}
		})
	}
}

func TestEmptyFileIsNotDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "offrun.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path, Options{})
	must(db.Append(t.Context(), work.Event{}))(t)
	if db.Moved() != "" {
		t.Errorf("moved to %s", db.Moved())
	}
}

func TestFilesArePrivate(t *testing.T) {
	db := open(t)
	must(db.Append(t.Context(), work.Event{}))(t)
	for _, file := range must(os.ReadDir(filepath.Dir(db.path)))(t) {
		if info := must(file.Info())(t); info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, want 0600", file.Name(), info.Mode())
		}
	}
}

func TestReadOnlyCannotWrite(t *testing.T) {
	db := open(t)
	put(t, db, aRun("p", "r1", 0))
	reader := must(OpenReadOnly(t.Context(), db.path))(t)
	defer reader.Close()
	if _, err := reader.Append(t.Context(), work.Event{}); err == nil {
		t.Error("a reader appended an event")
	}
	if _, err := reader.read.Exec("delete from runs"); err == nil {
		t.Error("the connection of a reader can write")
	}
	must(db.Append(t.Context(), work.Event{}))(t)
	if last := must(reader.LastSeq(t.Context()))(t); last != 1 || reader.Epoch() != db.Epoch() {
		t.Errorf("reader: last %d in epoch %s, want 1 in %s", last, reader.Epoch(), db.Epoch())
	}
}

func TestUnusablePlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "offrun.db")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(t.TempDir(), "missing", "offrun.db"),
		folder,
	} {
		_, err := Open(t.Context(), path, Options{})
		if e, ok := errors.AsType[*work.Error](err); !ok || e.Code != work.Unavailable || e.Next == "" {
			t.Errorf("Open(%s): %v, want unavailable with a next step", path, err)
		}
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Errorf("the folder in the database's place: %v, %v", info, err)
	}
}
