package config

import (
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"offrun/backend/work"
)

// account is what accounts.yaml says of a work.Account.
type account struct {
	Agent    work.AgentID     `yaml:"agent"`
	Name     work.AccountName `yaml:"name"`
	Dir      string           `yaml:"dir,omitempty"`
	Sessions int              `yaml:"sessions,omitempty"`
}

// AccountDir is where the folder of an account lies unless the user names another.
func AccountDir(dir string, agent work.AgentID, name work.AccountName) string {
	return filepath.Join(dir, "accounts", string(agent), string(name))
}

// Accounts reads accounts.yaml of the data folder dir, in the order in which
// conversations move on: none if it is not there.
func Accounts(dir string) ([]work.Account, error) {
	var all []work.Account
	err := load(filepath.Join(dir, "accounts.yaml"), func(r *Reader, body ast.Node) {
		for _, list := range r.Entries(body, "accounts") {
			for _, item := range r.Items(list) {
				a := r.account(item)
				if slices.ContainsFunc(all, func(o work.Account) bool { return o.Ref() == a.Ref() }) {
					r.Mistake(item, "account %s is there twice; allowed: each once", a.Ref())
				}
				all = append(all, a)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (r *Reader) account(n ast.Node) work.Account {
	var a work.Account
	for key, value := range r.Entries(n, "agent", "name", "dir", "sessions") {
		switch key.Text {
		case "agent":
			a.Agent = r.agentID(value)
		case "name":
			a.Name = work.AccountName(r.agentID(value)) // written the same way
		case "dir":
			if a.Dir = r.Text(value, "a folder"); !filepath.IsAbs(a.Dir) {
				r.Mistake(value, "%s is relative; allowed: an absolute path", Shown(value))
			}
		case "sessions":
			a.Sessions = r.count(value)
		}
	}
	return a
}

// PutAccounts replaces accounts.yaml. Whatever happens meanwhile, the file is the
// old one or the new one. Only names, folders and limits of sessions are written.
func PutAccounts(dir string, all []work.Account) error {
	f := struct {
		Accounts []account `yaml:"accounts"`
	}{[]account{}}
	for _, a := range all {
		f.Accounts = append(f.Accounts, account{a.Agent, a.Name, a.Dir, a.Sessions})
	}
	return put(filepath.Join(dir, "accounts.yaml"), "Logins of agents, in the order in which conversations move on: folders and names, never a credential.", f)
}
