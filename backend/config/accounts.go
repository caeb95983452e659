package config

import (
	"fmt"
	"path/filepath"

	"offrun/backend/work"
)

// account is the part of work.Account that is written down by name.
type account struct {
	Agent    agentID `yaml:"agent"`
	Name     agentID `yaml:"name"`
	Dir      string  `yaml:"dir,omitempty"`
	Sessions count   `yaml:"sessions,omitempty"`
}

type accountsFile struct {
	Accounts []account `yaml:"accounts"`
}

// AccountDir is where the folder of an account lies unless the user names another.
func AccountDir(dir string, agent work.AgentID, name work.AccountName) string {
	return filepath.Join(dir, "accounts", string(agent), string(name))
}

// Accounts reads accounts.yaml of the data folder dir, in the order in which
// accounts are lent: none if it is not there.
func Accounts(dir string) ([]work.Account, error) {
	path := filepath.Join(dir, "accounts.yaml")
	var f accountsFile
	if err := read(path, &f); err != nil {
		return nil, err
	}
	var all []work.Account
	seen := map[account]bool{}
	for _, a := range f.Accounts {
		key := account{Agent: a.Agent, Name: a.Name}
		if seen[key] {
			return nil, invalid(path, fmt.Sprintf("account %s of %s is there twice; allowed: each once", a.Name, a.Agent))
		}
		seen[key] = true
		if a.Dir != "" && !filepath.IsAbs(a.Dir) {
			return nil, invalid(path, fmt.Sprintf("account %s of %s: dir %q is relative; allowed: an absolute path", a.Name, a.Agent, a.Dir))
		}
		all = append(all, work.Account{Agent: work.AgentID(a.Agent), Name: work.AccountName(a.Name), Dir: a.Dir, Sessions: int(a.Sessions)})
	}
	return all, nil
}

// PutAccounts replaces accounts.yaml. Whatever happens meanwhile, the file is the
// old one or the new one. Only names, folders and session limits are written.
func PutAccounts(dir string, all []work.Account) error {
	f := accountsFile{Accounts: []account{}}
	for _, a := range all {
		f.Accounts = append(f.Accounts, account{Agent: agentID(a.Agent), Name: agentID(a.Name), Dir: a.Dir, Sessions: count(a.Sessions)})
	}
	return put(filepath.Join(dir, "accounts.yaml"), "Logins of agents, in the order in which they are lent: folders and names, never a credential.", f)
}
