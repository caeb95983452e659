package gemini

import (
	"testing"

	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "plan", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "limit", Code: 173, Class: work.ClassLimited},
		agenttest.Session{File: "midlimit", Code: 173, Class: work.ClassLimited},
		agenttest.Session{File: "rate", Code: 173, Class: work.ClassLimited, Resets: "2026-11-29T11:24:02Z"},
		agenttest.Session{File: "limit-google-login", Reason: work.GaveUp, Class: work.ClassLimited, Resets: "2026-11-29T13:24:00Z"},
		agenttest.Session{File: "autherr", Code: 144, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "autherr-google-login", Code: 145, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "err500", Code: 244, Class: work.ClassNetwork},
		agenttest.Session{File: "neterr", Code: 1, Class: work.ClassNetwork},
	)
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
