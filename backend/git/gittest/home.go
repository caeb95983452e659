package gittest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Weird reports whether the tests run in the home of the weird user:
// OFFRUN_TEST_HOME=weird.
func Weird() bool { return os.Getenv("OFFRUN_TEST_HOME") == "weird" }

// owner is the variable that names the test whose home it is.
const owner = "OFFRUN_TEST_HOME_OF"

// Home gives the test a home folder of its own and an environment without anything
// that steers git. A second call in one test keeps the first one's. Since it
// changes the environment, such tests cannot be parallel.
func Home(t testing.TB) string {
	t.Helper()
	if os.Getenv(owner) == t.Name() {
		return os.Getenv("HOME")
	}
	for _, kv := range os.Environ() {
		if k, _, _ := strings.Cut(kv, "="); strings.HasPrefix(k, "GIT_") {
			t.Setenv(k, "") // so that it comes back afterwards
			os.Unsetenv(k)
		}
	}
	home := Folder(t, "home")
	for _, kv := range append(Env(t, home), owner+"="+t.Name()) {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
	return home
}

// Env fills home with a user's configuration and returns the variables that make
// git use it, with fixed dates. It is for tests that start programs with an
// environment of their own.
func Env(t testing.TB, home string) []string {
	t.Helper()
	config := plainConfig
	if Weird() {
		config += strings.ReplaceAll(weirdConfig, "HOME", home)
		Write(t, filepath.Join(home, "attributes"), "*.md diff=shout\n")
		for _, name := range []string{"hooks/pre-commit", "hooks/commit-msg", "hooks/post-checkout", "hooks/post-commit",
			"hooks/reference-transaction", "hooks/pre-merge-commit", "hooks/post-merge", "monitor", "gpg"} {
			Script(t, filepath.Join(home, name), "echo \"$0\" >> '"+filepath.Join(home, "canary")+"'\nexit 1\n")
		}
	}
	Write(t, filepath.Join(home, ".gitconfig"), config)
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
}

// Canary fails the test if a hook, a monitor or a signing program of the weird
// home has run.
func Canary(t testing.TB) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), "canary")); err == nil {
		t.Errorf("programs of the user's configuration ran: %s", b)
	}
}

const plainConfig = `[user]
	name = Test User
	email = test@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0 ; one in the background would write into a folder that the test deletes
`

// weirdConfig is what somebody, somewhere, has in his configuration. Every line has
// broken a program that reads git's output.
const weirdConfig = `[init]
	defaultBranch = weird
[diff]
	noprefix = true
	mnemonicPrefix = true
	external = true
	renames = false
	suppressBlankEmpty = true
	context = 0
	interHunkContext = 9
	colorMoved = zebra
	relative = true
	submodule = log
	ignoreSubmodules = all
	algorithm = patience
	orderFile = HOME/no-such-file
[diff "shout"]
	textconv = tr a-z A-Z
[color]
	ui = always
	diff = always
	status = always
[column]
	ui = always
[core]
	autocrlf = input
	safecrlf = true
	quotePath = true
	abbrev = 5
	pager = false
	editor = false
	hooksPath = HOME/hooks
	fsmonitor = HOME/monitor
	attributesFile = HOME/attributes
	splitIndex = true
	untrackedCache = true
	logAllRefUpdates = always
	whitespace = error
	commentChar = %
[commit]
	gpgSign = true
	verbose = true
	template = HOME/no-such-template
	cleanup = scissors
[tag]
	gpgSign = true
	sort = -creatordate
[gpg]
	program = HOME/gpg
[status]
	showUntrackedFiles = no
	relativePaths = true
	branch = true
	short = true
	showStash = true
[apply]
	whitespace = fix
	ignoreWhitespace = change
[alias]
	st = !false
	rev-parse = !false
	status = !false
[branch]
	autoSetupMerge = always
	autoSetupRebase = always
	sort = -committerdate
[merge]
	conflictStyle = zdiff3
	ff = false
	renames = false
	autoStash = true
	verifySignatures = true
[pull]
	rebase = true
[rebase]
	autoStash = true
[rerere]
	enabled = true
	autoUpdate = true
[log]
	showSignature = true
	decorate = full
	date = human
	follow = true
[format]
	pretty = fuller
[grep]
	patternType = perl
	lineNumber = true
	column = true
	fullName = true
[i18n]
	commitEncoding = ISO-8859-1
	logOutputEncoding = ISO-8859-1
[submodule]
	recurse = true
[worktree]
	guessRemote = true
	useRelativePaths = true
[checkout]
	guess = true
	workers = 3
[gc]
	auto = 1
[index]
	version = 4
[advice]
	detachedHead = true
[safe]
	bareRepository = all
`
