package bench

import (
	"offrun/backend/redact"
	"offrun/backend/work"
)

// Redactor takes secrets out of what leaves the bench (R9): those that look like
// one, and the values that settings give to agents as secrets. Package ops sends
// every answer through it; whatever else leaves, prompts and exports, goes
// through it where it is made.
func (b *Bench) Redactor() *redact.Redactor { return b.Secrets.Redactor() }

// learn makes known which values are secret: those in the environments of agents
// under a secret-like name, or marked as secret. They stay secret for as long as
// the bench is open, in all projects: outputs remember them longer than settings.
func (b *Bench) learn(agents []work.AgentSettings) {
	for _, a := range agents {
		b.Secrets.Add(redact.Secrets(a.Env, a.Secret)...)
	}
}
