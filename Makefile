# What a person types. Every target installs what it needs first.
NODE_MODULES := node_modules/.package-lock.json
TSX := node_modules/.bin/tsx
MOCHA := node_modules/.bin/mocha

.DEFAULT_GOAL := help
.PHONY: help up build generate docs format new-controller test test-unit test-integration e2e security chaos soak fuzz bench attack lint coverage tools clean

help: ## List the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

$(NODE_MODULES): package.json package-lock.json
	@# Not `npm ci`: it insists on lock entries for the binaries of every platform, which some registry mirrors do not have.
	npm install --no-save --no-audit --no-fund --loglevel=error
	@# .npmrc turns install scripts off. That of lmdb alone is of use: it looks for the binary of the platform, and builds it where none is published.
	npm rebuild lmdb --ignore-scripts=false --loglevel=error
	@touch $@

generate: $(NODE_MODULES) ## Make types, codecs and field tables from proto/
	@$(TSX) hack/generate/main.ts

build: generate docs ## Bundle the program into dist/
	@$(TSX) hack/build.ts

docs: generate ## Write docs/options.md from the table of options
	@$(TSX) hack/generate-options-doc/main.ts

up: build ## Run an API server on the embedded store in ./.binnacle
	@exec node dist/binnacle.js up $(ARGS)

new-controller: $(NODE_MODULES) ## Make the folder of a controller, NAME=some-name
	@$(TSX) hack/new-controller/main.ts $(NAME)

tools: ## Install etcd, kubectl, helm and what else the tests run into .tools/
	@hack/install-tools.sh

format: $(NODE_MODULES) ## Format the code
	@node_modules/.bin/prettier --log-level warn --write .

lint: generate ## Check types, style, the direction of imports and unused exports
	node_modules/.bin/tsc --noEmit
	node_modules/.bin/tsc -p pkg/server/api-page/browser
	node_modules/.bin/oxlint --type-aware
	node_modules/.bin/prettier --log-level warn --cache --check .
	$(TSX) hack/check-lines.ts
	$(TSX) hack/check-layers.ts
	$(TSX) hack/check-exports.ts

test: build tools ## Run every test
	@hack/run-tests.sh all

test-unit: generate ## Run the tests beside the source
	@hack/run-tests.sh unit

test-integration: build tools ## Run the tests of a whole server on both stores
	@hack/run-tests.sh integration

e2e: build tools ## Run real kubectl, helm and client libraries against it
	@hack/run-tests.sh e2e

security: build tools ## Run the tests with hostile input
	@hack/run-tests.sh security

chaos: build tools ## Kill servers and stores in the middle of writes, 50 rounds
	@ROUNDS=$${ROUNDS:-50} hack/run-tests.sh chaos

soak: build tools ## Kill managers and servers under load for five minutes, CHAOS_SECONDS=300
	@PATH="$(CURDIR)/.tools/bin:$$PATH" CHAOS_SECONDS=$${CHAOS_SECONDS:-300} $(MOCHA) --exit test/chaos/managers/managers.test.ts

fuzz: generate ## Put a million changed inputs to every decoder and parser
	@FUZZ_INPUTS=$${FUZZ_INPUTS:-1000000} hack/run-tests.sh fuzz

coverage: build tools ## Run the unit tests with coverage
	node_modules/.bin/c8 --include 'pkg/**' --include 'cmd/**' --exclude '**/*.test.ts' --exclude 'pkg/generated/**' $(MOCHA) 'pkg/**/*.test.ts' 'cmd/**/*.test.ts'

bench: build tools ## Measure the workload of docs/performance.md
	@node --import tsx test/bench/main.ts $(ARGS)

attack: build ## Attack a fresh server, and another with ARGS="--against URL --token TOKEN", and measure both
	@node --import tsx test/attack/main.ts $(ARGS)

clean: ## Remove what was built
	rm -rf dist pkg/generated coverage
