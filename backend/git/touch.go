package git

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"offrun/backend/work"
)

// Changed tells what is different in later: what somebody did to the repository
// outside the worktree of an attempt. The parts that only one of the two knows are
// not compared. The order is fixed: by what, then by name.
func (f Fingerprint) Changed(later Fingerprint) []work.Touch {
	var ts []work.Touch
	ts = append(ts, compare("config", f.Config, later.Config, dangerousSetting)...)
	ts = append(ts, compare("hooks", f.Hooks, later.Hooks, isHook)...)
	for _, t := range compare("file", f.Info, later.Info, nil) {
		switch {
		case strings.HasPrefix(t.Name, "modules/"):
			t.What, t.Danger = "config", true
		case t.Name == "info/attributes":
			t.What, t.Danger = "attributes", true // may name a filter for every file
		case t.Name == "info/exclude":
			t.What = "exclude"
		case t.Name == "commondir" || t.Name == "objects/info/alternates":
			t.Danger = true // leads git to another place
		}
		t.Name = ".git/" + t.Name
		ts = append(ts, t)
	}
	if f.Whole && later.Whole {
		ts = append(ts, f.changedWork(later)...)
	}
	slices.SortFunc(ts, func(a, b work.Touch) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Name, b.Name))
	})
	return ts
}

// changedWork compares the user's own work: branches, stashes, the main checkout.
func (f Fingerprint) changedWork(later Fingerprint) []work.Touch {
	var ts []work.Touch
	if f.Head != later.Head {
		ts = append(ts, work.Touch{What: "HEAD", Name: later.Head, Change: "changed"})
	}
	if f.Index != later.Index {
		ts = append(ts, work.Touch{What: "index", Change: "changed"})
	}
	ts = append(ts, compare("refs", f.Refs, later.Refs, replaces)...)
	ts = append(ts, compare("stash", set(f.Stash), set(later.Stash), nil)...)
	for _, t := range compare("file", f.Files, later.Files, nil) {
		t.Change = fileChange(later.Files[t.Name], t.Change)
		ts = append(ts, t)
	}
	return ts
}

// fileChange says what happened to a file of the main checkout. Only files that
// differ from their commit are known, so that one is new among them does not mean
// that it is new: its status in later tells.
func fileChange(status, change string) string {
	code, _, _ := strings.Cut(status, " ")
	switch {
	case code == "??":
		return change
	case strings.Contains(code, "D"):
		return "removed"
	case strings.HasPrefix(code, "A") && change == "added":
		return "added"
	}
	return "changed"
}

// Dangerous reports whether one of ts could make git run a program, or work on
// another place than meant.
func Dangerous(ts []work.Touch) bool {
	return slices.ContainsFunc(ts, func(t work.Touch) bool { return t.Danger })
}

// compare lists the names whose values differ.
func compare(what string, before, after map[string]string, danger func(name string) bool) []work.Touch {
	var ts []work.Touch
	add := func(name, change string) {
		ts = append(ts, work.Touch{What: what, Name: name, Change: change, Danger: danger != nil && danger(name)})
	}
	for name, old := range before {
		switch now, ok := after[name]; {
		case !ok:
			add(name, "removed")
		case now != old:
			add(name, "changed")
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			add(name, "added")
		}
	}
	return ts
}

func set(names []string) map[string]string {
	m := map[string]string{}
	for _, n := range names {
		m[n] = ""
	}
	return m
}

func isHook(name string) bool { return !strings.HasSuffix(name, ".sample") }

// replaces: a replacement object shows git another history than there is.
func replaces(ref string) bool { return strings.HasPrefix(ref, "refs/replace/") }

// dangerous are patterns of settings with which git runs a program, or works on
// another place or repository than meant. Keys are in small letters; * is any
// text. What a setting of the user's own command names (an editor) counts too: the
// user is who would run it.
var dangerous = []string{
	"unreadable",
	"core.bare", "core.worktree", "core.hookspath", "core.fsmonitor", "core.sshcommand", "core.gitproxy",
	"core.askpass", "core.pager", "core.editor", "core.alternaterefscommand", "core.attributesfile",
	"extensions.*", "include.path", "includeif.*", "alias.*", "pager.*", "sequence.editor",
	"diff.external", "diff.*.command", "diff.*.textconv", "interactive.difffilter",
	"difftool.*", "mergetool.*", "merge.*.driver", "filter.*", "gpg.program", "gpg.*.program", "gpg.ssh.*",
	"credential.helper", "credential.*.helper", "remote.*.uploadpack", "remote.*.receivepack", "remote.*.vcs",
	"uploadpack.packobjectshook", "submodule.*.update", "trailer.*.cmd", "trailer.*.command",
	"protocol.*", "safe.*", "url.*", "tar.*.command", "web.browser", "browser.*", "man.*", "sendemail.*",
}

// dangerousSetting judges "scope key".
func dangerousSetting(name string) bool {
	_, key, _ := strings.Cut(name, " ")
	key = strings.ToLower(key)
	return slices.ContainsFunc(dangerous, func(pattern string) bool { return like(pattern, key) })
}

// like is a match with *, which unlike that of path.Match crosses slashes.
func like(pattern, s string) bool {
	ok, err := path.Match(pattern, strings.ReplaceAll(s, "/", "_"))
	return err == nil && ok
}
