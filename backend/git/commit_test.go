package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offrun/backend/git"
	"offrun/backend/git/gittest"
	"offrun/backend/work"
)

func TestCommitTree(t *testing.T) {
	r := gittest.New(t)
	head := r.Git("rev-parse", "HEAD")
	r.Write("staged.txt", "mine\n")
	r.Git("add", "staged.txt")
	check := gittest.Invariants(t, r.Dir)
	repo := open(t, r)
	tree, err := repo.Tree(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	id, err := repo.CommitTree(t.Context(), git.CommitOptions{Tree: tree, Parents: []string{head}, Message: "Größe\n\nbody"})
	if err != nil {
		t.Fatal(err)
	}
	check()
	gittest.Canary(t)
	if got, want := r.Git("show", "--no-patch", "--no-show-signature", "--encoding=UTF-8", "--format=%an <%ae>|%cn|%P|%T|%B", id), "Test User <test@example.org>|Test User|"+head+"|"+tree+"|Größe\n\nbody\n"; got != want {
		t.Errorf("commit = %q, want %q", got, want)
	}
	if _, err := repo.CommitTree(t.Context(), git.CommitOptions{Tree: tree, Message: " \n"}); work.CodeOf(err) != work.Invalid {
		t.Errorf("empty message: %v, want invalid", err)
	}
}

func TestCommitTreeWithoutName(t *testing.T) {
	r := gittest.New(t)
	tree := r.Git("rev-parse", "HEAD^{tree}")
	gittest.Write(t, filepath.Join(os.Getenv("HOME"), ".gitconfig"), "[core]\n\tabbrev = 9\n")
	t.Setenv("EMAIL", "guessed@example.org")
	_, err := open(t, r).CommitTree(t.Context(), git.CommitOptions{Tree: tree, Message: "m"})
	if e := work.Public(err); e.Code != work.Invalid || !strings.Contains(e.Next, "git config --global user.name") {
		t.Errorf("commit without a name: %v, want invalid with what to do", err)
	}
}

func TestF36Signing(t *testing.T) {
	const signs = `cat >/dev/null; printf '\n[GNUPG:] SIG_CREATED D\n' >&2; printf -- '-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n'`
	for _, tt := range []struct {
		name, program, value string
		sign                 bool
		code                 work.Code // "" is success
		says                 string
		signed               bool
	}{
		{"works", signs, "true", true, "", "", true},
		{"fails", "echo no secret key >&2; exit 1", "true", true, work.Unavailable, "could not be signed", false},
		{"asks somebody who is not there", "exec sleep 600", "true", true, work.Unavailable, "took longer than", false},
		{"not asked for", "exit 1", "true", false, "", "", false},
		{"switched off", "exit 1", "false", true, "", "", false},
		{"neither yes nor no", "exit 1", "perhaps", true, work.Unavailable, "could not be signed", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := gittest.New(t)
			program := filepath.Join(gittest.Folder(t, "bin"), "gpg")
			gittest.Script(t, program, tt.program)
			r.Git("config", "gpg.program", program)
			r.Git("config", "commit.gpgSign", tt.value)
			repo := open(t, r)
			limit := time.Minute
			if strings.Contains(tt.program, "sleep") {
				limit = 300 * time.Millisecond
			}
			check := gittest.Invariants(t, r.Dir)
			id, err := repo.CommitTree(t.Context(), git.CommitOptions{Tree: r.Git("rev-parse", "HEAD^{tree}"), Message: "m", Sign: tt.sign, Limit: limit})
			check()
			if tt.code != "" {
				if e := work.Public(err); e.Code != tt.code || !strings.Contains(e.Msg, tt.says) || e.Next == "" {
					t.Fatalf("error %+v, want %s with %q", e, tt.code, tt.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if signed := strings.Contains(r.Git("cat-file", "commit", id), "gpgsig"); signed != tt.signed {
				t.Errorf("signed = %v, want %v", signed, tt.signed)
			}
		})
	}
}
