package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"offrun/backend/work"
)

// children are what this test binary does when it is started as another process.
var children = map[string]func(ctx context.Context, path string) error{
	"hold":      hold,
	"exclusive": holdExclusive,
	"write":     writeForEver,
	"upgrade":   upgradeOnce,
	"open":      openOnce,
}

func TestMain(m *testing.M) {
	role := children[os.Getenv("STORE_CHILD")]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(context.Background(), os.Getenv("STORE_PATH")); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

type child struct {
	*exec.Cmd
	out  *bufio.Reader
	stop io.Closer // its standard input: the child ends when it is closed
}

func startChild(t testing.TB, role, path string, set ...func(*exec.Cmd)) child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "STORE_CHILD="+role, "STORE_PATH="+path)
	cmd.Stderr = os.Stderr
	for _, f := range set {
		f(cmd)
	}
	in := must(cmd.StdinPipe())(t)
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := child{cmd, bufio.NewReader(out), in}
	t.Cleanup(func() { c.kill() })
	return c
}

func (c child) line(t testing.TB) string {
	t.Helper()
	s, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("child: %q, %v", s, err)
	}
	return s
}

// kill ends the child at once; after its end it does nothing.
func (c child) kill() {
	_ = c.Process.Signal(syscall.SIGKILL) // it may have ended
	_ = c.Wait()                          // "killed" is no news
}

func hold(ctx context.Context, path string) error {
	db, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return firstOf(err, db.Close())
}

// holdExclusive locks the database as a program without our lock file would.
func holdExclusive(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=exclusive&_locking_mode=EXCLUSIVE")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.Exec("update meta set value = value"); err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return firstOf(err, tx.Rollback(), db.Close())
}

// writeForEver puts an attempt and its event again and again, and reports each
// number after it was stored. The attempt has as many turns as there are events.
func writeForEver(ctx context.Context, path string) error {
	db, err := Open(ctx, path, Options{KeepEvents: 1 << 40})
	if err != nil {
		return err
	}
	r := aRun("p", "r1", 0)
	if _, err := db.PutRun(ctx, r); err != nil {
		return err
	}
	last, err := db.LastSeq(ctx)
	if err != nil {
		return err
	}
	a := work.Attempt{Run: "r1", Name: "claude", Turns: make([]work.Turn, last)}
	for {
		a.Turns = append(a.Turns, work.Turn{N: len(a.Turns) + 1})
		stored, err := db.PutAttempt(ctx, "p", a, work.Event{Kind: work.AttemptChanged})
		if err != nil {
			return err
		}
		fmt.Println(stored[0].Seq)
	}
}

func upgradeOnce(ctx context.Context, path string) error {
	fmt.Println("ready")
	db, err := Open(ctx, path, Options{migrations: withSteps(stepTwo)})
	if err != nil {
		return err
	}
	return db.Close()
}

// openOnce prints the code of the error.
func openOnce(ctx context.Context, path string) error {
	db, err := Open(ctx, path, Options{})
	if e, ok := errors.AsType[*work.Error](err); ok {
		fmt.Println(e.Code, "|", e.Msg, "|", e.Next)
		return nil
	}
	if err != nil {
		return err
	}
	return db.Close()
}
