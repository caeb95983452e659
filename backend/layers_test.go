// Package backend_test checks the house rules that the compiler does not.
package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of this module from the ground up. A package may
// import only what stands on a lower line; packages on one line do not know
// each other.
const layers = `
	backend/work
	backend/proc backend/redact
	backend/store backend/config backend/archive
	backend/git backend/feed backend/agent backend/supervise backend/watch backend/card backend/diff backend/governor
	backend/project backend/agent/acp backend/agent/claude backend/agent/codex backend/agent/custom backend/agent/simulated backend/agent/gemini backend/agent/opencode backend/agent/copilot backend/agent/grok
	backend/agent/qwen backend/agent/cursor backend/agent/amp
	backend/agent/all
	backend/artifact backend/compare backend/land backend/memory backend/pool
	backend/conversation
	backend/bench
	backend/ops backend/cli/screen
	backend/httpapi
	backend/cli/door
	backend/cli
	.
`

// outside are packages that only tests and the project's own scripts use; they
// stand beside the house and may import anything.
var outside = []string{"backend/git/gittest", "backend/agent/agenttest", "backend/speed"}

// only lists imports that are kept to few packages, because each is a door to
// the world outside.
var only = map[string][]string{
	"os/exec":      {"backend/proc"},
	"net/http":     {"backend/httpapi"},
	"database/sql": {"backend/store"},
	"github.com/wailsapp/wails/v2/pkg/runtime": {"app"},
}

// vague names say nothing about what is in the room.
var vague = []string{"util", "utils", "helper", "helpers", "common", "shared", "misc", "types", "models", "manager", "service", "services", "core", "lib"}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains(vague, path.Base(p.Path)) {
			t.Errorf("%s: a vague name; what is it for?", p.Path)
		}
		if p.Doc == "" {
			t.Errorf("%s: no package comment", p.Path)
		}
		if p.outside() {
			continue
		}
		from := layer(p.Path)
		if from < 0 {
			t.Errorf("%s: stands on no layer; add it to layers", p.Path)
		}
		for _, imp := range p.Imports {
			if to, ok := strings.CutPrefix(imp, "offrun/"); ok && layer(to) >= from {
				t.Errorf("%s imports %s, which does not stand below it", p.Path, to)
			}
			if homes := only[imp]; homes != nil && !slices.Contains(homes, p.Path) {
				t.Errorf("%s imports %s; only %v may", p.Path, imp, homes)
			}
		}
	}
}

// TestOnlyGitNamesGit keeps the git program behind package git: nobody else
// starts an argument list with it.
func TestOnlyGitNamesGit(t *testing.T) {
	for _, p := range packages(t) {
		if p.Path != "backend/git" && !p.outside() && p.NamesGit != "" {
			t.Errorf("%s: starts git by itself; package git is the one client", p.NamesGit)
		}
	}
}

// TestNoBackground keeps contexts handed down: only main, tests and what stands
// outside make one of their own.
func TestNoBackground(t *testing.T) {
	for _, p := range packages(t) {
		if p.Path != "." && !p.outside() && p.Background != "" {
			t.Errorf("%s: makes a context of its own", p.Background)
		}
	}
}

// TestFileBudget holds every source file under 800 lines, and nine of ten under 400.
func TestFileBudget(t *testing.T) {
	var all, long int
	for _, p := range packages(t) {
		for name, lines := range p.Lines {
			all++
			if lines > 400 {
				long++
			}
			if lines > 800 {
				t.Errorf("%s has %d lines; split it by noun", name, lines)
			}
		}
	}
	if long*10 > all {
		t.Errorf("%d of %d files have more than 400 lines", long, all)
	}
}

// layer returns the line of layers that pkg stands on, or -1.
func layer(pkg string) int {
	for i, line := range strings.Split(strings.TrimSpace(layers), "\n") {
		if slices.Contains(strings.Fields(line), pkg) {
			return i
		}
	}
	return -1
}

type pkg struct {
	Path       string // relative to the module; "." is main
	Doc        string
	Imports    []string
	NamesGit   string         // file that holds the argument list []string{"git", …}
	Background string         // file that calls context.Background or context.TODO
	Lines      map[string]int // by file
}

func (p pkg) outside() bool {
	return slices.ContainsFunc(outside, func(o string) bool { return p.Path == o || strings.HasPrefix(p.Path, o+"/") })
}

// packages reads the sources itself, rather than ask go list: it sees the files
// of every platform, and go test knows that its result depends on them.
func packages(t *testing.T) []pkg {
	t.Helper()
	root := os.DirFS("..")
	found := map[string]*pkg{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name == "frontend" || name == "build" || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		return read(found, root, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	var ps []pkg
	for _, name := range slices.Sorted(maps.Keys(found)) {
		ps = append(ps, *found[name])
	}
	return ps
}

func read(found map[string]*pkg, root fs.FS, name string) error {
	src, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	p := found[path.Dir(name)]
	if p == nil {
		p = &pkg{Path: path.Dir(name), Lines: map[string]int{}}
		found[p.Path] = p
	}
	p.Lines[name] = strings.Count(string(src), "\n")
	p.Doc += f.Doc.Text()
	for _, imp := range f.Imports {
		p.Imports = append(p.Imports, strings.Trim(imp.Path.Value, `"`))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if len(n.Elts) > 0 {
				if lit, ok := n.Elts[0].(*ast.BasicLit); ok && lit.Value == `"git"` {
					if a, ok := n.Type.(*ast.ArrayType); ok && a.Len == nil {
						p.NamesGit = name
					}
				}
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "context" && (n.Sel.Name == "Background" || n.Sel.Name == "TODO") {
				p.Background = name
			}
		}
		return true
	})
	return nil
}
