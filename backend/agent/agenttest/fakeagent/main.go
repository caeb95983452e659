// Command fakeagent is an agent that misbehaves as told; see package fake.
package main

import (
	"os"

	"offrun/backend/agent/agenttest/fake"
)

func main() { os.Exit(fake.Main(os.Args[1:])) }
