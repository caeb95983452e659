package git

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"offrun/backend/work"
)

// A Version is that of the git program on this machine.
type Version struct {
	Major, Minor, Patch int
	Text                string // as git says it, vendor included: "2.39.5 (Apple Git-154)"
}

func (v Version) String() string { return v.Text }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// fixed is the first patch of each release line that holds the security fixes of
// July 2025; older lines never got them, newer ones have them from the start.
var fixed = map[int]int{43: 7, 44: 4, 45: 4, 46: 4, 47: 3, 48: 2, 49: 1, 50: 1}

// Safe reports whether v holds the fixes against hostile repositories that are
// known today (S11). A distribution may have put them into an older number, so
// false is a reason to warn, not to stop.
func (v Version) Safe() bool {
	patch, listed := fixed[v.Minor]
	switch {
	case v.Major != 2:
		return v.Major > 2
	case listed:
		return v.Patch >= patch
	}
	return v.Minor > 50
}

// CurrentVersion asks git for its version.
func CurrentVersion(ctx context.Context) (Version, error) {
	out, err := call{}.line(ctx, "version")
	if err != nil {
		return Version{}, work.Hide(work.Unavailable, err, "git cannot be started").Do("Install git 2.38 or newer.")
	}
	return parseVersion(out)
}

var versionLine = regexp.MustCompile(`^git version ((\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?.*)$`)

func parseVersion(line string) (Version, error) {
	m := versionLine.FindStringSubmatch(line)
	if m == nil {
		return Version{}, fmt.Errorf("git version: %q is not understood", line)
	}
	v := Version{Text: m[1]}
	for i, n := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*n, _ = strconv.Atoi(m[i+2]) // digits only, or "" for no patch level
	}
	return v, nil
}
