package agent

import (
	"strings"
	"testing"
	"time"

	"offrun/backend/work"
)

var at = time.Date(2026, 11, 29, 11, 24, 0, 0, time.UTC)

// entries builds Facts of a structured agent.
func entries(es ...work.Entry) Facts {
	f := Facts{Structured: true, Zone: time.UTC}
	for _, e := range es {
		f.Add(e)
	}
	return f
}

var (
	ended   = work.Entry{Kind: work.Ended}
	said    = work.Entry{Kind: work.Said, Text: "I mended it."}
	called  = work.Entry{Kind: work.Did, Tool: "Bash", ID: "1"}
	did     = work.Entry{Kind: work.Did, ID: "1"}
	denied  = work.Entry{Kind: work.Did, ID: "1", Failed: true}
	refused = work.Entry{Kind: work.Asked, Failed: true, Text: "Write: not allowed"}
	asked   = work.Entry{Kind: work.Asked, Text: "Which port?"}
	canAsk  = work.Entry{Kind: work.Asked, ID: "1", Text: "Edit /etc/hosts?", Question: &work.Question{ID: "1"}}
	expired = work.Entry{Kind: work.Asked, ID: "1", Failed: true, Text: "nobody answered: Edit /etc/hosts?"}
	wall    = work.Entry{Kind: work.Hit, Class: work.ClassLimited, Text: "usage limit", ResetsAt: new(at.Add(time.Hour))}
	warning = work.Entry{Kind: work.Hit, Text: "93 %"}
	offline = work.Entry{Kind: work.Retried, Class: work.ClassNetwork, Text: "waiting for network"}
)

func exit(reason work.ExitReason, code int) work.Exit {
	return work.Exit{Reason: reason, Code: code, StartedAt: at.Add(-time.Minute), EndedAt: at, Stdout: 100 << 10}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts Facts
		exit  work.Exit
		want  work.Class
		why   string
	}{
		{"success", entries(said, called, did, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"F64 stopped after its final word", entries(said, ended), exit(work.Finished, -1), work.ClassOK, ""},
		{"F64 its bench was dead when it should have been stopped", entries(said, ended), exit(work.TimedOut, -1), work.ClassOK, ""},
		{"said it was done and failed", entries(said, ended), exit(work.Exited, 3), work.ClassFailed, "exit status 3"},
		{"F65 no final word", entries(said, called, did), exit(work.Exited, 0), work.ClassIncomplete, "without saying"},
		{"F86 a wall in the middle, then success", entries(wall, said, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"F86 a wall and nothing more, exit 0", entries(said, wall), exit(work.Exited, 0), work.ClassLimited, "usage limit"},
		{"F86 a success and a wall at once", entries(said, called, did, wall, ended), exit(work.Exited, 0), work.ClassLimited, "usage limit"},
		{"F86 a success that only says so", entries(work.Entry{Kind: work.Said, Text: "Claude AI usage limit reached|1795958258"}, work.Entry{Kind: work.Spent, Usage: &work.Usage{}}, ended), exit(work.Exited, 0), work.ClassLimited, "limit reached"},
		{"what it says of limits is about the task", entries(work.Entry{Kind: work.Said, Text: "```\nusage limit reached\n```"}, work.Entry{Kind: work.Spent, Usage: &work.Usage{Input: 90, Output: 9}}, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"a warning is no wall", entries(said, warning, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"F85 final word: limited", entries(work.Entry{Kind: work.Ended, Failed: true, Class: work.ClassLimited, Text: "5-hour limit"}), exit(work.Exited, 1), work.ClassLimited, "5-hour"},
		{"final word: failed", entries(work.Entry{Kind: work.Ended, Failed: true, Text: "boom\nand more"}), exit(work.Exited, 1), work.ClassFailed, "boom"},
		{"F76 a question is left", entries(said, asked, ended), exit(work.Exited, 0), work.ClassNeedsYou, "Which port?"},
		{"a question was answered", entries(asked, work.Entry{Kind: work.Told, Text: "80"}, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"a question that can be answered outlives what is done meanwhile", entries(canAsk, called, did), exit(work.GaveUp, -1), work.ClassNeedsYou, "/etc/hosts"},
		{"F76 a question ran out, it found another way", entries(canAsk, expired, called, did, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"F76 a question ran out, nothing was done after", entries(called, did, canAsk, expired, ended), exit(work.Exited, 0), work.ClassNeedsYou, "nobody answered"},
		{"F76 all that it tried was refused", entries(called, did, called, refused, denied, ended), exit(work.Exited, 0), work.ClassNeedsYou, "Write: not allowed"},
		{"one thing was refused, it found another way", entries(called, refused, denied, called, did, ended), exit(work.Exited, 0), work.ClassOK, ""},
		{"gave up on a network", entries(offline), exit(work.GaveUp, -1), work.ClassNetwork, "waiting for network"},
		{"gave up on a question", entries(asked), exit(work.GaveUp, -1), work.ClassNeedsYou, "Which port?"},
		{"ran out of time without a network", entries(offline), exit(work.TimedOut, -1), work.ClassNetwork, "waiting for network"},
		{"ran out of time", entries(said), exit(work.TimedOut, -1), work.ClassTimedOut, "time limit"},
		{"F59 never spoke", entries(), exit(work.NoStart, -1), work.ClassNoStart, "nothing within"},
		{"not there", entries(), work.Exit{Reason: work.NotStarted, Text: "no such file"}, work.ClassNoStart, "no such file"},
		{"cancelled", entries(said, ended), exit(work.Stopped, -1), work.ClassCancelled, "cancelled"},
		{"lost", entries(said), exit(work.Lost, -1), work.ClassIncomplete, "supervisor"},
		{"lost after its final word", entries(said, ended), exit(work.Lost, -1), work.ClassOK, ""},
		{"nothing known", entries(said, called, did), exit(work.Exited, 7), work.ClassFailed, "exit status 7: I mended it."},
	} {
		v := Judge(tt.facts, tt.exit)
		if v.Class != tt.want || !strings.Contains(v.Why, tt.why) || (v.Why == "") != (tt.want == work.ClassOK) {
			t.Errorf("%s: %q because %q; want %q because … %q", tt.name, v.Class, v.Why, tt.want, tt.why)
		}
		if (v.Asked != "") != (v.Class == work.ClassNeedsYou) {
			t.Errorf("%s: asked %q", tt.name, v.Asked)
		}
	}
}

// TestJudgeText judges programs by what they print, when they give no fields.
func TestJudgeText(t *testing.T) {
	for _, tt := range []struct {
		name           string
		structured     bool
		stdout, stderr string
		exit           work.Exit
		want           work.Class
		why            string
	}{
		{"done", false, "all done", "", exit(work.Exited, 0), work.ClassOK, ""},
		{"F85 exit 1", false, "Usage limit reached, resets 3pm", "", exit(work.Exited, 1), work.ClassLimited, "resets 3pm"},
		{"F86 exit 0 and nothing else said", false, "You've hit your usage limit.", "", work.Exit{Reason: work.Exited, EndedAt: at, Stdout: 30}, work.ClassLimited, "usage limit"},
		{"much was said, and some of it of limits", false, "I handle a usage limit now.", "", exit(work.Exited, 0), work.ClassOK, ""},
		{"F78 waits for a login", false, "", "Please log in at https://example.invalid", exit(work.NoStart, -1), work.ClassNeedsLogin, "Please log in"},
		{"F88 reason on stdout only", false, "error: cannot parse card", "", exit(work.Exited, 1), work.ClassFailed, "exit status 1: error: cannot parse card"},
		{"F88 reason of a structured agent on stderr", true, `{"type":"x"}`, "No conversation found with session ID: s", exit(work.Exited, 1), work.ClassFailed, "No conversation found"},
		{"F88 a harmless warning, and the reason on the other stream", false, "fatal: no such model", "warning: old version", exit(work.Exited, 1), work.ClassFailed, "exit status 1: warning: old version; fatal: no such model"},
		{"a web page in place of an answer", true, "<!DOCTYPE html>\n<html><head><title>Sign in to Wi-Fi</title></head>\n</html>", "", exit(work.Exited, 1), work.ClassFailed, "exit status 1: a web page: Sign in to Wi-Fi"},
		{"a web page of a gateway", true, "<html><head><title>502 Bad Gateway</title></head>\n</html>", "", work.Exit{Reason: work.Exited, EndedAt: at, Stdout: 60}, work.ClassNetwork, "502 Bad Gateway"},
		{"no reason", true, `{"type":"x"}`, "", exit(work.Exited, 1), work.ClassFailed, "exit status 1"},
		{"F85 turned away at once in unknown words", true, "", "computer says no", work.Exit{Reason: work.Exited, Code: 1, StartedAt: at, EndedAt: at.Add(time.Second)}, work.ClassFailed, "perhaps a usage limit"},
		{"F65 cut off", true, `{"type":"assi`, "", exit(work.Exited, 0), work.ClassIncomplete, "without saying"},
		{"signal", false, "", "", work.Exit{Reason: work.Exited, Code: -1, Signal: "killed", StartedAt: at, EndedAt: at.Add(time.Hour)}, work.ClassFailed, "signal: killed"},
	} {
		v := Judge(Facts{Structured: tt.structured, Stdout: tt.stdout, Stderr: tt.stderr, Zone: time.UTC}, tt.exit)
		if v.Class != tt.want || !strings.Contains(v.Why, tt.why) {
			t.Errorf("%s: %q because %q; want %q because … %q", tt.name, v.Class, v.Why, tt.want, tt.why)
		}
	}
}

// Limits in a file that it edits are no limits, also when it fails later.
func TestF86LimitInAFile(t *testing.T) {
	f := entries(called, work.Entry{Kind: work.Did, ID: "1", Failed: true, Text: `if strings.Contains(out, "usage limit reached") {`})
	f.Stdout = `{"tool_result":"usage limit reached, resets 3pm"}`
	if v := Judge(f, exit(work.Exited, 1)); v.Class != work.ClassFailed {
		t.Errorf("judged %+v", v)
	}
}

func TestImpatient(t *testing.T) {
	later := func(e work.Entry, d time.Duration) work.Entry {
		e.At = at.Add(d)
		return e
	}
	sleeping := work.Entry{Kind: work.Hit, Class: work.ClassLimited, Wait: 7200}
	limited := work.Entry{Kind: work.Retried, Class: work.ClassLimited, Wait: 120}
	for _, tt := range []struct {
		name    string
		entries []work.Entry
		want    bool
	}{
		{"nothing", nil, false},
		{"sleeps until the reset", []work.Entry{sleeping}, true},
		{"waits two minutes for a limit", []work.Entry{limited}, true},
		{"waits two minutes for a network", []work.Entry{{Kind: work.Retried, Class: work.ClassNetwork, Wait: 120}}, false},
		{"a short while offline", []work.Entry{later(offline, 0), later(offline, time.Minute)}, false},
		{"a long while offline", []work.Entry{later(offline, 0), later(offline, 6*time.Minute)}, true},
		{"offline again", []work.Entry{later(offline, 0), later(said, 5*time.Minute), later(offline, 6*time.Minute)}, false},
		{"over anyway", []work.Entry{sleeping, ended}, false},
	} {
		f := entries(tt.entries...)
		if why := f.Impatient(); (why != "") != tt.want {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}

// A program that is stopped while it sleeps has not failed.
func TestGaveUpOnALimit(t *testing.T) {
	f := entries(work.Entry{Kind: work.Hit, Class: work.ClassLimited, Wait: 7200, Text: "Your quota will reset after 2h0m0s."})
	v := Judge(f, exit(work.GaveUp, -1))
	if v.Class != work.ClassLimited || v.ResetsAt == nil || !v.ResetsAt.Equal(at.Add(2*time.Hour)) {
		t.Errorf("judged %+v", v)
	}
}

func TestF83SessionGone(t *testing.T) {
	for _, tt := range []struct {
		facts Facts
		want  bool
	}{
		{Facts{Structured: true, Stderr: "Error: thread/resume: thread/resume failed: no rollout found for thread id 1 (code -32600)"}, true},
		{entries(work.Entry{Kind: work.Ended, Failed: true, Text: "No conversation found with session ID: 1"}), true},
		{Facts{Structured: true, Stderr: "Error: no such model"}, false},
	} {
		if v := Judge(tt.facts, exit(work.Exited, 1)); v.Class != work.ClassFailed || v.SessionGone != tt.want {
			t.Errorf("judged %+v, want the session gone: %v", v, tt.want)
		}
	}
}
