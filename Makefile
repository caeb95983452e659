# The two commands of the README are demo and test; the rest is for those who
# work on Offrun. Every target sets up what it needs (scripts/need).

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X offrun/backend/cli.Version=$(VERSION)

.PHONY: demo test test-weird test-agents bench soak lint build clean screenshots

build:
	@scripts/need go git cc
	$(GO) build -ldflags '$(LDFLAGS)' -o build/bin/offrun .

demo: build
	@build/bin/offrun demo

test:
	@scripts/need go git cc
	$(GO) test -timeout 9m ./...

# The whole suite again in the home of somebody whose git is configured as
# unhelpfully as it can be.
test-weird:
	@scripts/need go git cc
	OFFRUN_TEST_HOME=weird $(GO) test -count=1 -timeout 15m ./...

# The real agents, pinned, from npm, against a model stub on loopback. They are kept
# in a cache folder of yours (1.6 GB); nothing is installed globally.
test-agents:
	@scripts/need go git cc node
	scripts/agents
	$(GO) test -tags realagents -count=1 -timeout 30m -parallel 3 -run Real ./backend/agent/agenttest/real ./backend/bench

# One line a measurement; build/bench.json holds them all.
bench: build
	$(GO) run ./backend/speed -offrun build/bin/offrun -out build/bench.json

# Long: not part of the gate.
soak: build
	$(GO) test -tags realagents,soak -count=1 -timeout 120m -run Soak ./backend/bench

# The pictures of the README, from the real program.
screenshots: build
	scripts/screenshots

lint:
	@scripts/need go git cc
	scripts/lint

clean:
	rm -rf build/bin build/bench.json
