# Everything that is done here by hand or by CI. `make help` lists it: a target
# shows up there when it has a `## text` behind its name; `##@ text` is a heading.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN    := bin
PREFIX ?= /usr/local
GO     ?= go

# What Go says of itself outside a git work tree must not stop a build.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 || echo -buildvcs=false)

##@ Use
.PHONY: build install demo
build: need-go ## build bin/tq
	$(GO) build $(VCS) -o $(BIN)/tq ./cmd/tq

# The manual is written into its place; what was there of another program stays.
share = $(DESTDIR)$(PREFIX)/share

install: build ## put tq, its manual and its completions below PREFIX (PREFIX=/usr/local)
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(share)/man/man1'
	install -m 755 $(BIN)/tq '$(DESTDIR)$(PREFIX)/bin/tq'
	$(GO) run ./internal/manual '$(share)/man/man1'
	install -d '$(share)/bash-completion/completions' '$(share)/zsh/site-functions' '$(share)/fish/vendor_completions.d'
	$(BIN)/tq completion bash >'$(share)/bash-completion/completions/tq'
	$(BIN)/tq completion zsh >'$(share)/zsh/site-functions/_tq'
	$(BIN)/tq completion fish >'$(share)/fish/vendor_completions.d/tq.fish'

demo: build ## a hub, two workers, a fan-out, a kill: under a minute (API_URL=… only sends the tasks there)
	@exec $(BIN)/tq demo $(if $(API_URL),--at '$(API_URL)',$$([ ! -t 1 ] || echo --stay))

##@ Prove
.PHONY: test check check-go race short fmt fmt-check vet vet-others lint
test: need-go need-cc need-postgres need-disks need-net need-node tools-fast check ## fetch what the tests need, then check: works from a fresh clone

check: fmt-check vet vet-others lint check-go deploy-check web-check ## the gate: format, vet for three systems, lint, tests with -race, deploy/, the dashboard in a browser

check-go: need-go
	$(GO) test -race -shuffle=on -timeout=40m -skip '$(PLAIN)' $$($(GO) list ./... | grep -v /store/postgres$$ | grep -vE "$$(tools/not-here.sh)")
	$(GO) test -shuffle=on -timeout=40m -run '$(PLAIN)' ./store/sqlite ./internal/server
	$(GO) test -shuffle=on -timeout=40m ./store/postgres
	$(GO) test -race -shuffle=on -timeout=40m -run '$(PG_RACES)' ./store/postgres

# Minutes with the race detector, and alone at their work: a store of 200,000
# tasks, and the suite over HTTP on a file, which runs over HTTP in memory and on
# a file without HTTP with it. `make race` has them, too.
PLAIN := ^(TestListsOfManyTasksReadFewRows|TestEveryPromiseOverHTTPOnSQLite)$$

# What callers, watchers and movers do at once: with the race detector too. The
# rest of that package waits for the server, not for memory; `make race` has it.
PG_RACES := Once|Many|Together|Watchers|Killed|Linear|EveryPromise$$/S(14|18|25|33|35|39)_

race: need-go ## every test with the race detector, all of store/postgres too
	$(GO) test -race -shuffle=on -timeout=90m ./...

short: ## quick tests only, without -race
	$(GO) test -short -shuffle=on ./...

fmt: $(BIN)/gofumpt ## rewrite the Go files in the house format
	$(BIN)/gofumpt -w .

fmt-check: $(BIN)/gofumpt
	@tools/fmt-check.sh $(BIN)/gofumpt

vet:
	$(GO) vet ./...

vet-others: need-go ## the same for Windows and macOS, without compiling for them
	@cd tools && $(GO) run ./vet .. windows/amd64 darwin/arm64

lint: ## golangci-lint, if `make tools` has built it
	@tools/lint.sh $(BIN)/golangci-lint

##@ Prove harder (minutes each, not part of the gate)
.PHONY: fuzz torture torture-full stale lockstep torture-kill torture-share powercut histories fleet copy fanout overnight bench bench-engine bench-backlog bench-pickup bench-hub bench-costs bench-processes bench-heartbeats bench-listing bench-pages bench-peers mcp-fleet mcp-clients agent-help
torture: need-go need-postgres need-disks need-net ## as root: every campaign at a tenth of its figures, half an hour; writes docs/why/reliability.md (SEED=1, ONLY=3,9 for a try)
	$(GO) run ./test/torture -seed '$(or $(SEED),1)' -only '$(ONLY)'

torture-full: need-go need-postgres need-disks need-net ## as root: all of the figures, hours, in as many sittings as it takes; writes docs/why/reliability.md (MISSING=1: what its record lacks)
	$(GO) run ./test/torture $(if $(MISSING),-missing,-full) -seed '$(or $(SEED),1)' -only '$(ONLY)'

stale: need-go need-cc need-postgres ## what tq and River answer a worker that settles a task which another has taken over
	cd bench/peers && $(GO) build -mod=mod $(VCS) -o ../../$(BIN)/peers . && ../../$(BIN)/peers -stale
	[ ! -f docs/why/reliability.json ] || $(GO) run ./test/torture -page

lockstep: need-go ## 2,000 random histories, each engine in step with the model (N=2000)
	TQ_LOCKSTEP=$(or $(N),2000) $(GO) test ./store/sqlite ./store/postgres -run Lockstep -count=1 -timeout=120m -v

torture-kill: need-go ## kill -9 of the writer under load 200 times: nothing answered is lost (N=200)
	TQ_KILLS=$(or $(N),200) $(GO) test ./store/sqlite -run KillingTheWriter -count=1 -timeout=30m -v

torture-share: need-go ## two processes on one file, 10,000 tasks: none runs twice (N=10000)
	TQ_SHARED_TASKS=$(or $(N),10000) $(GO) test ./store/sqlite -run ProcessesShareAFile -count=1 -timeout=30m -v

powercut: need-go need-postgres need-disks ## as root: power cuts under both engines, no answer is lost, and a control loses some (N=20)
	TQ_CUTS=$(or $(N),20) $(GO) test ./test/disk -run PowerCut -count=1 -timeout=60m -v

fuzz: need-go ## every parser that a stranger reaches, 30 seconds of inputs each (FUZZTIME=30s)
	@GO='$(GO)' tools/fuzz.sh $(or $(FUZZTIME),30s)

histories: need-go need-postgres ## four processes on one PostgreSQL: all they were answered fits one order of events (N=20000)
	TQ_HISTORY=$(or $(N),20000) $(GO) test ./store/postgres -run ProcessesShareOneHistory -count=1 -timeout=60m -v

fleet: need-go need-postgres need-net ## as root: 6 workers on 3 machines, one killed, one stopped, server restarted, partition: nothing is lost (N=20000)
	TQ_FLEET_TASKS=$(or $(N),20000) $(GO) test ./test/rigs -run SixWorkers -count=1 -timeout=120m -v

interleavings: need-go need-postgres ## round trips to PostgreSQL about one task: orders of two sessions, to 100 of a pair, and some of three (N=2)
	TQ_INTERLEAVE=$(or $(N),2) $(GO) test ./store/postgres -run RoundTripsInAnyOrder -count=1 -timeout=30m -v

copy: need-go need-postgres ## move a store of 1,000,000 tasks both ways under 20 workers, killed five times on the way; writes docs/why/moving.md (N=1000000 WAY=file_to_server)
	TQ_COPY=$(or $(N),1000000) TQ_COPY_KILLS=5 TQ_COPY_RECORD=1 $(GO) test ./test/move -run 'OutlivesKills/$(WAY)' -count=1 -timeout=120m -v

fanout: need-go ## tests of 40 packages of Go's library over three workers, one killed (N=40)
	TQ_FANOUT=$(or $(N),40) $(GO) test ./test -run FanOut -count=1 -timeout=30m -v

overnight: need-go ## a night of the agent pool: 200 points, 10 workers, 5 killed, 3 hub restarts (N=200)
	TQ_OVERNIGHT=$(or $(N),200) $(GO) test ./test -run Overnight -count=1 -timeout=120m -v

bench: build ## how fast tasks go in and out on this machine, each accounted for
	$(BIN)/tq bench

mcp-fleet: need-go need-node ## 3 machines of 10 agents share 400 tasks, half of them killed (TQ_FLEET=3x10x400, TQ_SEED=1)
	TQ_FLEET=$${TQ_FLEET:-3x10x400} $(GO) test ./test/mcp -run AFleet -count=1 -timeout=30m -v

mcp-clients: need-go need-node ## Claude Code, Codex and opencode connect to a hub; fetches some 400 MB, records their handshakes
	test/mcp/agents/record.sh

agent-help: need-go need-node ## do coding agents still have the flags we call them with; fetches some 500 MB, records their help
	exec/agent/testdata/help/record.sh

bench-hub: need-go ## a hub over HTTP from 64 connections, beside an echo of net/http; how soon a remote worker begins
	$(GO) test ./test -run '^$$' -bench 'HubBesideAnEcho' -benchtime=1x -v -timeout=20m
	$(GO) test ./test -run '^$$' -bench 'PickUpOverHTTP' -benchtime=1000x -timeout=10m

bench-listing: need-go ## lists, counts and queues of N tasks in 10,000 lanes, over HTTP: p50, p95, max; some 450 bytes each (N=10000000)
	TQ_LISTING=$(or $(N),10000000) $(GO) test ./test -run '^$$' -bench Listing -benchtime=40x -timeout=120m

bench-pages: need-go ## what each page of the dashboard asks for, beside N tasks in 300 lanes and in 10,000, over HTTP: p50, p95, max (N=1000000)
	TQ_LISTING=$(or $(N),1000000) $(GO) test ./test -run '^$$' -bench Pages -benchtime=40x -timeout=120m

bench-heartbeats: need-go ## what the heartbeats of 500 workers cost PostgreSQL, in percent of a core
	$(GO) test ./store/postgres -run '^$$' -bench Heartbeats -benchtime 5000x

bench-costs: need-go need-postgres ## where a drain on PostgreSQL spends its processor time; writes docs/why/drain.md (N=40000)
	TQ_COSTS=$(or $(N),40000) $(GO) test ./store/postgres -run ADrainAsksFewStatements -count=1 -timeout=20m -v

bench-processes: need-go need-postgres ## workers of one process, and of two that claim at once, on PostgreSQL on a disk in memory, full durability
	$(GO) test ./store/postgres -run '^$$' -bench DrainByProcesses -benchtime 40000x -count=3

bench-engine: need-go ## what the SQLite engine does without broker and worker
	$(GO) test ./store/sqlite -run '^$$' -bench . -timeout=60m

bench-backlog: need-go need-postgres ## a claim's latency in an empty store, and beside N of each kind and five times as many ended (N=1000000)
	TQ_BACKLOG=$(or $(N),1000000) $(GO) test ./store/sqlite ./store/postgres -p 1 -run '^$$' -bench ClaimLatency -benchtime=2000x -timeout=180m

bench-pickup: need-go ## how soon an idle worker begins a task, and what it costs meanwhile
	$(GO) test ./test -run '^$$' -bench 'PickUp|Idle' -timeout=10m

bench-peers: need-go need-cc need-peers ## tq beside River, goqite and others in one run; writes docs/why/performance.md
	cd bench/peers/node && npm ci --no-audit --no-fund --silent
	cd bench/peers && $(GO) build -mod=mod $(VCS) -o ../../$(BIN)/peers . && ../../$(BIN)/peers

need-peers: # servers and programs of the peers
	@tools/need.sh npm
	@tools/need.sh redis-server redis-server
	@tools/need.sh initdb postgresql

##@ Dashboard (needs Node 20; the built files are committed)
.PHONY: web web-install web-dev web-schema web-journeys web-pictures web-check
web-install: ## install what the dashboard is built with
	cd web && npm ci --ignore-scripts

web: ## build web/dist anew
	cd web && npm run build

web-dev: ## the dashboard with reloading on :5173, over the hub at TQ_HUB
	cd web && npm run dev

web-schema: build ## write the client's types anew, out of what the binary serves
	cd web && TQ_WRITE_SCHEMA=1 npx vitest run --config journeys/vitest.config.ts schema

web-journeys: build ## every journey in Chromium (ONLY='smoke lease' for a few, ON=PostgreSQL for a hub on it)
	$(if $(ON),$(GO) run ./test/onpostgres) npm --prefix web run --silent journeys -- $(ONLY)

web-pictures: build ## take the pictures of every page in both themes anew, into docs/screens
	mkdir -p docs/screens && cd web && TQ_PICTURES=$(CURDIR)/docs/screens npx vitest run --config journeys/vitest.config.ts pages
	cd tools && $(GO) run ./shrink ../docs/screens/*.png

web-check: build ## the dashboard's gate: format, lint, types, tests, fresh dist, journeys in Chromium, the smoke set on PostgreSQL too
	@GO='$(GO)' tools/web-check.sh

##@ Write
.PHONY: docs picture
docs: need-go ## write the generated documents anew
	$(GO) test ./test/docs -run Fresh -update

picture: build ## record the demo for the README
	cd tools && TQ_COLOR=always LC_ALL=C.UTF-8 PATH="$(CURDIR)/$(BIN):$$PATH" $(GO) run ./shot -o ../docs/demo.svg -title 'a recording of tq demo' 'tq demo'

##@ Deploy with Compose (profiles prod and dev of deploy/compose.yaml, settings in deploy/.env)
.PHONY: prod-up prod-down prod-reset prod-logs dev-up dev-restart dev-down dev-log shell reset native-up native-down native-reset deploy-check
COMPOSE = docker compose -f deploy/compose.yaml $(if $(wildcard deploy/.env),--env-file deploy/.env)
PORT    = $$( [ -f deploy/.env ] && . deploy/.env; echo "$${$(1):-$(2)}" )

prod-up: ## start Postgres, hub and worker, and print the link to the dashboard
	$(COMPOSE) --profile prod up --build --detach --wait
	$(COMPOSE) --profile prod exec hub /usr/local/bin/tq --db http://127.0.0.1:8080 dashboard --at "http://localhost:$(call PORT,HOST_PORT,8081)"

prod-down: ## stop them; the data stays
	$(COMPOSE) --profile prod down

prod-reset: ## stop them and throw their data away
	$(COMPOSE) --profile prod down --volumes

prod-logs: ## follow their logs
	$(COMPOSE) --profile prod logs --follow --tail=100

dev-up: ## start the working copy with reload: Postgres, hub, worker, Vite
	$(COMPOSE) --profile dev up --detach --wait
	@echo "dashboard: http://localhost:$(call PORT,FRONTEND_PORT,5173)"

dev-restart: ## start hub and worker of the working copy anew
	$(COMPOSE) --profile dev restart hub-dev worker-dev

dev-down: ## stop the working copy
	$(COMPOSE) --profile dev down

dev-log: ## follow its logs
	$(COMPOSE) --profile dev logs --follow --tail=100

shell: ## a shell in the container that builds the working copy
	$(COMPOSE) --profile dev exec hub-dev bash

reset: ## stop the working copy and throw its data away
	$(COMPOSE) --profile dev down --volumes

native-up: build need-postgres ## the same without Docker: Postgres, hub, workers on this machine (WORKERS=2), and the link
	@tools/native.sh up

native-down: ## stop them; the data stays in .cache/native
	@tools/native.sh down

native-reset: ## stop them and throw their data away
	@tools/native.sh reset

deploy-check: need-go ## read deploy/ as Compose and Kubernetes do, strictly
	cd tools/deploy && $(GO) test ./...

##@ Release
.PHONY: dist dist-twice
dist: need-go ## what is released, into dist/: six targets, checksums, bills of materials (TARGETS=linux/amd64)
	@GO='$(GO)' tools/dist.sh $(TARGETS)

dist-twice: need-go ## build a target of the commit twice, elsewhere and anew, and compare the bytes (TARGETS=linux/amd64)
	@GO='$(GO)' tools/twice.sh $(TARGETS)

##@ Tools
.PHONY: tools tools-fast need-go need-cc need-postgres need-net need-node clean help
tools: $(BIN)/gofumpt $(BIN)/golangci-lint ## build the pinned formatter and linter into bin/

tools-fast: $(BIN)/gofumpt

$(BIN)/gofumpt: tools/go.mod
	cd tools && $(GO) build -o ../$(BIN)/gofumpt mvdan.cc/gofumpt

$(BIN)/golangci-lint: tools/go.mod
	cd tools && $(GO) build -o ../$(BIN)/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

need-go:
	@tools/need.sh $(GO)

need-cc: # the race detector needs a C compiler
	@tools/need.sh gcc gcc libc6-dev

need-postgres: # the tests start servers of their own, or use the one that TQ_TEST_POSTGRES names
	@[ -n "$${TQ_TEST_POSTGRES:-}" ] || tools/need.sh initdb postgresql
	@tools/need.sh pgbouncer pgbouncer

need-disks: # power is cut from file systems in files
	@tools/need.sh mkfs.btrfs btrfs-progs
	@tools/need.sh mkfs.ext4 e2fsprogs

need-net: # machines of the rigs are network namespaces
	@tools/need.sh ip iproute2
	@tools/need.sh nft nftables
	@tools/need.sh curl curl

need-node: # the dashboard and the agents' clients are tried with real ones
	@tools/need.sh npm nodejs npm
	@tools/need.sh chromium chromium

clean: ## remove what was built
	rm -rf $(BIN) dist

help:
	@awk -f tools/help.awk $(MAKEFILE_LIST)
