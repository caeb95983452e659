package git

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offrun/backend/work"
)

// TestS11Versions: which versions of git lack fixes against hostile repositories.
func TestS11Versions(t *testing.T) {
	for _, tt := range []struct {
		line  string
		want  Version
		works bool // has what we need: 2.38
		safe  bool
	}{
		{"git version 2.39.5", Version{2, 39, 5, "2.39.5"}, true, false},
		{"git version 2.39.5 (Apple Git-154)", Version{2, 39, 5, "2.39.5 (Apple Git-154)"}, true, false},
		{"git version 2.37.0", Version{2, 37, 0, "2.37.0"}, false, false},
		{"git version 2.43.6", Version{2, 43, 6, "2.43.6"}, true, false},
		{"git version 2.43.7", Version{2, 43, 7, "2.43.7"}, true, true},
		{"git version 2.50.0", Version{2, 50, 0, "2.50.0"}, true, false},
		{"git version 2.50.1.windows.1", Version{2, 50, 1, "2.50.1.windows.1"}, true, true},
		{"git version 2.52.0-rc1", Version{2, 52, 0, "2.52.0-rc1"}, true, true},
		{"git version 3.0", Version{3, 0, 0, "3.0"}, true, true},
	} {
		got, err := parseVersion(tt.line)
		if err != nil || got != tt.want || got.AtLeast(2, 38) != tt.works || got.Safe() != tt.safe {
			t.Errorf("%q = %+v (at least 2.38: %v, safe: %v), %v", tt.line, got, got.AtLeast(2, 38), got.Safe(), err)
		}
	}
	for _, line := range []string{"", "git version", "hub version 2.1", "git version x.y", "git version 99999999999.1"} {
		if got, err := parseVersion(line); err == nil {
			t.Errorf("%q = %+v, want an error", line, got)
		}
	}
	if v, err := CurrentVersion(t.Context()); err != nil || v.Major < 2 {
		t.Errorf("CurrentVersion = %v, %v", v, err)
	}
}

func TestParseChanges(t *testing.T) {
	id := "1111111111111111111111111111111111111111"
	zero := "0000000000000000000000000000000000000000"
	in := ":100644 100755 " + id + " " + id + " R090\x00old\x00new\x00" +
		":100644 100644 " + id + " " + id + " C100\x00from\x00copy\x00" +
		":000000 160000 " + zero + " " + id + " A\x00sub\x00" +
		":100644 000000 " + id + " " + zero + " D\x00:colon\x00" +
		"1\t2\t\x00old\x00new\x00" + "0\t0\t\x00from\x00copy\x00" + "1\t0\tsub\x00" + "-\t-\t:colon\x00"
	want := []work.Change{
		{Path: "new", From: "old", Status: "renamed", OldMode: "100644", NewMode: "100755", Old: id, New: id, Added: 1, Deleted: 2},
		{Path: "copy", From: "from", Status: "copied", OldMode: "100644", NewMode: "100644", Old: id, New: id},
		{Path: "sub", Status: "added", NewMode: "160000", New: id, Added: 1},
		{Path: ":colon", Status: "deleted", OldMode: "100644", Old: id, Added: -1, Deleted: -1},
	}
	got, err := parseChanges([]byte(in))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, bad := range []string{":", ":1 2 3 4 M\x00", ":1 2 3 4 X\x00p\x00", "1\t2\tp\x00", ":1 2 3 4 M\x00p\x001\t2\tq\x00", ":1 2 3 4 M\x00p\x00x\t2\tp\x00"} {
		if got, err := parseChanges([]byte(bad)); err == nil {
			t.Errorf("%q = %+v, want an error", bad, got)
		}
	}
}

func TestDangerousSetting(t *testing.T) {
	for _, key := range []string{
		"core.bare", "core.worktree", "core.fsmonitor", "core.hooksPath", "core.sshCommand", "filter.a/b.c.clean", "filter.lfs.process",
		"diff.x.textconv", "merge.ours.driver", "gpg.program", "gpg.x509.program", "alias.st", "credential.helper",
		"credential.https://example.org/a.helper", "include.path", "includeif.gitdir:/a/.path", "remote.origin.uploadpack",
		"url.https://evil/.insteadof", "extensions.worktreeconfig", "submodule.lib.update", "pager.log",
	} {
		if !dangerousSetting("local " + key) {
			t.Errorf("%s is not dangerous", key)
		}
	}
	for _, key := range []string{"user.name", "branch.main.remote", "branch.main.merge", "remote.origin.url", "core.autocrlf", "push.default", "core.bareness"} {
		if dangerousSetting("local " + key) {
			t.Errorf("%s is dangerous", key)
		}
	}
}

func TestExcludeBlock(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "# offrun: begin\n/a\n# offrun: end\n"},
		{"x", "x\n# offrun: begin\n/a\n# offrun: end\n"},
		{"/a\n", "/a\n"},
		{"x\n# offrun: begin\n/b\n# offrun: end\ny\n", "x\ny\n# offrun: begin\n/b\n/a\n# offrun: end\n"},
		{"# offrun: begin\n/a\n", "# offrun: begin\n/a\n"}, // cut short, but there
	} {
		if got := addExcludes(tt.text, []string{"/a"}); got != tt.want {
			t.Errorf("addExcludes(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzParseChanges(f *testing.F) {
	f.Add([]byte(":100644 100644 1 2 M\x00a.txt\x001\t0\ta.txt\x00"))
	f.Add([]byte(":100644 100644 1 2 R100\x00a\x00b\x00-\t-\t\x00a\x00b\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if cs, err := parseChanges(b); err != nil && cs != nil {
			t.Errorf("both a result and an error: %v, %v", cs, err)
		}
	})
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("1 .M N... 100644 100644 100644 1 1 a b\x00? c\x00u UU N... 1 2 3 4 5 6 7 p\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := parseStatus(b)
		if err != nil && found != nil {
			t.Errorf("both a result and an error: %v, %v", found, err)
		}
		if slices.ContainsFunc(found, func(s standing) bool { return s.path == "" || len(s.code) == 0 }) {
			t.Errorf("%q gives %+v", b, found)
		}
	})
}

func FuzzParseEntries(f *testing.F) {
	f.Add([]byte("H 100644 1 0\ta\x00h 160000 2 3\tb\tc\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if es, err := parseEntries(b); err != nil && es != nil {
			t.Errorf("both a result and an error: %v, %v", es, err)
		}
	})
}
