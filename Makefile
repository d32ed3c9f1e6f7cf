# One word each. `make help` lists them.
SHELL := /bin/sh
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X corehost/cmd/internal/version.number=$(VERSION)
PROGRAMS := cli core-dashboard

.PHONY: help run build test check e2e bench pictures clean

help: ## list these words
	@awk -F':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

run: build ## build, make a scratch home and start everything; Ctrl-C ends it
	@deploy/run.sh

build: ## build the programs into bin/
	@mkdir -p bin
	@CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ $(addprefix ./cmd/,$(PROGRAMS))

test: ## set up what the tests need and run every one of them
	@deploy/test.sh

check: ## formatting, vet, linters, shell scripts
	@deploy/check.sh

e2e: ## only the tests on a whole host with a real systemd (root)
	@deploy/test.sh e2e

bench: build ## speed, each figure beside a yardstick from the same run
	@deploy/bench.sh

pictures: ## make the README's pictures anew, from the product itself (root)
	@deploy/pictures.sh

clean: ## remove what was built and the scratch home
	rm -rf bin .scratch
