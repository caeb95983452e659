package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"offrun/backend/work"
)

// A printer writes entries, one a line. Its methods may be called by several
// goroutines.
type printer struct {
	fail func(error) // called once if an entry cannot be written

	mu   sync.Mutex
	to   io.Writer
	last time.Time
	over bool // nothing is printed any more
}

// close ends the printing: what still comes of the agent has no place.
func (p *printer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

func (p *printer) print(e work.Entry) {
	e.At = time.Now().UTC()
	b, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("an entry is not JSON: %v", err)) // it has no field that could fail
	}
	p.write(append(b, '\n'))
}

func (p *printer) note(format string, args ...any) {
	p.print(work.Entry{Kind: work.Noted, Text: fmt.Sprintf(format, args...)})
}

// heartbeat is how often an empty line tells that the agent is at work, though no
// entry comes of it: a long thought is no silence (F75).
const heartbeat = 5 * time.Second

func (p *printer) alive() {
	p.mu.Lock()
	due := time.Since(p.last) >= heartbeat
	p.mu.Unlock()
	if due {
		p.write([]byte("\n"))
	}
}

func (p *printer) write(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.last = time.Now()
	if _, err := p.to.Write(b); err != nil {
		p.over = true
		p.fail(err)
	}
}
