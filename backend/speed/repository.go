package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A source makes up source code: the same for the same seed, of the sizes that
// source trees have, and about as compressible.
type source struct{ r *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 11))} }

var words = strings.Fields(`func return if err nil range string int for var type struct
	switch case default package import byte slice map chan select defer context request
	response reader writer buffer index offset length value result count total first last`)

// text returns a file of a few hundred bytes to 200 KB, 11 KB on average.
func (s source) text() string {
	size := int(min(math.Exp(8.6+1.2*s.r.NormFloat64()), 200<<10))
	var b strings.Builder
	for b.Len() < size {
		b.WriteByte('\t')
		for range 3 + s.r.IntN(6) {
			b.WriteString(words[s.r.IntN(len(words))])
			if s.r.IntN(4) == 0 {
				fmt.Fprintf(&b, "%x", s.r.Uint32())
			}
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pathOf names the file number i: nine to a folder, as in trees of Go.
func pathOf(i int) string {
	folder := i / 9
	return fmt.Sprintf("src/part%02d/room%02d/file%05d.go", folder/35, folder%35, i)
}

// makeRepository makes a repository of so many files in dir, in one commit and one
// pack, as a fresh clone is. It is checked out, and its index is settled.
func makeRepository(ctx context.Context, dir string, files int) error {
	if _, _, err := typedGit(ctx, filepath.Dir(dir), "init", "--quiet", "--initial-branch=main", dir); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "git", "fast-import", "--quiet", "--done")
	c.Dir = dir
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	var complaint strings.Builder
	c.Stderr = &complaint
	if err := c.Start(); err != nil {
		return err
	}
	err = errors.Join(writeHistory(in, files), in.Close())
	if err := errors.Join(c.Wait(), err); err != nil {
		return fmt.Errorf("git fast-import: %w: %s", err, complaint.String())
	}
	if _, _, err := typedGit(ctx, dir, "reset", "--hard", "--quiet"); err != nil {
		return err
	}
	return settle(ctx, dir)
}

// writeHistory writes the one commit in the language of fast-import.
func writeHistory(w io.Writer, files int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(b, "feature done\ncommit refs/heads/main\ncommitter %s <%s> 1700000000 +0000\ndata 5\nfirst\n", userName, userMail)
	s := newSource(1)
	for i := range files {
		text := s.text()
		fmt.Fprintf(b, "M 100644 inline %s\ndata %d\n%s\n", pathOf(i), len(text), text)
	}
	fmt.Fprint(b, "\ndone\n")
	return b.Flush()
}

// What an agent has done to a checkout of which 100 files have changed.
const changed, added, removed = 80, 15, 5

// change does that in dir, all over its tree of total files; seed decides the content.
func change(dir string, total int, seed uint64) error {
	s := newSource(seed)
	step := total / (changed + removed)
	for i := range changed + removed {
		path := filepath.Join(dir, pathOf(i*step))
		var err error
		if i < changed {
			err = os.WriteFile(path, []byte(s.text()), 0o644)
		} else {
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	for i := range added {
		path := filepath.Join(dir, filepath.Dir(pathOf(i*step)), fmt.Sprintf("new%02d.go", i))
		if err := os.WriteFile(path, []byte(s.text()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// edit changes n of the files that change has changed once more.
func edit(dir string, total, n int, seed uint64) error {
	s := newSource(seed)
	step := total / (changed + removed)
	for range n {
		if err := os.WriteFile(filepath.Join(dir, pathOf(s.r.IntN(changed)*step)), []byte(s.text()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// settle makes the index of the checkout in dir what it is a while after it was
// made: written later than the files, so that git believes what it says of them.
func settle(ctx context.Context, dir string) error {
	time.Sleep(1100 * time.Millisecond) // git compares seconds
	_, _, err := typedGit(ctx, dir, "status", "--porcelain")
	return err
}
