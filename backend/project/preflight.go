package project

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"offrun/backend/git"
	"offrun/backend/proc"
	"offrun/backend/work"
)

// Asked says what Preflight looks at. Repo and Settings are required.
type Asked struct {
	Repo     git.Repo
	Settings work.Settings
	Attempts int         // worktrees that the run would make; 0 means 1
	Path     string      // where commands are looked for, as PATH; "" means our own
	Commands []string    // acceptance commands of the card, beside the project's
	Baseline *work.Tests // what the commands say on the base; nil if that is not known
}

// Preflight finds what stands in the way of a run on this machine and this
// repository (P3), each finding with one next step. Agents are looked at
// elsewhere. It changes nothing, and does not go to the network.
func Preflight(ctx context.Context, a Asked) []work.Finding {
	p := &preflight{Asked: a}
	p.git(ctx)
	commit := p.trunk(ctx)
	if commit == "" {
		return p.findings // nothing else can be said of a repository without a base
	}
	p.repository(ctx)
	p.acceptance()
	p.dependencies()
	p.disk(ctx, commit)
	return p.findings
}

type preflight struct {
	Asked
	findings []work.Finding
}

func (p *preflight) add(check string, level work.Level, next, format string, args ...any) {
	p.findings = append(p.findings, work.Finding{Check: check, Level: level, Text: fmt.Sprintf(format, args...), Next: next})
}

// failed notes that a check could not be made. What users may not see is in the
// log of whoever asked.
func (p *preflight) failed(check string, err error) {
	e := work.Public(err)
	p.add(check, work.Problem, e.Next, "%s", e.Msg)
}

func (p *preflight) git(ctx context.Context) {
	v, err := git.CurrentVersion(ctx)
	switch {
	case err != nil:
		p.failed("git", err)
	case !v.AtLeast(2, 38):
		p.add("git", work.Problem, "Install git 2.38 or newer.", "git %s is too old: it cannot merge without a checkout", v)
	case !v.Safe():
		p.add("git", work.Warning, "Update git, or work on repositories you trust only.",
			"git %s may lack the security fixes of July 2025 against hostile repositories", v)
	default:
		p.add("git", work.OK, "", "git %s", v)
	}
}

// trunk returns the commit that a run would start from, or "".
func (p *preflight) trunk(ctx context.Context) string {
	trunk := p.Settings.Trunk
	if trunk == "" {
		var err error
		if trunk, err = p.Repo.DefaultBranch(ctx); err != nil {
			p.failed("trunk", err)
			return ""
		}
	}
	commit, err := p.Repo.Resolve(ctx, "refs/heads/"+trunk)
	if err != nil {
		if _, unborn := p.Repo.Resolve(ctx, "HEAD"); unborn != nil {
			p.failed("trunk", unborn)
			return ""
		}
		p.add("trunk", work.Problem, "Set trunk in "+SettingsFile+" to the branch that results shall land on.",
			"the branch %s does not exist", trunk)
		return ""
	}
	before := len(p.findings)
	p.clean(ctx)
	p.current(ctx, trunk)
	if len(p.findings) == before {
		p.add("trunk", work.OK, "", "%s is clean, at %.12s", trunk, commit)
	}
	return commit
}

func (p *preflight) clean(ctx context.Context) {
	dirty, err := p.Repo.Dirty(ctx)
	switch {
	case err != nil:
		p.failed("trunk", err)
	case len(dirty) > 0:
		p.add("trunk", work.Warning, "Commit them if agents shall see them.",
			"%s not committed and not part of the base: %s", counted(len(dirty), "path is", "paths are"), first(dirty, 3))
	}
}

func (p *preflight) current(ctx context.Context, trunk string) {
	ahead, behind, upstream, err := p.Repo.Upstream(ctx, trunk)
	switch {
	case err != nil:
		p.failed("trunk", err)
	case behind > 0 && ahead == 0:
		p.add("trunk", work.Warning, "Bring it up to date with git pull --ff-only.",
			"%s is %s behind %s, as of the last fetch", trunk, counted(behind, "commit", "commits"), upstream)
	case behind > 0:
		p.add("trunk", work.Warning, "Merge or rebase it before results land on it.",
			"%s and %s have parted, as of the last fetch: %d commits here, %d there", trunk, upstream, ahead, behind)
	}
}

// repository notes what is special about this one (P4).
func (p *preflight) repository(ctx context.Context) {
	s, err := p.Repo.Shape(ctx)
	if err != nil {
		p.failed("repository", err)
		return
	}
	if len(s.Submodules) > 0 {
		p.add("repository", work.Warning, "Set setup in "+SettingsFile+" to git submodule update --init, if agents need them.",
			"submodules are not checked out in worktrees: %s", first(s.Submodules, 3))
	}
	if s.Partial {
		p.add("repository", work.Warning, "Stay online while runs start.", "this is a partial clone: missing files are fetched when a worktree is made")
	}
	if len(s.Clashes) > 0 {
		p.add("repository", work.Warning, "Rename one of each pair.",
			"paths that are one file on a disk that ignores case: %s", first(s.Clashes, 4))
	}
	for _, f := range s.Filters {
		if f.Missing {
			p.add("repository", work.Warning, "Install "+f.Program+".", "the program %s of filter %s is not there: its files stay pointers in worktrees", f.Program, f.Name)
		}
	}
}

func (p *preflight) acceptance() {
	commands := slices.Concat(p.Settings.Acceptance, p.Commands)
	if len(commands) == 0 {
		p.add("acceptance", work.Warning, "Set acceptance in "+SettingsFile+", or name a command in the card.",
			"there is no acceptance command: no result can be told good from bad")
		return
	}
	before := len(p.findings)
	for _, command := range append(commands, p.Settings.Gates...) {
		p.program("acceptance", command)
	}
	if p.Settings.Setup != "" {
		p.program("setup", p.Settings.Setup)
	}
	switch b := p.Baseline; {
	case b != nil && b.Status == work.Fail:
		p.add("acceptance", work.Warning, "Repair it first, unless that is the work.", "the base itself fails: %s", b.Text)
	case b != nil && b.Status == work.DidNotRun:
		p.add("acceptance", work.Problem, "Run the command by hand in a fresh clone, and set setup in "+SettingsFile+" to what it needs.",
			"the acceptance commands could not run on the base: %s", b.Text)
	case len(p.findings) == before:
		p.add("acceptance", work.OK, "", "%s: %s", counted(len(commands), "command", "commands"), strings.Join(commands, "; "))
	}
}

// program notes that the program of a command is not there, as far as that can
// be told without a shell.
func (p *preflight) program(check, command string) {
	name, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if name == "" || strings.ContainsAny(name, "=$`'\"(){}[]<>|&;*?~#!\\\n") || slices.Contains(builtins, name) {
		return
	}
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Repo.Dir, filepath.FromSlash(name))
		}
		if _, err := os.Stat(name); err == nil || p.Settings.Setup != "" {
			return // setup may make it
		}
		p.add(check, work.Warning, "Correct the command.", "%q names %s, which is not there", command, name)
		return
	}
	list := p.Path
	if list == "" {
		list = os.Getenv("PATH")
	}
	if _, err := proc.Find(name, list); err != nil {
		e := work.Public(err)
		p.add(check, work.Warning, e.Next, "%q cannot run: %s", command, e.Msg)
	}
}

// builtins are words that a shell knows without a program.
var builtins = strings.Fields(". : cd command eval exec exit export for if set test true false time trap umask unset until while case source ulimit")

func (p *preflight) dependencies() {
	for _, folder := range slices.Sorted(maps.Keys(p.Settings.Dependencies)) {
		if p.Settings.Dependencies[folder] == install && p.Settings.Setup == "" {
			p.add("setup", work.Warning, "Set setup in "+SettingsFile+" to the command that installs it.",
				"%s is left to the setup command, and there is none", folder)
		}
	}
}

// spare is what a disk should keep free beside the worktrees, in bytes.
const spare = 1 << 30

func (p *preflight) disk(ctx context.Context, commit string) {
	_, size, err := p.Repo.TreeSize(ctx, commit)
	if err != nil {
		p.failed("disk", err)
		return
	}
	free, err := proc.Free(p.Repo.Dir)
	if err != nil {
		p.failed("disk", work.Hide(work.Unavailable, err, "the free disk space is not known"))
		return
	}
	n := max(p.Attempts, 1)
	need := uint64(max(size, 0)) * uint64(n)
	text := fmt.Sprintf("%s free; %s about %s, without dependencies and what agents make",
		humanize.IBytes(free), counted(n, "worktree takes", "worktrees take"), humanize.IBytes(need))
	switch {
	case free < need:
		p.add("disk", work.Problem, "Free some disk space, or run fewer agents at once.", "%s", text)
	case free-need < spare:
		p.add("disk", work.Warning, "Free some disk space: offrun clean --all-finished removes old worktrees.", "%s", text)
	default:
		p.add("disk", work.OK, "", "%s", text)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func first(list []string, n int) string {
	if len(list) > n {
		return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
	}
	return strings.Join(list, ", ")
}
