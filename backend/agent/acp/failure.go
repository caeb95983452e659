package acp

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"offrun/backend/agent"
	"offrun/backend/work"
)

// needsLogin is the protocol's code for a session that wants a login first.
const needsLogin = -32000

// kinds tell the class of an error by what agents call it in data.errorKind.
var kinds = map[string]work.Class{
	"rate_limit":            work.ClassLimited,
	"usage_limit":           work.ClassLimited,
	"authentication_failed": work.ClassNeedsLogin,
	"auth_required":         work.ClassNeedsLogin,
	"billing_error":         work.ClassNeedsYou,
	"server_error":          work.ClassNetwork,
	"overloaded":            work.ClassNetwork,
}

// detail is what agents put into the data of an error.
type detail struct {
	Kind    string `json:"errorKind"`
	Message string `json:"message"`
	Details string `json:"details"`
}

// failed returns the entries that tell why a request was refused; logins are what
// the agent offers to one who is not logged in.
func failed(err error, logins []string) []work.Entry {
	class, text := classify(err)
	end := work.Entry{Kind: work.Ended, Failed: true, Class: class, Text: agent.Clean(text)}
	switch class {
	case work.ClassLimited:
		return []work.Entry{{Kind: work.Hit, Class: class, Text: end.Text}, end}
	case work.ClassNeedsLogin:
		end.Text = "it wants a login: " + end.Text
		if len(logins) > 0 {
			end.Text += " (" + strings.Join(logins, ", ") + ")"
		}
	}
	return []work.Entry{end}
}

// classify tells the class of an error by its fields first, then by its words.
func classify(err error) (work.Class, string) {
	e, ok := errors.AsType[*jsonrpc2.Error](err)
	if !ok {
		return work.ClassFailed, err.Error()
	}
	var d detail
	text := e.Message
	if e.Data != nil {
		if json.Unmarshal(*e.Data, &d.Message) != nil {
			_ = read(*e.Data, &d) // data may be anything
		}
	}
	for _, more := range []string{d.Message, d.Details} {
		if more != "" && !strings.Contains(text, more) {
			text += ": " + more
		}
	}
	text = strings.TrimPrefix(text, "Internal error: ")
	class, known := kinds[d.Kind]
	switch {
	case known:
	case slices.Contains([]int64{needsLogin, 401, 403}, e.Code):
		class = work.ClassNeedsLogin
	case e.Code == 429:
		class = work.ClassLimited
	case e.Code >= 500 && e.Code < 600:
		class = work.ClassNetwork
	default:
		class = agent.ClassOf(text)
	}
	return class, text
}

// stopped returns the entry that tells how a prompt ended; denied is what the agent
// was denied last, or "". Some agents cancel their turn then.
func stopped(reason, denied string) work.Entry {
	e := work.Entry{Kind: work.Ended, Failed: true, Class: work.ClassIncomplete}
	switch reason {
	case "end_turn":
		return work.Entry{Kind: work.Ended}
	case "refusal":
		e.Class, e.Text = work.ClassFailed, "it refused to go on"
	case "max_tokens":
		e.Text = "it stopped at its limit of tokens"
	case "max_turn_requests":
		e.Text = "it stopped at its limit of requests in one turn"
	case "cancelled":
		if denied != "" {
			e.Class, e.Text = work.ClassNeedsYou, "it stopped when it was denied: "+denied
			break
		}
		e.Text = "it says that it was cancelled"
	default:
		e.Text = "it stopped for a reason that is not known here: " + agent.Cut(agent.Clean(reason), 100)
	}
	return e
}
