# PaiCLI. `make help` lists the targets; everything longer than a line is in scripts/.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X paicli/internal/cli.version=$(VERSION)
FUZZTIME ?= 60s
PART ?= unit race locales fuzz cross bench fault files mutants skeletons effect search
PREFIX ?= $(shell go env GOPATH)/bin

.DEFAULT_GOAL := help
.PHONY: help build test full bench parity cases fuzz stats install

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./paicli, without cgo
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o paicli .

test: ## all tests under the race detector
	scripts/test

full: ## everything CI does and more, or parts: make full PART="race fuzz"
	VERSION='$(VERSION)' FUZZTIME='$(FUZZTIME)' scripts/full $(PART)

bench: ## the Go benchmarks, with ratios where they come in pairs
	scripts/bench

parity: ## check that every row of testdata/parity.txt has a passing test
	scripts/parity

cases: ## run the tests of testdata/cases only
	go test -count=1 -run 'Case' ./...

fuzz: ## run every fuzz target for FUZZTIME (60s)
	FUZZTIME='$(FUZZTIME)' scripts/fuzz

stats: ## sizes, longest functions, dependencies, start time
	scripts/stats

install: build ## install paicli into PREFIX (GOPATH/bin)
	install -d '$(PREFIX)'
	install -m 755 paicli '$(PREFIX)/paicli'
