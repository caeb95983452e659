package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"
)

// parseArguments reads what a Mac's kern.procargs2 gives: the number of
// arguments, the path of the program, padding, the arguments and the environment,
// each ended by a zero byte.
func parseArguments(b []byte) (argv, env []string, err error) {
	if len(b) < 4 {
		return nil, nil, errors.New("kern.procargs2: too short")
	}
	argc := int(binary.LittleEndian.Uint32(b))
	_, rest, _ := bytes.Cut(b[4:], []byte{0})
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if argc < 0 || argc > len(words) {
		return nil, nil, errors.New("kern.procargs2: fewer arguments than it says")
	}
	argv, env = words[:argc], words[argc:]
	for i, kv := range env {
		if kv == "" { // what follows is the kernel's word to the loader
			env = env[:i]
			break
		}
	}
	return argv, env, nil
}

// parseClock reads a CPU time of ps, [[days-]hours:]minutes:seconds[.hundredths].
// What it cannot read is no time.
func parseClock(s string) time.Duration {
	days, clock, found := strings.Cut(s, "-")
	if !found {
		days, clock = "0", s
	}
	d, _ := strconv.ParseFloat(days, 64)
	var seconds float64
	for part := range strings.SplitSeq(clock, ":") {
		n, _ := strconv.ParseFloat(part, 64)
		seconds = seconds*60 + n
	}
	return time.Duration((d*86400 + seconds) * float64(time.Second))
}
