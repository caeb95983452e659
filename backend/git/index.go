package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plainMark, in the file beside a kept index, says that nothing in it is special.
const plainMark = "plain\n"

// readIndex makes file a private copy of the worktree's index and returns what is
// in it, or nothing if it is known to hold only ordinary files: listing them takes
// as long as half a status. An index that git cannot read, or none, is made anew
// from base.
func (w Worktree) readIndex(ctx context.Context, file, base string) ([]entry, error) {
	from, err := w.copyIndex(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if bytes.HasSuffix(from, []byte(plainMark)) {
		return nil, nil
	}
	if err == nil {
		es, err := w.private(file).entries(ctx)
		if err == nil && !slices.ContainsFunc(es, entry.special) {
			err = os.WriteFile(file+".from", append(from, plainMark...), 0o600)
		}
		if exitCode(err) != 128 {
			return es, err
		}
	}
	if err := w.indexOf(ctx, file, base); err != nil {
		return nil, err
	}
	return w.private(file).entries(ctx)
}

// copyIndex makes file a copy of the worktree's index, unless it was made from the
// very same one before: then its knowledge of the files is newer. The copy keeps
// the modification time: git compares it with those of the files, and a later one
// would hide a change made in the same instant.
//
// from is what stands in the file beside the copy: which index it was made from.
func (w Worktree) copyIndex(file string) (from []byte, err error) {
	src, err := os.Open(filepath.Join(w.Admin, "index"))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return nil, err
	}
	stamp := fmt.Appendf(nil, "%s %d %d\n", w.Admin, info.ModTime().UnixNano(), info.Size())
	if from, err := os.ReadFile(file + ".from"); err == nil && bytes.HasPrefix(from, stamp) {
		if _, err := os.Stat(file); err == nil {
			return from, nil
		}
	}
	if err := writeCopy(file, src, info); err != nil {
		return nil, err
	}
	return stamp, os.WriteFile(file+".from", stamp, 0o600)
}

// indexOf makes file an index that holds what base holds.
func (w Worktree) indexOf(ctx context.Context, file, base string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err := w.private(file).run(ctx, "read-tree", base)
	return err
}

// private is a call on the worktree with an index of our own.
func (w Worktree) private(index string) call { return w.at().with("GIT_INDEX_FILE=" + index) }

func writeCopy(file string, src io.Reader, info fs.FileInfo) error {
	dst, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(file, info.ModTime(), info.ModTime())
}

// An entry is one path of an index.
type entry struct {
	tag   byte // as of ls-files -v: H is ordinary, S skip-worktree, small letters assume-unchanged
	mode  string
	id    string
	stage byte // '0', or which side of a conflict
	path  string
}

const gitlink = "160000" // mode of a submodule

// special reports whether e is more than a file that git looks after.
func (e entry) special() bool { return e.tag != 'H' || e.stage != '0' || e.mode == gitlink }

func (c call) entries(ctx context.Context) ([]entry, error) {
	out, err := c.run(ctx, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return nil, err
	}
	return parseEntries(out)
}

// parseEntries reads "T mode id stage\tpath" records.
func parseEntries(out []byte) ([]entry, error) {
	recs := records(out)
	es := make([]entry, 0, len(recs))
	for _, rec := range recs {
		head, path, ok := strings.Cut(rec, "\t")
		f := strings.Split(head, " ")
		if !ok || len(f) != 4 || len(f[0]) != 1 || len(f[3]) != 1 {
			return nil, fmt.Errorf("git ls-files: malformed record %q", rec)
		}
		es = append(es, entry{tag: f[0][0], mode: f[1], id: f[2], stage: f[3][0], path: path})
	}
	return es, nil
}

// reset makes paths of the index what they were on the old side of cs.
func (c call) reset(ctx context.Context, cs []rawChange) error {
	var gone, back []byte
	for _, ch := range cs {
		if ch.oldMode == absent {
			gone = fmt.Appendf(gone, "0 %s\t%s\x00", ch.newID, ch.path)
		} else {
			back = fmt.Appendf(back, "%s %s\t%s\x00", ch.oldMode, ch.oldID, ch.path)
		}
	}
	// What goes goes first: it may be a file where a folder comes back.
	_, err := c.input(append(gone, back...)).run(ctx, "update-index", "-z", "--index-info")
	return err
}

// unhide takes back the bits by which an index can be told to overlook changes of
// a file. In a sparse checkout skip-worktree is what keeps absent files from
// counting as deleted, and git itself clears it where the file is there.
func (c call) unhide(ctx context.Context, es []entry, sparse bool) error {
	var assumed, skipped []byte
	for _, e := range es {
		if e.tag >= 'a' && e.tag <= 'z' {
			assumed = append(append(assumed, e.path...), 0)
		}
		if (e.tag == 'S' || e.tag == 's') && !sparse {
			skipped = append(append(skipped, e.path...), 0)
		}
	}
	for flag, paths := range map[string][]byte{"--no-assume-unchanged": assumed, "--no-skip-worktree": skipped} {
		if len(paths) == 0 {
			continue
		}
		if _, err := c.input(paths).run(ctx, "update-index", flag, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}
