package agent

import (
	"strings"

	"offrun/backend/work"
)

// words tell the class of an error by its text, where an agent gives nothing
// better. They are written in lower case, the first that is found decides, and
// each stands in a recorded stream or a public report. Wording changes between
// versions, so fields go before words wherever an agent has them.
var words = []struct {
	class work.Class
	has   []string
}{
	{work.ClassLimited, []string{
		"usage limit", "session limit", "weekly limit", "5-hour limit", "5 hour limit", "limit reached", "hit your limit",
		"quota exceeded", "exceeded your current quota", "insufficient_quota", "resource_exhausted",
		"exhausted your capacity", "exhausted your daily quota", "terminalquotaerror", "resource has been exhausted",
		"credit balance is too low", "credits are depleted", "out of credits", "out of usage",
		"429 too many requests", "(429)", "rate limit reached", "rate_limit_error", "too many requests",
	}},
	{work.ClassNeedsLogin, []string{
		"not logged in", "please run /login", "please log in", "login required", "log out and sign in again", "sign in again",
		"401 unauthorized", "(http 401)", "api error: 401", "failed to authenticate", "authentication failed", "authentication_error",
		"unauthenticated", "invalid api key", "incorrect api key", "api key not valid", "api_key_invalid", "invalid x-api-key",
		"token has expired", "token could not be refreshed", "no auth type is selected", "set an auth method",
	}},
	{work.ClassNetwork, []string{
		"econnrefused", "econnreset", "enotfound", "etimedout", "eai_again", "getaddrinfo", "connection refused", "connection reset",
		"connection failed", "could not connect", "network is unreachable", "no such host", "waiting for network",
		"error sending request", "fetch failed", "stream disconnected", "experiencing high demand", "at capacity",
		"overloaded", "service unavailable", "internal server error", "internal error has occurred", "bad gateway", "gateway timeout",
	}},
}

// ClassOf returns what kind of failure text tells of: limited, needs login,
// network, or failed if it tells nothing.
func ClassOf(text string) work.Class {
	text = strings.ToLower(text)
	for _, w := range words {
		for _, has := range w.has {
			if strings.Contains(text, has) {
				return w.class
			}
		}
	}
	return work.ClassFailed
}
