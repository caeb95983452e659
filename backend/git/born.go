package git

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// subtractBorn takes out of the full tree what git takes for changed although
// nobody touched it (F24): files that hold just what a checkout of the base put
// there. Line endings that .gitattributes would have otherwise make such files as
// soon as git looks closely; so do two paths that are one file on a disk that
// ignores case.
func (t *taking) subtractBorn(ctx context.Context, changes []rawChange) ([]rawChange, error) {
	folded, err := t.foldedPaths(ctx, changes)
	if err != nil {
		return nil, err
	}
	var back []rawChange
	for _, c := range changes {
		if t.isBorn(c, folded[strings.ToLower(c.path)]) {
			back = append(back, c)
			t.s.Born = append(t.s.Born, c.path)
		}
	}
	if len(back) == 0 {
		return changes, nil
	}
	if err := t.git.reset(ctx, back); err != nil {
		return nil, err
	}
	return t.writeFull(ctx)
}

// isBorn reports whether the file of c holds what the base has at that path, or at
// one of its twins.
func (t *taking) isBorn(c rawChange, twins []string) bool {
	const file, program = "100644", "100755"
	if c.oldMode != file && c.oldMode != program || c.newMode != c.oldMode && c.newMode != absent {
		return false
	}
	path := filepath.Join(t.Path, filepath.FromSlash(c.path))
	if c.status == 'D' {
		_, err := os.Lstat(path)
		return len(twins) > 1 && err == nil // its twin is there, under either name
	}
	id := fileID(path, c.oldID)
	if id == c.oldID {
		return true
	}
	for _, twin := range twins {
		if len(twins) > 1 && id == twin {
			return true
		}
	}
	return false
}

// foldedPaths returns the ids of all paths of the base by name in small letters,
// where the disk ignores case; else nothing.
func (t *taking) foldedPaths(ctx context.Context, changes []rawChange) (map[string][]string, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	ignores, err := os.Stat(filepath.Join(t.Admin, "hEAD"))
	if err != nil || !ignores.Mode().IsRegular() {
		return nil, nil
	}
	out, err := t.git.run(ctx, "ls-tree", "-r", "-z", "--full-tree", t.o.Base)
	if err != nil {
		return nil, err
	}
	ids := map[string][]string{}
	for _, rec := range records(out) {
		head, path, _ := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		ids[strings.ToLower(path)] = append(ids[strings.ToLower(path)], f[len(f)-1])
	}
	return ids, nil
}

// fileID returns the blob id that a plain file has as it is, unfiltered, or "". It
// uses the hash that like was made with.
func fileID(path, like string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	h := newHash(like)
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
