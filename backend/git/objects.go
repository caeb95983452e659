package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"offrun/backend/work"
)

// WithObjects returns r with a scratch object folder: what its calls write goes
// there and nowhere else, and what they read may lie there, in the scratch folder
// that r had already, or in the repository. The folder must exist. "" returns r
// as it is.
func (r Repo) WithObjects(dir string) Repo {
	switch {
	case dir == "":
	case r.objects == "":
		r.objects = dir
	default:
		r.objects = dir + "\x00" + r.objects
	}
	return r
}

// objectEnv are the variables that make git use the scratch object folders.
func (r Repo) objectEnv() []string {
	if r.objects == "" {
		return nil
	}
	dirs := append(strings.Split(r.objects, "\x00"), filepath.Join(r.GitDir, "objects"))
	var others []string
	for _, dir := range dirs[1:] {
		others = append(others, quoteAlternate(dir))
	}
	return []string{
		"GIT_OBJECT_DIRECTORY=" + dirs[0],
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strings.Join(others, ":"),
	}
}

// quoteAlternate keeps a colon from splitting a path in a list of folders.
func quoteAlternate(path string) string {
	if !strings.ContainsAny(path, ":\"") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// Blobs reads objects through one git that stays open: a read costs a hundredth of
// starting git. It is for one goroutine, and must be closed.
type Blobs struct {
	ask  *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

// Blobs starts the git that reads. It ends when ctx does.
func (r Repo) Blobs(ctx context.Context) *Blobs {
	in, ask := io.Pipe()
	out, answer := io.Pipe()
	b := &Blobs{ask: ask, out: bufio.NewReader(out), done: make(chan error, 1)}
	c := r.at()
	c.stdin = in
	go func() {
		err := c.pipe(ctx, answer, "cat-file", "--batch")
		// Whoever waits for an answer, or still asks, learns why there is none.
		_ = answer.CloseWithError(errors.Join(err, io.ErrUnexpectedEOF))
		_ = in.CloseWithError(io.ErrClosedPipe)
		b.done <- err
	}()
	return b
}

// Read returns the object that name stands for: an id, or tree:path for a path
// without a line feed. What is not there is NotFound; what is bigger than most
// bytes is Invalid, and not read.
func (b *Blobs) Read(name string, most int64) ([]byte, error) {
	if strings.ContainsAny(name, "\n") {
		return nil, work.Errorf(work.Invalid, "%q cannot be asked for", name)
	}
	if _, err := io.WriteString(b.ask, name+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	var id, kind string
	var size int64
	if _, err := fmt.Sscanf(head, "%s %s %d\n", &id, &kind, &size); err != nil {
		return nil, work.Errorf(work.NotFound, "the repository has no object %q", name)
	}
	if size > most {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		return nil, work.Errorf(work.Invalid, "%q has %d bytes; at most %d are read", name, size, most)
	}
	data := make([]byte, size+1) // a line feed follows the content
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], nil
}

// Close ends git.
func (b *Blobs) Close() error {
	_ = b.ask.Close() // never fails
	return <-b.done
}
