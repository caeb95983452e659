package proc

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// passed are the variables that a program gets from our own environment, by
// name or pattern. Everything else stays behind: keys, tokens and base URLs that
// would make an agent bill, or talk to, something else than the login it was
// chosen for; GIT_*, which would send it to another repository; proxies, which
// are set per agent where they are wanted; and the markers by which an agent
// notices that it was started by another (faults F72, F73).
var passed = []string{
	// Who and where the user is: logins and settings are found through these.
	"HOME", "USER", "LOGNAME", "SHELL",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"DBUS_SESSION_BUS_ADDRESS", // the key ring that holds logins on Linux
	"__CF_USER_TEXT_ENCODING",  // asked for by programs of a Mac; without it they read the home folder
	"SSH_AUTH_SOCK",            // the user's ssh agent, for private dependencies

	// How text and time look, and that nobody reads colours.
	"LANG", "LANGUAGE", "LC_*", "TZ", "TERM",

	// Where programs, scratch space and tool chains are.
	"PATH", "TMPDIR",
	"JAVA_HOME", "ANDROID_HOME", "DEVELOPER_DIR", "SDKROOT",
	"GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN",
	"CARGO_HOME", "RUSTUP_HOME",
	"NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL",
	"PYENV_ROOT", "RBENV_ROOT", "ASDF_DATA_DIR", "MISE_DATA_DIR",
	"NIX_PATH", "NIX_PROFILES", "LOCALE_ARCHIVE",

	// Which certificates are trusted: a company's own, without which nothing connects.
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
}

// Environ returns a whole environment for a program that is not ours: the
// variables of our own that are on the list above, TERM=dumb unless TERM is set,
// and extra, "K=V", of which a later one replaces an earlier one and any of ours.
// It is sorted by name.
func Environ(extra ...string) []string {
	return environ(os.Environ(), extra)
}

func environ(own, extra []string) []string {
	vars := map[string]string{"TERM": "dumb"}
	for _, kv := range own {
		if name, value, _ := strings.Cut(kv, "="); isPassed(name) {
			vars[name] = value
		}
	}
	for _, kv := range extra {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

func isPassed(name string) bool {
	return slices.ContainsFunc(passed, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the patterns are well formed
		return ok
	})
}
