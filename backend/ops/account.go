package ops

import (
	"context"
	"time"

	"offrun/backend/bench"
	"offrun/backend/work"
)

// AccountList lists the logins of agents.
var AccountList = Op[AccountQuery, []work.Account]{
	Row{"account.list", "GET", "/v1/accounts", "List the logins of agents: which rest, what they have used.", "accounts list", false},
	func(_ context.Context, b *bench.Bench, in AccountQuery) ([]work.Account, error) {
		return b.Accounts(in.Agent)
	},
}

// AccountQuery filters accounts.
type AccountQuery struct {
	Agent work.AgentID `query:"agent" json:"agent,omitempty" doc:"only the logins of this agent"`
}

// AccountAdd makes another login of an agent.
var AccountAdd = Op[AddAccount, work.NewAccount]{
	Row{"account.add", "POST", "/v1/accounts", "Give an agent another login: a configuration folder of its own, to log in to.", "accounts add", false},
	func(ctx context.Context, b *bench.Bench, in AddAccount) (work.NewAccount, error) {
		return b.AddAccount(ctx, in.Body.Agent, in.Body.Account, in.Body.Dir, in.Body.Sessions)
	},
}

// AddAccount says which login to make.
type AddAccount struct {
	Body struct {
		Agent    work.AgentID     `json:"agent"`
		Account  work.AccountName `json:"account"`
		Dir      string           `json:"dir,omitempty" doc:"its configuration folder, absolute; none means one in the data folder"`
		Sessions int              `json:"sessions,omitempty" minimum:"0" doc:"turns that may use it at once; 0 is as many as wanted"`
	}
}

// AccountLogin says how to log in.
var AccountLogin = Op[AccountRef, work.NewAccount]{
	Row{"account.login", "POST", "/v1/accounts/{agent}/{account}/login", "Log in to an account with the agent's own program, and let it be used again.", "accounts login", false},
	func(_ context.Context, b *bench.Bench, in AccountRef) (work.NewAccount, error) {
		return b.LogIn(in.Agent, in.Account)
	},
}

// AccountRemove forgets a login.
var AccountRemove = Op[RemoveAccount, None]{
	Row{"account.remove", "DELETE", "/v1/accounts/{agent}/{account}", "Forget a login; its folder stays unless it is purged.", "accounts remove", false},
	func(ctx context.Context, b *bench.Bench, in RemoveAccount) (None, error) {
		return None{}, b.RemoveAccount(ctx, in.Agent, in.Account, in.Purge)
	},
}

// AccountRef names a login.
type AccountRef struct {
	Agent   work.AgentID     `path:"agent" json:"agent"`
	Account work.AccountName `path:"account" json:"account"`
}

// RemoveAccount says what to forget.
type RemoveAccount struct {
	AccountRef
	Purge bool `query:"purge" json:"purge,omitempty" doc:"delete the folder too, if Offrun made it"`
}

// AccountOrder says in which order conversations move on.
var AccountOrder = Op[OrderAccounts, []work.Account]{
	Row{"account.order", "PUT", "/v1/accounts/{agent}/order", "Say to which login of an agent conversations move first.", "accounts order", false},
	func(_ context.Context, b *bench.Bench, in OrderAccounts) ([]work.Account, error) {
		return b.OrderAccounts(in.Agent, in.Body.Accounts)
	},
}

// OrderAccounts is an order.
type OrderAccounts struct {
	Agent work.AgentID `path:"agent" json:"agent"`
	Body  struct {
		Accounts []work.AccountName `json:"accounts" minItems:"1" doc:"the first ones; the others follow as they were"`
	}
}

// AccountRest lets a login rest, or ends its rest.
var AccountRest = Op[RestAccount, work.Account]{
	Row{"account.rest", "PUT", "/v1/accounts/{agent}/{account}/rest", "Let a login rest until a time, or end its rest.", "accounts rest", false},
	func(_ context.Context, b *bench.Bench, in RestAccount) (work.Account, error) {
		return b.RestAccount(in.Agent, in.Account, in.Body.Until)
	},
}

// RestAccount says for how long.
type RestAccount struct {
	AccountRef
	Body struct {
		Until *time.Time `json:"until,omitempty" doc:"none ends the rest"`
	}
}

// AttemptMove lets another login or agent go on.
var AttemptMove = Op[MoveAttempt, work.Attempt]{
	Row{"attempt.move", "POST", "/v1/runs/{run}/attempts/{attempt}/move", "Let another login, or another agent, go on with an attempt in the same worktree.", "move", false},
	func(ctx context.Context, b *bench.Bench, in MoveAttempt) (work.Attempt, error) {
		return b.Move(ctx, in.Run, in.Attempt, in.Body.To)
	},
}

// MoveAttempt says where to.
type MoveAttempt struct {
	AttemptRef
	Body struct {
		To string `json:"to,omitempty" doc:"AGENT, AGENT/ACCOUNT or /ACCOUNT; none means the next login that has headroom"`
	}
}

// AttemptTurns lists the turns of an attempt.
var AttemptTurns = Op[AttemptRef, []work.Turn]{
	Row{"attempt.turns", "GET", "/v1/runs/{run}/attempts/{attempt}/turns", "List the turns of an attempt.", "turns", true},
	func(ctx context.Context, b *bench.Bench, in AttemptRef) ([]work.Turn, error) {
		return b.Turns(ctx, in.Run, in.Attempt)
	},
}

// AttemptRestore sets a worktree back.
var AttemptRestore = Op[RestoreTurn, work.Attempt]{
	Row{"attempt.restore", "POST", "/v1/runs/{run}/attempts/{attempt}/turns/{turn}/restore", "Set an attempt's worktree back to what one of its turns left; the newer work is kept by a ref.", "restore", false},
	func(ctx context.Context, b *bench.Bench, in RestoreTurn) (work.Attempt, error) {
		return b.Restore(ctx, in.Run, in.Attempt, in.Turn)
	},
}

// RestoreTurn names a turn.
type RestoreTurn struct {
	AttemptRef
	Turn int `path:"turn" json:"turn" minimum:"1"`
}
