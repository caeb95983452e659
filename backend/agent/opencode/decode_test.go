package opencode

import (
	"testing"

	"offrun/backend/agent/agenttest"
	"offrun/backend/work"
)

func TestF85Agent(t *testing.T) {
	agenttest.Run(t, Agent,
		agenttest.Session{File: "ok", Class: work.ClassOK},
		agenttest.Session{File: "readonly", Class: work.ClassOK},
		agenttest.Session{File: "resume-moved", Class: work.ClassOK},
		agenttest.Session{File: "limit", Code: 1, Class: work.ClassLimited, Resets: "2026-11-29T14:22:47Z"},
		agenttest.Session{File: "midlimit-cut", Code: -1, Reason: work.GaveUp, Class: work.ClassIncomplete},
		agenttest.Session{File: "autherr", Code: 1, Class: work.ClassNeedsLogin},
		agenttest.Session{File: "neterr", Code: 1, Class: work.ClassNetwork},
	)
}

func FuzzDecode(f *testing.F) { agenttest.Fuzz(f, Decode) }
