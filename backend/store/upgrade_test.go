package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

const (
	stepTwo    = "-- +goose Up\nalter table runs add column starred integer not null default 0;\nupdate meta set value = value;\n"
	stepBroken = "-- +goose Up\ndelete from attempts;\nalter table nowhere add column x;\n"
	stepOrphan = "-- +goose NO TRANSACTION\n-- +goose Up\npragma foreign_keys = off;\ndelete from runs;\n"
)

// withSteps returns the real steps and more that follow.
func withSteps(more ...string) fs.FS {
	steps := fstest.MapFS{}
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(embedded(), name)
		if err != nil {
			panic(err)
		}
		steps[name] = &fstest.MapFile{Data: b}
	}
	for i, s := range more {
		steps[fmt.Sprintf("%05d_more.sql", len(names)+i+1)] = &fstest.MapFile{Data: []byte(s)}
	}
	return steps
}

// golden builds the database that a version left, in WAL mode as it was.
func golden(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "offrun.db")
	db := must(sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL"))(t)
	defer db.Close()
	must(db.Exec(string(must(os.ReadFile(file))(t))))(t)
	return path
}

func checkGolden(t testing.TB, db *DB) {
	t.Helper()
	if got := must(db.Projects(t.Context()))(t); len(got) != 1 || got[0].Path != "/src/shop" {
		t.Errorf("projects = %v", got)
	}
	r := must(db.Run(t.Context(), "shop", "20260301-093000"))(t)
	if r.Card.Title != "Fix login" || len(r.Attempts) != 1 || r.Attempts[0].State() != work.Cancelled {
		t.Errorf("run = %+v", r)
	}
	if got := must(db.Runs(t.Context(), Filter{State: work.Cancelled}))(t); len(got) != 1 || len(got[0].Attempts) != 1 {
		t.Errorf("runs = %v", got)
	}
	if got := must(db.EventsAfter(t.Context(), 0, 10))(t); len(got) != 1 || got[0].Seq != 41 {
		t.Errorf("events = %v", got)
	}
	if db.Epoch() != "GOLDEN" || db.Moved() != "" {
		t.Errorf("epoch %q, moved to %q; want the old one in its place", db.Epoch(), db.Moved())
	}
}

// Every released version's database opens, and through further steps.
func TestF118GoldenDatabases(t *testing.T) {
	files := must(filepath.Glob("testdata/schema-*.sql"))(t)
	if latest := must(latestVersion(embedded()))(t); len(files) != int(latest) {
		t.Errorf("%d golden databases for %d versions", len(files), latest)
	}
	for _, file := range files {
		for _, steps := range []fs.FS{nil, withSteps(stepTwo)} {
			path := golden(t, file)
			// What a killed upgrade left behind is in nobody's way.
			if err := os.WriteFile(path+".new", []byte("half a database"), 0o600); err != nil {
				t.Fatal(err)
			}
			db := openAt(t, path, Options{migrations: steps})
			checkGolden(t, db)
			must(db.Append(t.Context(), work.Event{}))(t)
			if steps != nil && exists(path+".new") {
				t.Error("the copy was left behind")
			}
		}
	}
}

// The newest golden database has the schema that the steps make.
func TestF118GoldenSchema(t *testing.T) {
	latest := must(latestVersion(embedded()))(t)
	old := must(sql.Open("sqlite3", golden(t, fmt.Sprintf("testdata/schema-%d.sql", latest))))(t)
	defer old.Close()
	if diff := cmp.Diff(schema(t, open(t).read), schema(t, old)); diff != "" {
		t.Error(diff)
	}
}

func schema(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rs := must(db.Query("select name, sql from sqlite_schema where name not like 'goose%' and sql is not null"))(t)
	defer rs.Close()
	found := map[string]string{}
	for rs.Next() {
		var name, text string
		if err := rs.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`--.*`).ReplaceAllString(text, "")
		found[name] = regexp.MustCompile(`\s+|([(),])\s*`).ReplaceAllString(text, " $1 ")
		found[name] = strings.Join(strings.Fields(found[name]), " ")
	}
	return found
}

func TestF118FailedUpgradeChangesNothing(t *testing.T) {
	for _, step := range []string{stepBroken, stepOrphan} {
		path := golden(t, "testdata/schema-1.sql")
		before := must(os.ReadFile(path))(t)
		_, err := Open(t.Context(), path, Options{migrations: withSteps(stepTwo, step)})
		if work.CodeOf(err) != work.Unavailable || !strings.Contains(work.Public(err).Next, "reindex") {
			t.Fatalf("broken step: %v, want unavailable with a way out", err)
		}
		if after := must(os.ReadFile(path))(t); !bytes.Equal(before, after) {
			t.Error("the database changed")
		}
		if left := must(filepath.Glob(path + ".new*"))(t); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		checkGolden(t, openAt(t, path, Options{}))
	}
}

func TestFreshStartsEmptyWhateverIsThere(t *testing.T) {
	path := golden(t, "testdata/schema-1.sql")
	db := openAt(t, path, Options{Fresh: true})
	if got := must(db.Projects(t.Context()))(t); len(got) != 0 || db.Moved() == "" {
		t.Errorf("projects = %v, moved to %q", got, db.Moved())
	}
	checkSound(t, db.Moved())
}

func TestOtherVersions(t *testing.T) {
	path := golden(t, "testdata/schema-1.sql")
	if err := must(Open(t.Context(), path, Options{migrations: withSteps(stepTwo)}))(t).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); work.CodeOf(err) != work.Conflict {
		t.Errorf("newer database: %v, want conflict", err)
	}
	if _, err := OpenReadOnly(t.Context(), path); work.CodeOf(err) != work.Conflict {
		t.Errorf("newer database to read: %v, want conflict", err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	raw := must(sql.Open("sqlite3", "file:"+old))(t)
	defer raw.Close()
	must(raw.Exec("create table goose_db_version (version_id, is_applied)"))(t)
	if _, err := OpenReadOnly(t.Context(), old); work.CodeOf(err) != work.Conflict {
		t.Errorf("older database to read: %v, want conflict", err)
	}
	if _, err := OpenReadOnly(t.Context(), path+"x"); work.CodeOf(err) != work.NotFound || exists(path+"x") {
		t.Errorf("no database to read: %v, want not found, and none made", err)
	}
}

// An upgrade is killed at random instants; each time the database is the old or
// the new one, whole.
func TestF118KilledUpgrade(t *testing.T) {
	for range 20 {
		path := golden(t, "testdata/schema-1.sql")
		c := startChild(t, "upgrade", path)
		c.line(t)
		time.Sleep(time.Duration(rand.IntN(15_000)) * time.Microsecond) // the random instant
		c.kill()
		db := must(Open(t.Context(), path, Options{migrations: withSteps(stepTwo)}))(t)
		checkGolden(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a killed writer left in the log comes along, and a reader that is there
// all the while notices nothing.
func TestF121UpgradeTakesTheLogAlong(t *testing.T) {
	path := golden(t, "testdata/schema-1.sql")
	must(must(sql.Open("sqlite3", path))(t).Exec("delete from events"))(t)
	c := startChild(t, "write", path)
	for range 10 {
		c.line(t)
	}
	c.kill()
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("no log was left: %v, %v", info, err)
	}
	reader := must(OpenReadOnly(t.Context(), path))(t)
	defer reader.Close()
	want := must(reader.LastSeq(t.Context()))(t)
	db := openAt(t, path, Options{migrations: withSteps(stepTwo)})
	for range 100 {
		must(db.Append(t.Context(), work.Event{}))(t)
	}
	if got := must(reader.LastSeq(t.Context()))(t); got != want || want < 10 {
		t.Errorf("the reader saw %d events before and %d after, want at least 10", want, got)
	}
	if got := must(db.EventsAfter(t.Context(), 0, 1<<30))(t); int64(len(got)) != want+100 {
		t.Errorf("%d events, want %d", len(got), want+100)
	}
	if err := check(t.Context(), db.write); err != nil {
		t.Error(err)
	}
}

func TestF121StepsLeaveTheJournalAlone(t *testing.T) {
	for _, name := range must(fs.Glob(embedded(), "*.sql"))(t) {
		b := must(fs.ReadFile(embedded(), name))(t)
		if strings.Contains(strings.ToLower(string(b)), "pragma") {
			t.Errorf("%s: a step must not set a pragma", name)
		}
	}
}
