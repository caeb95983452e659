package copilot

import (
	"testing"

	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "plan", Class: work.ClassOK},
		agenttest.Session{File: "readonly", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "limit", Code: 1, Class: work.ClassLimited},
		agenttest.Session{File: "midlimit", Code: 1, Class: work.ClassLimited},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "neterr", Code: 1, Class: work.ClassNetwork},
	)
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
