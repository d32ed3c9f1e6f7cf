#!/bin/sh
# Measures the product as a whole and its hot parts, each figure beside a
# yardstick of the same run. Extra arguments go to the measuring program.
set -eu
cd "$(dirname "$0")/.."
mkdir -p bin
go build -o bin/bench ./deploy/bench
bin/bench -bin bin "$@"
go test -run '^$' -bench . -benchtime 200ms ./config/... ./desired/... ./observers/... ./reconcilers/... ./api/... |
	grep -E '^(Benchmark|pkg:)'
