package agent

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"offrun/backend/work"
)

// session is what ids of conversations look like. They come from the output of
// programs: one that could lead out of a folder, or match more than itself, is none.
var session = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$`)

// credentials are files that hold logins. They never travel.
var credentials = []string{".credentials.json", "auth.json", "oauth_creds.json", "google_accounts.json", "hosts.json", "config.json", "settings.json", "mcp-oauth-tokens.json"}

// Files returns the regular files of home that hold the conversation id, as paths
// relative to home: those that the first pattern finds anything for. A pattern is
// one of fs.Glob, in which {session} stands for id; one that ends with "/**" takes
// a whole folder. Nothing is followed out of home, and no file that may hold a
// credential is named (F79).
//
// The error is work.NotFound if there is none, as when the program has tidied up.
func Files(home, id string, patterns ...string) ([]string, error) {
	if !session.MatchString(id) {
		return nil, work.Errorf(work.Invalid, "%.60q is no id of a conversation", id)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, gone(id, home)
	}
	defer root.Close()
	for _, pattern := range patterns {
		files, err := match(root.FS(), strings.ReplaceAll(pattern, "{session}", id))
		if err != nil || len(files) > 0 {
			return files, err
		}
	}
	return nil, gone(id, home)
}

func gone(id, home string) error {
	return work.Errorf(work.NotFound, "conversation %s is not in %s", id, home).
		Do("A new one is begun with what was said as its context.")
}

func match(in fs.FS, pattern string) ([]string, error) {
	folder, whole := strings.CutSuffix(pattern, "/**")
	found, err := fs.Glob(in, folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range found {
		if !whole {
			files = append(files, name)
			continue
		}
		err := fs.WalkDir(in, name, func(file string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && path.Ext(file) != ".lock" {
				files = append(files, file)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(files, func(file string) bool { return !travels(in, file) }), nil
}

// travels reports whether file is a regular one and no credential.
func travels(in fs.FS, file string) bool {
	info, err := fs.Lstat(in, file)
	return err == nil && info.Mode().IsRegular() && !slices.Contains(credentials, path.Base(file))
}

// slashes is everything that agents replace in a folder's path to name it in one word.
var slashes = regexp.MustCompile(`[^A-Za-z0-9]`)

// Slug is the name that several agents give to what they keep about the folder cwd.
func Slug(cwd string) string { return slashes.ReplaceAllString(cwd, "-") }
